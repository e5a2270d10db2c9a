"""Maps: families of embeddings, (theta, X) to Z and gradients back, knowing no loss and no solver."""

from nearkin.maps.base import Map
from nearkin.maps.gated import GatedEmbedding, GatedMap
from nearkin.maps.kernel import KernelFeatures, KernelMap, LiftedMap
from nearkin.maps.linear import DiagonalMap, LinearMap

__all__ = [
    "DiagonalMap",
    "GatedEmbedding",
    "GatedMap",
    "KernelFeatures",
    "KernelMap",
    "LiftedMap",
    "LinearMap",
    "Map",
]
