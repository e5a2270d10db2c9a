"""Squared Euclid after an embedding of the queries and one of the references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances.base import Distance
from nearkin.distances.embeddings import AffineEmbedding, Embedding, FactoredEmbedding
from nearkin.distances.folding import Folding
from nearkin.numerics.given_rows import checked_rows
from nearkin.numerics.products import row_distances, squared_distances, squared_norms

# Names of embeddings in model files of version 0.1 and in code written for it.
AffineMap, FactoredMap = AffineEmbedding, FactoredEmbedding


@dataclass(frozen=True)
class EmbeddedDistance(Distance):
    """Squared Euclid between embedded queries and embedded references.

    With no embeddings it is plain squared Euclid. Queries and references may be embedded
    differently, as Move-labeled does.

    Examples
    --------
    >>> import numpy as np
    >>> moved = EmbeddedDistance(references=AffineEmbedding(np.array([[0.5]])))
    >>> moved.pairwise(np.array([[1.0]]), np.array([[2.0], [4.0]]))
    array([[0., 1.]])
    """

    queries: Embedding = field(default_factory=AffineEmbedding)
    references: Embedding = field(default_factory=AffineEmbedding)

    @classmethod
    def symmetric(cls, embedding: Embedding) -> EmbeddedDistance:
        """The same embedding on both sides: a (pseudo-)metric."""
        return cls(embedding, embedding)

    def embed_queries(self, X: MatrixLike) -> np.ndarray:
        """Embedded queries; raises for rows of the wrong width or with NaN."""
        return self.queries(checked_rows(X, getattr(self.queries, "n_features_in", None), what="queries"))

    def embed_references(self, X: MatrixLike) -> np.ndarray:
        """Embedded references; raises for rows of the wrong width or with NaN."""
        width = getattr(self.references, "n_features_in", None)
        return self.references(checked_rows(X, width, what="references"))

    def folded(self, metric: str = "l2", references: MatrixLike | None = None) -> Folding:
        """This distance for an index of another metric, with one or two extra coordinates.

        Parameters
        ----------
        metric : {"l2", "ip", "cosine"}
            What the index ranks by: smallest Euclidean distance, largest inner product, largest cosine.
        references : array-like of shape (n, d), optional
            The references to be stored. Needed for "cosine", which depends on the longest of them.
        """
        return Folding.of(self, metric, references)

    def of_pairs(self, X: MatrixLike, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        queries, references = self.embed_queries(X), self.embed_references(X)
        return row_distances(queries, references, left, right)

    def bind(self, references: MatrixLike) -> Callable[[np.ndarray], np.ndarray]:
        R = self.embed_references(references)
        norms = squared_norms(R)

        def to_references(queries) -> np.ndarray:
            return squared_distances(self.embed_queries(queries), R, norms_b=norms)

        return to_references
