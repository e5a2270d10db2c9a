"""Maximally collapsing metric learning: neighbours drawn evenly from a row's own class and no other."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from nearkin._types import Auto
from nearkin.losses.neighbour_likelihood import LikelihoodState, NeighbourLikelihoodLoss
from nearkin.numerics.products import squared_norms
from nearkin.pairwise import SoftPolicy


class MCMLLoss(NeighbourLikelihoodLoss):
    """Mean over rows i of -sum_j p0_ij log p_ij, p0 even over the other rows of i's class.

    p_ij = softmax over j != i of -|z_i - z_j|^2 / (2 temperature). Convex in M = A'A for a linear map A. On
    rows of length one (`UnitMap`) it is the supervised contrastive loss, with its temperature.

    Parameters
    ----------
    temperature : float or "auto", default=0.5
        0.5 is the paper's exp(-D). "auto" is the mean squared distance of the rows from their mean at
        the start, per dimension, so that the unit of the features does not matter.
    ridge : float, default=0.0
        Weight of the mean squared distance of the rows from their mean, in the unit of the exponents.
        Without it distances would grow without bound if classes can be separated without error.
    policy : SoftPolicy or None, default=None
        Size of the blocks, and when they are made in float64; None takes the defaults.

    Notes
    -----
    The sum over the own class needs no pairs: with m the class mean, it is n_c |z_i - m|^2 plus the
    scatter of the class. The rest costs 3 n^2 e multiply-adds, in blocks of rows. All rows count equally;
    the paper leaves p0 unnormalised, which gives rows of large classes more weight.

    References
    ----------
    A. Globerson, S. Roweis (2005). Metric Learning by Collapsing Classes. NIPS 18.
    P. Khosla et al. (2020). Supervised Contrastive Learning. NeurIPS 33.

    Examples
    --------
    >>> loss, Z = MCMLLoss(), np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> abs(loss.value_and_grad(Z, loss.prepare(Z, np.array([0, 0, 1, 1])))[0]) < 1e-6
    True
    """

    def __init__(
        self, temperature: float | Auto = 0.5, ridge: float = 0.0, policy: SoftPolicy | None = None
    ) -> None:
        super().__init__(temperature, policy)
        self.ridge = ridge

    def prepare(
        self,
        X: np.ndarray,
        y: np.ndarray,
        *,
        start: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
    ) -> LikelihoodState:
        if not isinstance(self.ridge, Real) or not 0 <= float(self.ridge) < np.inf:
            raise ValueError(f"ridge={self.ridge!r}: expected a number of at least 0.")
        return super().prepare(X, y, start=start, sample_weight=sample_weight)

    def _own_class(self, Z: np.ndarray, state: Any) -> tuple[float, np.ndarray]:
        s, members = state.sharpness, state.members
        sizes = np.diff(state.segments)
        Z = Z.astype(np.float64, copy=False)
        inside = Z - ((members @ Z) / np.maximum(sizes, 1)[:, None])[state.codes]
        lengths = squared_norms(inside)
        # Share of row i's part of the loss that each other row of its class receives.
        shares = state.weights / np.maximum(sizes - 1, 1)[state.codes]
        in_class, in_shares = sizes[state.codes], (members @ shares)[state.codes]
        value = s * float(shares @ (in_class * lengths + (members @ lengths)[state.codes]))
        drawn = (members @ (shares[:, None] * inside))[state.codes]
        dZ = 2 * s * ((shares * in_class + in_shares)[:, None] * inside - drawn)
        if self.ridge:
            outside = Z - state.weights @ Z / state.weights.sum()
            value += self.ridge * s * float(state.weights @ squared_norms(outside))
            dZ += 2 * self.ridge * s * state.weights[:, None] * outside
        return value, dZ
