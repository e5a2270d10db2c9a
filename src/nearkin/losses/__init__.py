"""Losses of an embedding: from (Z, y) to a value and its gradient in Z. They know neither map nor solver."""

from nearkin._discovery import lazy_names, subclasses
from nearkin.losses.base import Loss

__getattr__, __dir__ = lazy_names(__name__, lambda: subclasses(__name__, Loss))
