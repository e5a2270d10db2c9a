"""Learners from constraints on triplets of rows."""

from nearkin.learners.constraint.dmlmtp import DMLMTP

__all__ = ["DMLMTP"]
