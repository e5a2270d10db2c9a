"""nearkin: nearest-neighbour prediction made good by learning the distance."""

__version__ = "0.1.0.dev0"
