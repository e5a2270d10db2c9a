"""A penalty on moving away from the start."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nearkin.losses.base import Loss, mean_weights


class Start(NamedTuple):
    """The embedding at the start, and the weight of each row."""

    Z: np.ndarray
    weights: np.ndarray
    #: Nothing is reused, so every value is exact.
    inexact: bool = False
    tolerance: float = 0.0

    def narrowed(self, rows: np.ndarray) -> Start:
        return Start(self.Z[rows], mean_weights(len(rows), self.weights[rows]))

    def neighbours_per_row(self, Z: np.ndarray) -> float:
        return 0.0


class DriftLoss(Loss):
    """Mean squared displacement of the embedded samples since the start.

    For a linear map A it is |(A - A_0) x|^2 averaged over the samples, which for standardised,
    uncorrelated features is the squared Frobenius norm of A - A_0. Add it to another loss with
    `TotalLoss` to keep the map from fitting noise.

    Examples
    --------
    >>> loss, Z = DriftLoss(), np.array([[0.0], [1.0]])
    >>> loss.value_and_grad(Z + 2, loss.prepare(Z, np.array([0, 1])))
    (4.0, array([[2.],
           [2.]]))
    """

    #: Anything, as y does not matter here.
    supervision = ("labels", "pairs", "triplets")

    def prepare(
        self,
        X: np.ndarray,
        y: Any,
        *,
        start: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
    ) -> Start:
        return Start((X if start is None else start).copy(), mean_weights(len(X), sample_weight))

    def value_and_grad(self, Z: np.ndarray, state: Any, *, exact: bool = False) -> tuple[float, np.ndarray]:
        moves = Z - state.Z
        value = float(state.weights @ np.einsum("ij,ij->i", moves, moves))
        return value, (2 * state.weights[:, None] * moves).astype(Z.dtype, copy=False)
