"""Solvers: functions of a flat vector to minimisers, knowing neither data nor estimators."""

from nearkin.solvers.base import Solver, SolverResult
from nearkin.solvers.conjugate_gradient import ConjugateGradient
from nearkin.solvers.gradient_descent import GradientDescent
from nearkin.solvers.lbfgs import LBFGS

#: Solvers by the names that learners take.
SOLVERS: dict[str, type[Solver]] = {"lbfgs": LBFGS, "cg": ConjugateGradient, "gd": GradientDescent}

__all__ = ["LBFGS", "SOLVERS", "ConjugateGradient", "GradientDescent", "Solver", "SolverResult"]
