"""Affine embeddings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from nearkin._types import MatrixLike
from nearkin.distances.embeddings.base import Embedding
from nearkin.numerics.products import cross_products, dense


@dataclass(frozen=True)
class AffineEmbedding:
    """``(x - origin) @ matrix.T + shift``; a missing matrix is the identity, missing vectors are zero.

    For the identity, `width` may give the number of columns.

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
    width: int | None = None

    def __call__(self, X: MatrixLike, /) -> np.ndarray:
        Z: Any = X if self.matrix is None else np.asarray(X @ self.matrix.T.astype(X.dtype, copy=False))
        constant = self._constant()
        if constant is None:
            return Z
        return dense(Z) + constant.astype(X.dtype, copy=False)

    @property
    def n_features_in(self) -> int | None:
        """Number of columns expected; None for any number."""
        if self.matrix is not None:
            return self.matrix.shape[1]
        fixed = self.origin if self.shift is None else self.shift
        return self.width if fixed is None else len(fixed)

    def affine(self, n_features: int) -> tuple[np.ndarray, np.ndarray]:
        """The matrix (e x d) and the constant of this map, for rows with `n_features` columns."""
        matrix = np.eye(n_features) if self.matrix is None else self.matrix
        constant = self._constant()
        return matrix, np.zeros(len(matrix)) if constant is None else constant

    def part_of_the_way(self, share: float) -> AffineEmbedding:
        """The mixture (1 - share) x + share z of rows x and mapped rows z; for maps that keep the width."""
        n_features = self.n_features_in
        if share == 1.0 or n_features is None:
            return self
        matrix, _ = self.affine(n_features)
        origin = np.zeros(n_features, dtype=matrix.dtype) if self.origin is None else self.origin
        shift = np.zeros(n_features, dtype=matrix.dtype) if self.shift is None else self.shift
        mixed = share * matrix + (1 - share) * np.eye(n_features)
        return AffineEmbedding(
            mixed.astype(matrix.dtype), origin, (share * shift + (1 - share) * origin).astype(origin.dtype)
        )

    def _constant(self) -> np.ndarray | None:
        """The vector added to ``x @ matrix.T``: subtracting the origin first would make sparse rows dense."""
        if self.origin is None:
            return self.shift
        moved_origin = self.origin if self.matrix is None else self.matrix @ self.origin
        return -moved_origin if self.shift is None else self.shift - moved_origin


@dataclass(frozen=True)
class FactoredEmbedding:
    """``(x - origin) @ left.T @ right + shift``: a low-rank linear map.

    Without a shift the origin is a fixed point. With a `share` below one it is the mixture of the row itself
    and the mapped row.

    Examples
    --------
    >>> import numpy as np
    >>> FactoredEmbedding(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]]), np.zeros(2))(np.array([[4.0, 1.0]]))
    array([[2., 2.]])
    """

    left: Any
    right: np.ndarray
    origin: np.ndarray
    shift: np.ndarray | None = None
    share: float = 1.0

    def __call__(self, X: MatrixLike, /) -> np.ndarray:
        origin, left = self.origin.astype(X.dtype, copy=False), self.left.astype(X.dtype, copy=False)
        if sparse.issparse(X) or sparse.issparse(left):  # centring would make them dense
            inner = cross_products(X, left) - left @ origin
        else:
            inner = (X - origin) @ left.T
        moved = inner @ self.right.astype(X.dtype, copy=False)
        moved += (self.origin if self.shift is None else self.shift).astype(X.dtype, copy=False)
        if self.share == 1.0:
            return moved
        moved *= self.share
        moved += dense(X) * X.dtype.type(1 - self.share)
        return moved

    def part_of_the_way(self, share: float) -> FactoredEmbedding:
        """The mixture of rows and mapped rows; for maps that keep the width."""
        return replace(self, share=share)

    @property
    def n_features_in(self) -> int:
        return self.left.shape[1]

    @property
    def matrix(self) -> np.ndarray:
        """The matrix of the map, computed on demand."""
        W = self.right.T @ self.left
        if self.share == 1.0:
            return W
        return self.share * W + (1 - self.share) * np.eye(len(W), dtype=W.dtype)

    def affine(self, n_features: int) -> tuple[np.ndarray, np.ndarray]:
        """The matrix (e x d) and the constant of this map."""
        constant = self(np.zeros((1, n_features)))[0]
        return self.matrix, constant


@dataclass(frozen=True)
class CentredEmbedding:
    """``(rows(x) - origin) @ matrix.T``, centred before the product so that no digits are lost.

    A `matrix` that is a vector scales the features; `rows` is the kernel map, if there is one.
    """

    matrix: np.ndarray
    origin: np.ndarray
    rows: Embedding | None = None

    def __call__(self, X: MatrixLike, /) -> np.ndarray:
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

    def __call__(self, X: MatrixLike, /) -> np.ndarray:
        kept = X if len(self.features) == self.n_features else X[:, self.features]
        return kept * self.scales.astype(X.dtype, copy=False)

    @property
    def weights(self) -> np.ndarray:
        """Weight of every feature, zero for those that are dropped."""
        weights = np.zeros(self.n_features)
        weights[self.features] = self.scales**2
        return weights

    def affine(self, n_features: int) -> tuple[np.ndarray, np.ndarray]:
        """The matrix (e x d) and the constant of this map."""
        return self.matrix, np.zeros(len(self.features))

    @property
    def matrix(self) -> np.ndarray:
        """The same map as a dense matrix, one row for each remaining feature."""
        dense = np.zeros((len(self.features), self.n_features))
        dense[np.arange(len(self.features)), self.features] = self.scales
        return dense
