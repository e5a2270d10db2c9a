"""Distances in which every query has its own mixture of a few metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances.base import Distance
from nearkin.distances.embeddings import Embedding
from nearkin.numerics.blocks import blocks
from nearkin.numerics.products import squared_distances, squared_norms


class QueryWeights(Protocol):
    """Non-negative weights of m metrics at each row: q x d in, q x m out."""

    def __call__(self, X, /) -> np.ndarray: ...


@dataclass(frozen=True)
class NearestRowWeights:
    """Each row has the weights of the nearest of some known rows.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
    weights : ndarray of shape (n, m)

    Examples
    --------
    >>> NearestRowWeights(np.array([[0.0], [9.0]]), np.eye(2))(np.array([[7.0]]))
    array([[0., 1.]])
    """

    rows: np.ndarray
    weights: np.ndarray

    def __call__(self, X, /) -> np.ndarray:
        origin = self.rows.mean(axis=0)
        rows = (self.rows - origin).astype(X.dtype, copy=False)
        norms = squared_norms(rows)
        nearest = np.empty(len(X), dtype=np.intp)
        for part in blocks(len(X), len(rows)):
            Q = X[part] - origin.astype(X.dtype, copy=False)
            nearest[part] = squared_distances(Q, rows, norms_b=norms).argmin(axis=1)
        return self.weights[nearest].astype(X.dtype, copy=False)


@dataclass(frozen=True)
class SquaredLinearWeights:
    """Weights ``(slopes . (z(x), 1))^2`` of coordinates z.

    Parameters
    ----------
    coordinates : Embedding
    slopes : ndarray of shape (m, q + 1)
        The constant last.
    """

    coordinates: Embedding
    slopes: np.ndarray

    def __call__(self, X, /) -> np.ndarray:
        slopes = self.slopes.astype(X.dtype, copy=False)
        return np.square(self.coordinates(X) @ slopes[:, :-1].T + slopes[:, -1])


@dataclass(frozen=True)
class MixedDistance(Distance):
    """``sum_l w_l(x) ||F_l (x - r)||^2`` from a query x to a reference r.

    Parameters
    ----------
    weigh : QueryWeights
        The weights w of a query.
    factors : ndarray of shape (m, k, d)
        A factor of each metric.
    origin : ndarray of shape (d,)
        The mean of the data, subtracted from all rows so that no digits are lost.

    Notes
    -----
    Projecting n references costs n m k d and keeps n m (k + 1) numbers; q queries cost q n m (k + 1).

    Examples
    --------
    >>> weigh = NearestRowWeights(np.array([[0.0, 0.0], [9.0, 0.0]]), np.eye(2))
    >>> distance = MixedDistance(weigh, np.array([[[1.0, 0.0]], [[0.0, 2.0]]]), np.zeros(2))
    >>> distance.pairwise(np.array([[1.0, 0.0], [8.0, 0.0]]), np.array([[3.0, 1.0]]))
    array([[4.],
           [4.]])
    """

    weigh: QueryWeights
    factors: np.ndarray
    origin: np.ndarray

    def _project(self, X) -> np.ndarray:
        """All projections side by side, n x (m k)."""
        m, k, d = self.factors.shape
        centred = X - self.origin.astype(X.dtype, copy=False)
        return centred @ self.factors.reshape(m * k, d).T.astype(X.dtype, copy=False)

    def bind(self, references: MatrixLike) -> Callable[[np.ndarray], np.ndarray]:
        m, k, _ = self.factors.shape
        R = self._project(references)
        lengths = np.square(R).reshape(-1, m, k).sum(axis=2)

        def to_references(queries) -> np.ndarray:
            weights = self.weigh(queries)
            Q = self._project(queries).reshape(-1, m, k)
            weighted = Q * weights[:, :, None]
            D = weighted.reshape(-1, m * k) @ R.T
            D *= -2
            D += np.einsum("qmk,qmk->q", weighted, Q)[:, None]
            D += weights @ lengths.T
            return np.maximum(D, 0, out=D)

        return to_references
