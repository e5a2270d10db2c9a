"""Solvers by the names that learners accept, found by walking the room."""

from __future__ import annotations

from functools import cache

from nearkin._discovery import subclasses
from nearkin.solvers.base import Solver


@cache
def all_solvers() -> dict[str, type[Solver]]:
    """Solvers that have a short name, keyed by it.

    >>> all_solvers()["lbfgs"].__name__
    'LBFGS'
    """
    classes = subclasses("nearkin.solvers", Solver).values()  # type: ignore[type-abstract]
    return dict(sorted((solver.short_name, solver) for solver in classes if solver.short_name))
