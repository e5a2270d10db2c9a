"""Neighbourhood components analysis: the chance that a softly drawn neighbour is of another class."""

from __future__ import annotations

import numpy as np

from nearkin.losses.soft_neighbours import SoftNeighbourLoss


class NCALoss(SoftNeighbourLoss):
    """Mean leave-one-out error of a soft nearest neighbour: 1 - sum of p_ij over j of i's class.

    p_ij = softmax over j != i of -|z_i - z_j|^2. The value lies in [0, 1]; scikit-learn maximises
    n minus n times this.

    References
    ----------
    J. Goldberger, G. Hinton, S. Roweis, R. Salakhutdinov (2005). Neighbourhood Components Analysis.
    NIPS 17.

    Examples
    --------
    >>> loss, Z = NCALoss(), np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> state = loss.prepare(Z, np.array([0, 0, 1, 1]))
    >>> round(loss.value_and_grad(Z, state)[0], 6)
    0.0
    """

    def prepare(self, X, y, *, start=None, sample_weight=None):
        if not np.issubdtype(np.asarray(y).dtype, np.integer):
            raise ValueError("NCA needs classes; for real targets use MEGM, which is then kernel regression.")
        return super().prepare(X, y, start=start, sample_weight=sample_weight)

    def _sharpness(self, start):
        return np.ones(len(start)), None

    def _judge(self, averages, rows, state):
        weights = state.weights[rows]
        own = np.arange(len(averages)), state.codes[rows]
        hits = averages[own]
        slopes = np.zeros_like(averages)
        slopes[own] = weights
        return float(weights @ (1 - hits)), slopes, (-weights * hits).astype(averages.dtype)
