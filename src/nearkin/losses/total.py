"""Weighted sums of losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nearkin.losses.base import Loss


@dataclass(frozen=True)
class Parts:
    """The states of the parts."""

    weights: tuple[float, ...]
    states: tuple[Any, ...]

    @property
    def inexact(self) -> bool:
        return any(getattr(state, "inexact", True) for state in self.states)

    @property
    def tolerance(self) -> float:
        return sum(
            abs(weight) * getattr(state, "tolerance", 0.0) for weight, state in zip(self.weights, self.states)
        )

    def narrowed(self, rows: np.ndarray) -> Parts:
        """The states of the parts on some of the rows; all parts must be `Narrowable`."""
        return Parts(self.weights, tuple(state.narrowed(rows) for state in self.states))

    def neighbours_per_row(self, Z: np.ndarray) -> float:
        return max(state.neighbours_per_row(Z) for state in self.states)


class TotalLoss(Loss):
    """The weighted sum of other losses.

    Parameters
    ----------
    parts : sequence of (float, Loss)

    Examples
    --------
    MEGM and NCA together, as the MEGM paper proposes:

    >>> import numpy as np
    >>> from nearkin.losses import MEGMLoss, NCALoss
    >>> loss, Z = TotalLoss([(1.0, MEGMLoss()), (0.5, NCALoss())]), np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> round(loss.value_and_grad(Z, loss.prepare(Z, np.array([0, 0, 1, 1])))[0], 6)
    0.0
    """

    def __init__(self, parts: Sequence[tuple[float, Loss]]) -> None:
        self.parts = parts

    @property
    def supervision(self) -> tuple[str, ...]:  # type: ignore[override]
        """What all parts learn from."""
        kinds = [loss.supervision for _, loss in self.parts]
        return tuple(kind for kind in kinds[0] if all(kind in others for others in kinds))

    def prepare(
        self,
        X: np.ndarray,
        y: Any,
        *,
        start: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
    ) -> Parts:
        prepared = (loss.prepare(X, y, start=start, sample_weight=sample_weight) for _, loss in self.parts)
        return Parts(tuple(weight for weight, _ in self.parts), tuple(prepared))

    def value_and_grad(self, Z: np.ndarray, state: Any, *, exact: bool = False) -> tuple[float, np.ndarray]:
        total, gradient = 0.0, np.zeros_like(Z)
        for (weight, loss), part in zip(self.parts, state.states):
            value, dZ = loss.value_and_grad(Z, part, exact=exact)
            total += weight * value
            gradient = gradient + Z.dtype.type(weight) * dZ
        return total, gradient
