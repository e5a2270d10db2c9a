"""Large-margin metrics that are mixed differently at every row, with a certified duality gap.

The counterpart of `psd_margin` for m matrices and hinges: the metric at row i is sum_l w_il M_l, and with
margins m_t = sum_l w_il (D_l(i, k) - D_l(i, j)) of the triplets (i, j, k),

    primal   min over M_l >= 0 of  1/2 sum_l ||M_l||_F^2 + sum over pairs of c w_il D_l + sum_t [1 - m_t]_+
    dual     max over g of         sum(g) - 1/2 sum_l ||[N_l(g)]_+||_F^2,   0 <= g <= 1

where N_l(g) sums the triplets' difference matrices with weights g_t w_il, minus those of the pairs with
weights c w_il, and M_l = [N_l]_+ is the primal solution of a dual point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nearkin.numerics.psd_margin import Certificate, accelerate, curvature


@dataclass(frozen=True)
class MixtureSolution:
    """Factors F (m x p x p) with M_l = F_l F_l', and the values that certify them."""

    factors: np.ndarray
    objective: float
    gap: float
    n_iter: int
    converged: bool


class _Mixture:
    """The dual for the accelerated method, through the sparse graph of the neighbour pairs."""

    def __init__(self, X, neighbours, near, far, mixture, pull):
        from nearkin.numerics import kernels_pair_graph

        self.kernels = kernels_pair_graph
        self.X = np.ascontiguousarray(X)
        self.neighbours = np.ascontiguousarray(neighbours)
        self.near, self.far, self.mixture, self.pull = near, far, mixture, pull

    def project(self, a) -> np.ndarray:
        return np.clip(a, 0, 1)

    def aggregate(self, a, pulled: bool = True) -> np.ndarray:
        b = np.bincount(self.far, a, self.neighbours.size)
        b -= np.bincount(self.near, a, self.neighbours.size)
        b = b.reshape(self.neighbours.shape)
        if pulled:
            b -= self.pull
        N = np.empty((self.mixture.shape[1], self.X.shape[1], self.X.shape[1]))
        for share, out in zip(self.mixture.T, N):
            out[:] = self.X.T @ self.kernels.laplacian_times(b * share, self.neighbours, self.X)
        return (N + N.transpose(0, 2, 1)) / 2

    def pair_distances(self, factors) -> np.ndarray:
        """Squared distance of every neighbour pair, under the mixture of its row."""
        D = np.zeros(self.neighbours.shape)
        for share, F in zip(self.mixture.T, factors):
            D += share * self.kernels.pair_distances(self.X @ F, self.neighbours)
        return D.ravel()

    def value(self, a, M) -> float:
        return 0.5 * float(np.square(np.maximum(np.linalg.eigvalsh(M), 0)).sum()) - float(a.sum())

    def value_and_slope(self, a, M) -> tuple[float, np.ndarray]:
        factors, half_norm = positive_factors(M)
        D = self.pair_distances(factors)
        return half_norm - float(a.sum()), D[self.far] - D[self.near] - 1

    def rounding(self, value: float) -> float:
        return 1e-13 * (abs(value) + 1)

    def certify(self, a, M) -> Certificate:
        factors, half_norm = positive_factors(M)
        D = self.pair_distances(factors)
        hinges = np.maximum(1 - D[self.far] + D[self.near], 0)
        primal = half_norm + float(self.pull.ravel() @ D) + float(hinges.sum())
        dual = float(a.sum()) - half_norm
        return Certificate(factors, primal, max(primal - dual, 0.0) / max(primal, 1e-300))

    def largest_curvature(self) -> float:
        def margins_of(v):
            D = self.pair_distances(positive_factors(self.aggregate(v, pulled=False))[0])
            return D[self.far] - D[self.near]

        return curvature(margins_of, len(self.near))


def positive_factors(M: np.ndarray) -> tuple[np.ndarray, float]:
    """F_l with F_l F_l' the positive semidefinite part of M_l, and half their squared Frobenius norms.

    >>> positive_factors(np.diag([4.0, -1.0])[None])[1]
    8.0
    """
    values, vectors = np.linalg.eigh(M)
    values = np.maximum(values, 0)
    return vectors * np.sqrt(values)[:, None, :], 0.5 * float(np.square(values).sum())


def solve_psd_mixture(
    X, neighbours, near, far, mixture, pull, *, tol: float = 1e-2, max_iter: int = 1000
) -> MixtureSolution:
    """Positive semidefinite matrices whose mixtures satisfy the triplets by a margin.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    neighbours : ndarray of shape (K, n)
        Neighbour of each rank of each row; pair number ``rank * n + i``. Places without a neighbour must not
        occur in triplets or be pulled.
    near, far : ndarray of shape (T,)
        Pair numbers of each triplet.
    mixture : ndarray of shape (n, m)
        Weights w_il of the matrices at each row.
    pull : ndarray of shape (K, n)
        Weight of the distance of each pair; not negative.
    tol : float
        Relative duality gap at which to stop.
    max_iter : int

    Notes
    -----
    A step costs m times n p (p + K) and two eigendecompositions of p x p; memory O(T + n p + m p^2).
    """
    problem = _Mixture(X, neighbours, near, far, mixture, pull)
    start = np.full(len(near), 0.5)
    _, found, n_iter = accelerate(problem, start, tol=tol, max_iter=max_iter)
    return MixtureSolution(found.factor, found.objective, found.gap, n_iter, found.gap <= tol)
