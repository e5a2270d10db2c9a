"""Log-NCA: the log-likelihood that a soft neighbour belongs to the right class."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from nearkin.losses.neighbour_likelihood import NeighbourLikelihoodLoss, log_normaliser
from nearkin.pairwise.search import centred


class LogNCALoss(NeighbourLikelihoodLoss):
    """Mean over rows i of -log sum of p_ij over the other rows j of i's class.

    p_ij = softmax over j != i of -|z_i - z_j|^2 / (2 temperature); 0.5 gives the neighbours of `NCALoss`.
    The expected error of `NCALoss` has no slope for rows far from their own class; this loss still pulls
    them towards it.

    Parameters
    ----------
    temperature : float or "auto", default=0.5
        0.5 is NCA's exp(-D); "auto" as for `MCMLLoss`.
    policy : SoftPolicy or None, default=None
        Size of the blocks, and when they are made in float64; None takes the defaults.

    Notes
    -----
    3 n^2 e multiply-adds per evaluation, and again 3 n_c^2 e for each class by itself, in blocks of rows.

    References
    ----------
    J. Goldberger, G. Hinton, S. Roweis, R. Salakhutdinov (2005). Neighbourhood Components Analysis.
    NIPS 17; the objective g(A).

    Examples
    --------
    >>> loss, Z = LogNCALoss(), np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> abs(loss.value_and_grad(Z, loss.prepare(Z, np.array([0, 0, 1, 1])))[0]) < 1e-6
    True
    """

    def _own_class(self, Z: np.ndarray, state: Any) -> tuple[float, np.ndarray]:
        """Minus the log-normaliser of each class by itself."""
        value, dZ = 0.0, np.zeros(Z.shape)
        for first, stop in pairwise(state.segments):
            if stop - first > 1:
                rows = slice(first, stop)
                alone = centred(Z[rows], None), state.weights[rows], state.sharpness
                part, dZ[rows] = log_normaliser(*alone, self.policy)
                value += part
        return -value, -dZ
