"""Embeddings that are linear up to a constant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from nearkin.distances.embeddings.base import Embedding


@dataclass(frozen=True)
class AffineEmbedding:
    """``(x - origin) @ matrix.T + shift``; a missing matrix is the identity, missing vectors are zero.

    Examples
    --------
    >>> import numpy as np
    >>> shrink_to_one = AffineEmbedding(np.array([[0.5]]), origin=np.array([1.0]), shift=np.array([1.0]))
    >>> shrink_to_one(np.array([[1.0], [3.0]]))
    array([[1.],
           [2.]])
    """

    matrix: np.ndarray | None = None
    origin: np.ndarray | None = None
    shift: np.ndarray | None = None

    def __call__(self, X, /) -> np.ndarray:
        Z: Any = X if self.matrix is None else np.asarray(X @ self.matrix.T.astype(X.dtype, copy=False))
        constant = self._constant()
        if constant is None:
            return Z
        if sparse.issparse(Z):
            Z = Z.toarray()
        return Z + constant.astype(X.dtype, copy=False)

    def _constant(self) -> np.ndarray | None:
        """What the map adds to ``x @ matrix.T``: one vector, so that sparse rows need no centring."""
        if self.origin is None:
            return self.shift
        moved_origin = self.origin if self.matrix is None else self.matrix @ self.origin
        return -moved_origin if self.shift is None else self.shift - moved_origin


@dataclass(frozen=True)
class FactoredEmbedding:
    """``(x - origin) @ left.T @ right + origin``: a low-rank linear move about a fixed point."""

    left: np.ndarray
    right: np.ndarray
    origin: np.ndarray

    def __call__(self, X, /) -> np.ndarray:
        centred = X - self.origin.astype(X.dtype, copy=False)
        moved = (centred @ self.left.T.astype(X.dtype, copy=False)) @ self.right.astype(X.dtype, copy=False)
        return moved + self.origin.astype(X.dtype, copy=False)

    @property
    def matrix(self) -> np.ndarray:
        """The d x d matrix, made on demand."""
        return self.right.T @ self.left


@dataclass(frozen=True)
class CentredEmbedding:
    """``(rows(x) - origin) @ matrix.T``, centred before the product so that a far-off origin costs no digits.

    A vector `matrix` scales each feature by itself; `rows` is the kernel map, if there is one.
    """

    matrix: np.ndarray
    origin: np.ndarray
    rows: Embedding | None = None

    def __call__(self, X, /) -> np.ndarray:
        if self.rows is not None:
            X = self.rows(X)
        centred = X - self.origin.astype(X.dtype, copy=False)
        matrix = self.matrix.astype(X.dtype, copy=False)
        return centred * matrix if matrix.ndim == 1 else centred @ matrix.T


@dataclass(frozen=True)
class ScaledEmbedding:
    """``x[features] * scales``: the square root of a diagonal metric, without a p x p matrix.

    Examples
    --------
    >>> ScaledEmbedding.from_weights(np.array([4.0, 0.0]))(np.array([[3.0, 9.0]]))
    array([[6.]])
    """

    features: np.ndarray
    scales: np.ndarray
    n_features: int

    @classmethod
    def from_weights(cls, weights: np.ndarray) -> ScaledEmbedding:
        """The embedding whose squared Euclid is the weighted sum of squared differences."""
        features = np.flatnonzero(weights)
        return cls(features, np.sqrt(weights[features]), len(weights))

    def __call__(self, X, /) -> np.ndarray:
        kept = X if len(self.features) == self.n_features else X[:, self.features]
        return kept * self.scales.astype(X.dtype, copy=False)

    @property
    def weights(self) -> np.ndarray:
        """Weight of every feature, zero for those left out."""
        weights = np.zeros(self.n_features)
        weights[self.features] = self.scales**2
        return weights

    @property
    def matrix(self) -> np.ndarray:
        """The same map as a dense matrix, one row for each feature kept."""
        dense = np.zeros((len(self.features), self.n_features))
        dense[np.arange(len(self.features)), self.features] = self.scales
        return dense
