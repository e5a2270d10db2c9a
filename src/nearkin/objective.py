"""The only place where a map meets a loss: a function of theta with its gradient."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from nearkin._types import MatrixLike
from nearkin.losses.base import Loss
from nearkin.maps.base import Map

Function = Callable[[np.ndarray], tuple[float, np.ndarray]]

#: The value reported to a solver if the embedding has overflowed: far worse than any real value.
OVERFLOWED = 1e100
#: Coordinates beyond this would leave the range of float32 when squared and summed.
LARGEST_COORDINATE = 1e16


class Objective:
    """theta -> (value, gradient) of a loss after a map, on given data.

    Parameters
    ----------
    map : Map
    loss : Loss
    F : ndarray of shape (n, d)
        Lifted inputs, centred if the map ignores translations.
    y : ndarray
        Class codes or real targets.
    theta0 : ndarray
        Where the optimisation starts; losses may take scales or targets from there.
    sample_weight : ndarray, optional

    Attributes
    ----------
    state
        What the loss prepared; a loss that reuses results of earlier evaluations keeps them here.
    _last : tuple or None
        The last theta with its value and gradient, so that `exact` need not evaluate it again.

    Examples
    --------
    >>> from nearkin.losses import NCALoss
    >>> from nearkin.maps import LinearMap
    >>> objective = Objective(LinearMap(), NCALoss(), np.eye(4), np.array([0, 0, 1, 1]), np.eye(4).ravel())
    >>> value, gradient = objective(np.eye(4).ravel())
    >>> round(value, 6), gradient.shape
    (0.666667, (16,))
    """

    def __init__(
        self,
        map: Map,
        loss: Loss,
        F: MatrixLike,
        y: np.ndarray,
        theta0: np.ndarray,
        *,
        sample_weight: np.ndarray | None = None,
    ) -> None:
        self.map = map
        self.loss = loss
        self.F = F
        self.y = y
        self.sample_weight = sample_weight
        start, _ = self._forward(theta0)
        if not _in_range(start):
            raise ValueError(
                f"the start gives coordinates beyond {LARGEST_COORDINATE:.0e}, too large to square; "
                "scale the features or choose another init."
            )
        self.state = loss.prepare(F, y, start=start, sample_weight=sample_weight)
        self._last: tuple[np.ndarray, tuple[float, np.ndarray]] | None = None

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient; the loss may reuse results of earlier evaluations."""
        return self._evaluate(theta, exact=False)

    def exact(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient without anything reused from earlier evaluations."""
        if self._last is not None and not getattr(self.state, "inexact", True):
            last_theta, result = self._last
            if np.array_equal(theta, last_theta):
                return result
        return self._evaluate(theta, exact=True)

    @property
    def tolerance(self) -> float:
        """How far values may be from the exact ones, relative to the larger of themselves and one."""
        return getattr(self.state, "tolerance", 0.0)

    def _evaluate(self, theta: np.ndarray, *, exact: bool) -> tuple[float, np.ndarray]:
        Z, cache = self._forward(theta)
        if not _in_range(Z):
            return OVERFLOWED, np.zeros_like(theta)
        value, dZ = self.loss.value_and_grad(Z, self.state, exact=exact)
        result = value, self.map.pullback(dZ, cache)
        self._last = theta.copy(), result
        return result

    def renewed(self, theta: np.ndarray) -> Objective:
        """The same objective with the loss prepared again for the embedding at theta."""
        Z, _ = self._forward(theta)
        again = copy.copy(self)
        again._last = None
        again.state = self.loss.prepare(Z, self.y, start=Z, sample_weight=self.sample_weight)
        return again

    def narrowed(self, rows: np.ndarray) -> Objective:
        """The objective of some rows, with the scales of all rows; for a `losses.base.Narrowable` state."""
        part = copy.copy(self)
        part.F, part.y = self.F[rows], self.y[rows]
        part.sample_weight = None if self.sample_weight is None else self.sample_weight[rows]
        part._last = None
        part.state = self.state.narrowed(rows)
        return part

    def neighbours_per_row(self, theta: np.ndarray) -> float:
        """Approximate number of neighbours that matter to a row at theta; also for a `Narrowable` state."""
        return self.state.neighbours_per_row(self._forward(theta)[0])

    def restricted(self, theta: np.ndarray, part: slice) -> Function:
        """The objective as a function of one part of theta, the rest held fixed."""

        def of_part(values: np.ndarray) -> tuple[float, np.ndarray]:
            full = theta.copy()
            full[part] = values
            value, gradient = self(full)
            return value, gradient[part]

        return of_part

    def _forward(self, theta: np.ndarray) -> tuple[np.ndarray, Any]:
        with np.errstate(over="ignore", invalid="ignore"):
            return self.map.forward(theta, self.F)


def _in_range(Z: np.ndarray) -> bool:
    # Written so that NaN fails the comparison too.
    return bool(np.abs(Z).max() <= LARGEST_COORDINATE)
