"""Learners solved by linear algebra alone."""

from nearkin.learners.closed_form.move import MoveLabeled, MoveQuery
from nearkin.learners.closed_form.rca import RCA

__all__ = ["RCA", "MoveLabeled", "MoveQuery"]
