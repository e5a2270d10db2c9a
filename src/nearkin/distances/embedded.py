"""Distances that are squared Euclid after an embedding of queries and one of references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from nearkin.distances.base import Distance
from nearkin.numerics.products import row_distances, squared_distances, squared_norms


class Embedding(Protocol):
    """A fitted map of rows: n x d in, n x e out, dtype kept."""

    def __call__(self, X, /) -> np.ndarray: ...


@dataclass(frozen=True)
class AffineMap:
    """``(x - origin) @ matrix.T + shift``; a missing matrix is the identity, missing vectors are zero.

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
class FactoredMap:
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
        return self.queries(X)

    def embed_references(self, X) -> np.ndarray:
        return self.references(X)

    def of_pairs(self, X, left, right) -> np.ndarray:
        queries, references = self.embed_queries(X), self.embed_references(X)
        return row_distances(queries, references, left, right)

    def bind(self, references) -> Callable[[np.ndarray], np.ndarray]:
        R = self.embed_references(references)
        norms = squared_norms(R)

        def to_references(queries) -> np.ndarray:
            return squared_distances(self.embed_queries(queries), R, norms_b=norms)

        return to_references
