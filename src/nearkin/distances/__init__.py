"""What a fitted learner leaves behind: immutable squared dissimilarities from queries to references."""

from nearkin.distances.base import Distance
from nearkin.distances.embedded import AffineMap, EmbeddedDistance, FactoredMap
from nearkin.distances.kernel_moved import CentredKernel, KernelMovedDistance

__all__ = [
    "AffineMap",
    "CentredKernel",
    "Distance",
    "EmbeddedDistance",
    "FactoredMap",
    "KernelMovedDistance",
]
