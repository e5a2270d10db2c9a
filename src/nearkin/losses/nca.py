"""Neighbourhood components analysis: the probability that a soft neighbour belongs to another class."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearkin.losses.base import Loss, mean_weights
from nearkin.pairwise import SoftNeighbours, SoftPolicy


class NCALoss(Loss):
    """Mean leave-one-out error of a soft nearest neighbour: 1 - sum of p_ij over j of i's class.

    p_ij = softmax over j != i of -|z_i - z_j|^2. The value lies in [0, 1]; scikit-learn maximises
    n minus n times this.

    Parameters
    ----------
    policy : SoftPolicy or None, default=None
        How neighbours are found; None takes the defaults.

    Notes
    -----
    Neglected neighbours hold less than 1e-4 of the weights on average; in exact values less than that in
    every row. For the cost see `pairwise.SoftNeighbours`.

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

    policy: SoftPolicy | None = None

    def __init__(self, policy: SoftPolicy | None = None) -> None:
        self.policy = policy

    def prepare(
        self,
        X: np.ndarray,
        y: np.ndarray,
        *,
        start: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
    ) -> SoftNeighbours:
        if not np.issubdtype(np.asarray(y).dtype, np.integer):
            raise ValueError("NCA needs classes; for real targets use MEGM, which is then kernel regression.")
        return SoftNeighbours(y, np.ones(len(X)), mean_weights(len(X), sample_weight), policy=self.policy)

    def value_and_grad(self, Z: np.ndarray, state: Any, *, exact: bool = False) -> tuple[float, np.ndarray]:
        return state.value_and_grad(Z, _expected_error, exact=exact)


def _expected_error(q: np.ndarray, rows: Any) -> tuple[float, np.ndarray]:
    """E = sum of w_i (1 - q_i[class of i]), q_i[c] being the probability of a neighbour of class c."""
    own = np.arange(len(q)), rows.codes
    slopes = np.zeros_like(q)
    slopes[own] = -rows.weights
    return float(rows.weights @ (1 - q[own])), slopes
