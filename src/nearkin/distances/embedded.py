"""Distances that are squared Euclid after an embedding of queries and one of references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import sparse

from nearkin.distances.base import Distance
from nearkin.numerics.products import squared_distances, squared_norms


class Embedding(Protocol):
    """A fitted map of rows: n x d in, n x e out, dtype kept."""

    def __call__(self, X, /) -> np.ndarray: ...


@dataclass(frozen=True)
class AffineMap:
    """``(x - origin) @ matrix.T``; a missing matrix is the identity, a missing origin zero."""

    matrix: np.ndarray | None = None
    origin: np.ndarray | None = None

    def __call__(self, X, /) -> np.ndarray:
        if self.matrix is None:
            if self.origin is None:
                return X
            dense = X.toarray() if sparse.issparse(X) else X
            return dense - self.origin.astype(X.dtype, copy=False)
        matrix = self.matrix.astype(X.dtype, copy=False)
        Z = np.asarray(X @ matrix.T)
        if self.origin is not None:
            Z -= matrix @ self.origin.astype(X.dtype, copy=False)
        return Z


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

    def bind(self, references) -> Callable[[np.ndarray], np.ndarray]:
        R = self.embed_references(references)
        norms = squared_norms(R)

        def to_references(queries) -> np.ndarray:
            return squared_distances(self.embed_queries(queries), R, norms_b=norms)

        return to_references
