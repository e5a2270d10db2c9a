"""Learners whose metric changes from place to place: that of the query, of a focal row, or a mixture."""

from nearkin._discovery import lazy_names
from nearkin.learners.discovery import public_learners as _public_learners

__getattr__, __dir__ = lazy_names(__name__, lambda: _public_learners(__name__))
