"""A penalty on moving away from the start."""

from __future__ import annotations

import numpy as np

from nearkin.losses.base import Loss, mean_weights


class DriftLoss(Loss):
    """Mean squared move of the embedded samples since the start.

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

    #: What may stand in the place of y, which does not matter here.
    supervision = ("labels", "pairs", "triplets")

    def prepare(self, X, y, *, start=None, sample_weight=None):
        return (X if start is None else start).copy(), mean_weights(len(X), sample_weight)

    def value_and_grad(self, Z, state):
        start, weights = state
        moves = Z - start
        value = float(weights @ np.einsum("ij,ij->i", moves, moves))
        return value, (2 * weights[:, None] * moves).astype(Z.dtype, copy=False)

    def narrowed(self, state, rows):
        start, weights = state
        return start[rows], mean_weights(len(rows), weights[rows])
