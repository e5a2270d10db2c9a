"""A learned distance blended with plain Euclid, for distances that are not embeddings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances.base import Distance
from nearkin.distances.embedded import EmbeddedDistance


@dataclass(frozen=True)
class BlendedDistance(Distance):
    """``learned * D(x, r) + plain * ||x - r||^2`` from a query x to a reference r.

    Blends of embeddings are embeddings themselves (`BlendedEmbedding`); this is for metrics that change
    from place to place.

    Parameters
    ----------
    distance : Distance
        The learned distance.
    learned, plain : float
        Weights of the two distances; one of weight zero is not computed.

    Examples
    --------
    >>> from nearkin.distances import AffineEmbedding
    >>> doubled = EmbeddedDistance.symmetric(AffineEmbedding(np.array([[2.0]])))
    >>> BlendedDistance(doubled, 0.5, 1.0).pairwise(np.array([[1.0]]), np.array([[0.0], [3.0]]))
    array([[ 3., 12.]])
    """

    distance: Distance
    learned: float
    plain: float

    def bind(self, references: MatrixLike) -> Callable[[np.ndarray], np.ndarray]:
        parts = ((self.learned, self.distance), (self.plain, EmbeddedDistance()))
        bound = [(weight, part.bind(references)) for weight, part in parts if weight]

        def to_references(queries) -> np.ndarray:
            weight, measure = bound[0]
            D = measure(queries)
            D *= D.dtype.type(weight)
            for weight, measure in bound[1:]:
                more = measure(queries)
                more *= more.dtype.type(weight)
                D += more
            return D

        return to_references
