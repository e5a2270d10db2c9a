"""What a fitted learner leaves behind: immutable squared dissimilarities from queries to references."""

from nearkin.distances.base import Distance
from nearkin.distances.embedded import AffineMap, EmbeddedDistance

__all__ = ["AffineMap", "Distance", "EmbeddedDistance"]
