"""What a fitted learner leaves behind: immutable squared dissimilarities from queries to references."""

from nearkin.distances.base import Distance
from nearkin.distances.embedded import AffineMap, EmbeddedDistance, FactoredMap
from nearkin.distances.embeddings import AffineEmbedding, Embedding, FactoredEmbedding
from nearkin.distances.kernel_moved import CentredKernel, KernelMovedDistance

__all__ = [
    "AffineEmbedding",
    "AffineMap",
    "CentredKernel",
    "Distance",
    "EmbeddedDistance",
    "Embedding",
    "FactoredEmbedding",
    "FactoredMap",
    "KernelMovedDistance",
]
