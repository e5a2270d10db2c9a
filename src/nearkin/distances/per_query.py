"""Distances in which every query has its own metric, computed from class densities at the query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances.base import Distance
from nearkin.distances.embedded import Embedding
from nearkin.numerics.blocks import blocks
from nearkin.numerics.local_bias import bias_weights, unbiased_factors
from nearkin.numerics.products import squared_distances, squared_norms
from nearkin.numerics.selection import smallest_per_row

#: Entries of the metrics of the queries that are measured together: a megabyte.
METRIC_ENTRIES_AT_ONCE = 2**17


@dataclass(frozen=True)
class GaussianClasses:
    """A Gaussian density for each class.

    Parameters
    ----------
    means : ndarray of shape (C, d)
    precisions : ndarray of shape (C, d, d)
        Inverse covariances.
    log_scales : ndarray of shape (C,)
        Logarithm of each class's prior times the largest value of its density.

    Examples
    --------
    >>> one = GaussianClasses(np.zeros((1, 1)), np.ones((1, 1, 1)), np.zeros(1))
    >>> one.log_joint(np.array([[2.0]]))
    array([[-2.]])
    """

    means: np.ndarray
    precisions: np.ndarray
    log_scales: np.ndarray

    def slopes(self, X: np.ndarray) -> np.ndarray:
        """``precision_c (x - mean_c)`` for every row and class, m x C x d: minus the slopes of log p_c."""
        return np.stack([(X - mu) @ P for mu, P in zip(self.means, self.precisions)], axis=1)

    def log_joint(self, X: np.ndarray, slopes: np.ndarray | None = None) -> np.ndarray:
        """Logarithm of prior times density of every class at every row, m x C."""
        slopes = self.slopes(X) if slopes is None else slopes
        offsets = X[:, None, :] - self.means
        return self.log_scales - 0.5 * np.einsum("mcd,mcd->mc", slopes, offsets)

    def log_joint_of(self, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """The same for the class of each row only."""
        out = np.empty(len(X))
        for c, (mu, P) in enumerate(zip(self.means, self.precisions)):
            offsets = X[codes == c] - mu
            out[codes == c] = self.log_scales[c] - 0.5 * np.einsum("md,md->m", offsets @ P, offsets)
        return out

    def bias(self, X: np.ndarray) -> np.ndarray:
        """The bias matrices B of the rows, each up to a positive factor, m x d x d.

        ``Hess p_c = p_c (g g' - precision_c)`` with g the slope.
        """
        g = self.slopes(X)
        weights = bias_weights(self.log_joint(X, g))
        B = np.matmul((g * weights[:, :, None]).transpose(0, 2, 1), g)
        C, d = self.means.shape
        B -= (weights @ self.precisions.reshape(C, d * d)).reshape(-1, d, d)
        return B


@dataclass(frozen=True)
class PerQueryDistance(Distance):
    """Squared distance under the query's own metric, which removes the bias of the nearest neighbour's error.

    Parameters
    ----------
    embedding : Embedding
        From rows to the coordinates of the classes.
    classes : GaussianClasses
        The densities from which each query's metric is computed.
    pooled : ndarray of shape (r, d)
        Factor of a metric shared by all queries, which finds the candidates.
    n_candidates : int
        References that are measured by the query's metric; the others follow after the farthest of them,
        in the order and spacing of the pooled metric.
    floor, euclid_share : float
        See `unbiased_factors`.

    Notes
    -----
    A query costs d^3 for its metric, n d to find its candidates (unless all references are candidates) and
    n_candidates d^2 to measure them. A megabyte of metrics is held at a time.

    Examples
    --------
    >>> classes = GaussianClasses(np.array([[-1.0, 0], [1.0, 0]]), np.tile(np.eye(2), (2, 1, 1)), np.zeros(2))
    >>> from nearkin.distances import AffineEmbedding
    >>> distance = PerQueryDistance(AffineEmbedding(), classes, np.eye(2), 10, floor=0.01, euclid_share=0.0)
    >>> distance.pairwise(np.array([[0.5, 0.0]]), np.array([[0.5, 1.0], [1.5, 0.0]])).round(2)
    array([[ 0.1, 10. ]])
    """

    embedding: Embedding
    classes: GaussianClasses
    pooled: np.ndarray
    n_candidates: int
    floor: float
    euclid_share: float

    def factors(self, queries: MatrixLike) -> np.ndarray:
        """A factor of the metric at each query, m x d x d, in the coordinates of the embedding."""
        return self._factors(self.embedding(queries))

    def _factors(self, U: np.ndarray) -> np.ndarray:
        B = self.classes.bias(U.astype(np.float64, copy=False))
        return unbiased_factors(B, self.floor, self.euclid_share)

    def bind(self, references: MatrixLike) -> Callable[[np.ndarray], np.ndarray]:
        R = self.embedding(references)
        measure = self._to_all(R) if len(R) <= self.n_candidates else self._to_candidates(R)

        def to_references(queries) -> np.ndarray:
            Q = self.embedding(queries)
            D = np.empty((len(Q), len(R)), dtype=Q.dtype)
            for part in blocks(len(Q), R.shape[1] ** 2, METRIC_ENTRIES_AT_ONCE):
                measure(Q[part], self._factors(Q[part]).astype(Q.dtype, copy=False), D[part])
            return D

        return to_references

    @staticmethod
    def _to_all(R: np.ndarray) -> Callable[[np.ndarray, np.ndarray, np.ndarray], None]:
        def measure(Q, factors, D) -> None:
            for x, F, out in zip(Q, factors, D):
                out[:] = squared_norms((R - x) @ F.T)

        return measure

    def _to_candidates(self, R: np.ndarray) -> Callable[[np.ndarray, np.ndarray, np.ndarray], None]:
        pooled = self.pooled.astype(R.dtype, copy=False)
        Z = R @ pooled.T
        norms = squared_norms(Z)

        def measure(Q, factors, D) -> None:
            D[:] = squared_distances(Q @ pooled.T, Z, norms_b=norms)
            reach, candidates = smallest_per_row(D, self.n_candidates)
            for x, F, out, nearest, limit in zip(Q, factors, D, candidates, reach[:, -1]):
                local = squared_norms((R[nearest] - x) @ F.T)
                out += local.max() - limit
                out[nearest] = local

        return measure
