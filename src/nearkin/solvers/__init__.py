"""Solvers minimise functions of a flat vector; they know neither data nor estimators."""

from nearkin._discovery import lazy_names, subclasses
from nearkin.solvers.base import Solver
from nearkin.solvers.base import SolverResult as SolverResult
from nearkin.solvers.discovery import all_solvers as all_solvers

__getattr__, __dir__ = lazy_names(__name__, lambda: subclasses(__name__, Solver))
