"""Maps: families of embeddings, (theta, X) to Z and gradients back, knowing no loss and no solver."""

from nearkin.maps.base import Map
from nearkin.maps.gated import GatedMap
from nearkin.maps.kernel import KernelMap
from nearkin.maps.linear import DiagonalMap, LinearMap

__all__ = [
    "DiagonalMap",
    "GatedMap",
    "KernelMap",
    "LinearMap",
    "Map",
]
