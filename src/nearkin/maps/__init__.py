"""Maps: families of embeddings, from (theta, X) to Z and gradients back, knowing neither loss nor solver."""

from nearkin._discovery import lazy_names, subclasses
from nearkin.maps.base import Map

__getattr__, __dir__ = lazy_names(__name__, lambda: subclasses(__name__, Map))
