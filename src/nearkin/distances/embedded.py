"""Distances that are squared Euclid after an embedding of queries and one of references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from nearkin.distances.base import Distance
from nearkin.distances.folding import Folding
from nearkin.numerics.given_rows import checked_rows
from nearkin.numerics.products import cross_products, row_distances, squared_distances, squared_norms


class Embedding(Protocol):
    """A fitted map of rows: n x d in, n x e out, dtype kept."""

    def __call__(self, X, /) -> np.ndarray: ...


@dataclass(frozen=True)
class AffineMap:
    """``(x - origin) @ matrix.T + shift``; a missing matrix is the identity, missing vectors are zero.

    A map without any of them may be told the `width` of the rows it leaves as they are.

    Examples
    --------
    >>> import numpy as np
    >>> shrink_to_one = AffineMap(np.array([[0.5]]), origin=np.array([1.0]), shift=np.array([1.0]))
    >>> shrink_to_one(np.array([[1.0], [3.0]]))
    array([[1.],
           [2.]])
    """

    matrix: np.ndarray | None = None
    origin: np.ndarray | None = None
    shift: np.ndarray | None = None
    width: int | None = None

    def __call__(self, X, /) -> np.ndarray:
        Z: Any = X if self.matrix is None else np.asarray(X @ self.matrix.T.astype(X.dtype, copy=False))
        constant = self._constant()
        if constant is None:
            return Z
        if sparse.issparse(Z):
            Z = Z.toarray()
        return Z + constant.astype(X.dtype, copy=False)

    @property
    def n_features_in(self) -> int | None:
        """Columns it takes; None for any number."""
        if self.matrix is not None:
            return self.matrix.shape[1]
        fixed = self.origin if self.shift is None else self.shift
        return self.width if fixed is None else len(fixed)

    def affine(self, n_features: int) -> tuple[np.ndarray, np.ndarray]:
        """The matrix (e x d) and the constant of this map of rows with so many columns."""
        matrix = np.eye(n_features) if self.matrix is None else self.matrix
        constant = self._constant()
        return matrix, np.zeros(len(matrix)) if constant is None else constant

    def part_of_the_way(self, share: float) -> AffineMap:
        """The mixture of rows and mapped rows, for a map that keeps the width."""
        n_features = self.n_features_in
        if share == 1.0 or n_features is None:
            return self
        matrix, _ = self.affine(n_features)
        origin = np.zeros(n_features, dtype=matrix.dtype) if self.origin is None else self.origin
        shift = np.zeros(n_features, dtype=matrix.dtype) if self.shift is None else self.shift
        mixed = share * matrix + (1 - share) * np.eye(n_features)
        return AffineMap(
            mixed.astype(matrix.dtype), origin, (share * shift + (1 - share) * origin).astype(origin.dtype)
        )

    def _constant(self) -> np.ndarray | None:
        """What the map adds to ``x @ matrix.T``: one vector, so that sparse rows need no centring."""
        if self.origin is None:
            return self.shift
        moved_origin = self.origin if self.matrix is None else self.matrix @ self.origin
        return -moved_origin if self.shift is None else self.shift - moved_origin


@dataclass(frozen=True)
class FactoredMap:
    """``(x - origin) @ left.T @ right + shift``: a low-rank linear map.

    Without a shift it is a move about the origin, which stays where it is.
    With a `share` below one it goes only so far: a mixture of the row itself and the row moved.
    """

    left: Any
    right: np.ndarray
    origin: np.ndarray
    shift: np.ndarray | None = None
    share: float = 1.0

    def __call__(self, X, /) -> np.ndarray:
        origin, left = self.origin.astype(X.dtype, copy=False), self.left.astype(X.dtype, copy=False)
        if sparse.issparse(X) or sparse.issparse(left):  # not to be centred, which would make them dense
            inner = cross_products(X, left) - left @ origin
        else:
            inner = (X - origin) @ left.T
        moved = inner @ self.right.astype(X.dtype, copy=False)
        moved += (self.origin if self.shift is None else self.shift).astype(X.dtype, copy=False)
        if self.share == 1.0:
            return moved
        moved *= self.share
        moved += _dense(X) * X.dtype.type(1 - self.share)
        return moved

    def part_of_the_way(self, share: float) -> FactoredMap:
        """The mixture of rows and mapped rows, for a map that keeps the width."""
        return replace(self, share=share)

    @property
    def n_features_in(self) -> int:
        return self.left.shape[1]

    @property
    def matrix(self) -> np.ndarray:
        """The matrix of the move, made on demand."""
        W = self.right.T @ self.left
        if self.share == 1.0:
            return W
        return self.share * W + (1 - self.share) * np.eye(len(W), dtype=W.dtype)

    def affine(self, n_features: int) -> tuple[np.ndarray, np.ndarray]:
        """The matrix (e x d) and the constant of this map."""
        constant = self(np.zeros((1, n_features)))[0]
        return self.matrix, constant


def _dense(X) -> np.ndarray:
    return X.toarray() if sparse.issparse(X) else X


@dataclass(frozen=True)
class EmbeddedDistance(Distance):
    """Squared Euclid between embedded queries and embedded references.

    With no embeddings it is plain squared Euclid. Queries and references may be embedded
    differently, as Move-labeled does.

    Examples
    --------
    >>> import numpy as np
    >>> moved = EmbeddedDistance(references=AffineMap(np.array([[0.5]])))
    >>> moved.pairwise(np.array([[1.0]]), np.array([[2.0], [4.0]]))
    array([[0., 1.]])
    """

    queries: Embedding = AffineMap()
    references: Embedding = AffineMap()

    @classmethod
    def symmetric(cls, embedding: Embedding) -> EmbeddedDistance:
        """The same embedding on both sides: a (pseudo-)metric."""
        return cls(embedding, embedding)

    def embed_queries(self, X) -> np.ndarray:
        """Queries as the distance places them; rows of the wrong width or with NaN are refused."""
        return self.queries(checked_rows(X, getattr(self.queries, "n_features_in", None), what="queries"))

    def embed_references(self, X) -> np.ndarray:
        """References as the distance places them; rows of the wrong width or with NaN are refused."""
        width = getattr(self.references, "n_features_in", None)
        return self.references(checked_rows(X, width, what="references"))

    def folded(self, metric: str = "l2", references=None) -> Folding:
        """How to hold this distance in an index of another metric, by one or two coordinates more.

        Parameters
        ----------
        metric : {"l2", "ip", "cosine"}
            What the index ranks by: smallest Euclidean distance, largest inner product, largest cosine.
        references : array-like of shape (n, d), optional
            The references to be stored. Needed for "cosine", which depends on the longest of them.
        """
        return Folding.of(self, metric, references)

    def of_pairs(self, X, left, right) -> np.ndarray:
        queries, references = self.embed_queries(X), self.embed_references(X)
        return row_distances(queries, references, left, right)

    def bind(self, references) -> Callable[[np.ndarray], np.ndarray]:
        R = self.embed_references(references)
        norms = squared_norms(R)

        def to_references(queries) -> np.ndarray:
            return squared_distances(self.embed_queries(queries), R, norms_b=norms)

        return to_references
