"""The contract of every solver."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from nearkin.solvers.policy import DescentPolicy

Function = Callable[[np.ndarray], tuple[float, np.ndarray]]
#: Called after each step with (theta, value); returning True stops the solver.
Callback = Callable[[np.ndarray, float], bool | None]


@dataclass(frozen=True)
class SolverResult:
    """Where a solver stopped, and why."""

    theta: np.ndarray
    value: float
    n_iter: int
    n_evaluations: int
    #: False only if the budget of steps ran out or the line search failed far from an optimum.
    converged: bool
    message: str
    #: Value after each step, the start first.
    history: list[float] = field(default_factory=list, repr=False)
    #: What the solver has learned about the function, for its own `Solver.continued` only.
    learned: Any = field(default=None, repr=False)


class Solver(ABC):
    """Minimises a smooth function of a flat vector; never sees data, labels or an estimator.

    Parameters
    ----------
    max_iter : int
        Budget of steps.
    tol : float
        Stop when steps lower the value by no more than ``tol * max(|value|, 1)`` each, or the gradient
        vanishes.
    """

    #: The name under which learners accept it; a solver without one is passed as an object.
    short_name: ClassVar[str] = ""

    def __init__(self, max_iter: int = 100, tol: float = 1e-5) -> None:
        self.max_iter = max_iter
        self.tol = tol

    @abstractmethod
    def minimise(self, fun: Function, theta0: np.ndarray, callback: Callback | None = None) -> SolverResult:
        """A (local) minimiser of `fun` from theta0."""

    def limited(self, max_iter: int) -> Self:
        """The same solver with another budget of steps, and nothing learned yet."""
        solver = copy.copy(self)
        solver.max_iter = max_iter
        return solver

    def following(self, policy: DescentPolicy) -> Solver:
        """The same solver with other thresholds of the descent; itself if it has none."""
        return self

    def continued(self, result: SolverResult) -> Solver:
        """A solver that starts with what this one learned on the way to `result`.

        For nearly the same function, near the same theta. By default nothing is carried over.
        """
        return self


#: A solver by its short name, or one with settings.
SolverLike: TypeAlias = Literal["lbfgs", "cg", "gd"] | Solver
