# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin.solvers.base import Solver as Solver
from nearkin.solvers.base import SolverResult as SolverResult
from nearkin.solvers.conjugate_gradient import ConjugateGradient as ConjugateGradient
from nearkin.solvers.discovery import all_solvers as all_solvers
from nearkin.solvers.gradient_descent import GradientDescent as GradientDescent
from nearkin.solvers.lbfgs import LBFGS as LBFGS
