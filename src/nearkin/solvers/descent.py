"""Descent by line searches along directions learned on the way: the loop that the solvers here share."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from nearkin.solvers.base import Callback, Function, Solver, SolverResult
from nearkin.solvers.line_search import Point, strong_wolfe
from nearkin.solvers.policy import DescentPolicy


class Directions(ABC):
    """Chooses search directions from the gradients seen so far."""

    #: Whether a step of length one along the next direction is about right.
    natural_length: bool = False

    @abstractmethod
    def next(self, gradient: np.ndarray) -> np.ndarray:
        """A descent direction at a point with this gradient."""

    def learn(self, step: np.ndarray, change: np.ndarray) -> None:  # noqa: B027
        """Take note of a step and how it changed the gradient."""


class LineSearchSolver(Solver):
    """Steps along directions that a subclass chooses, of lengths that satisfy the strong Wolfe conditions.

    Parameters
    ----------
    max_iter : int
        Budget of steps.
    tol : float
        Stop when steps lower the value by no more than ``tol * max(|value|, 1)`` each, or the largest
        entry of the gradient is at most a thousandth of it.
    policy : DescentPolicy or None, default=None
        Thresholds of the descent; None takes the defaults.

    Attributes
    ----------
    learned : Directions or None
        What an earlier descent has learned, in a solver made by `continued`; never modified.
    """

    #: Share of the slope that may remain after a step (c2 of Nocedal & Wright); small means an exact search.
    curvature: float
    policy: DescentPolicy | None = None
    learned: Directions | None = None

    def __init__(self, max_iter: int = 100, tol: float = 1e-5, policy: DescentPolicy | None = None) -> None:
        super().__init__(max_iter, tol)
        self.policy = policy

    @abstractmethod
    def _directions(self) -> Directions:
        """Directions for a function about which nothing is known yet."""

    def limited(self, max_iter: int) -> Self:
        solver = super().limited(max_iter)
        solver.learned = None
        return solver

    def following(self, policy: DescentPolicy) -> Self:
        solver = copy.copy(self)
        solver.policy = policy
        return solver

    def continued(self, result: SolverResult) -> Self:
        solver = copy.copy(self)
        solver.learned = result.learned
        return solver

    def minimise(self, fun: Function, theta0: np.ndarray, callback: Callback | None = None) -> SolverResult:
        policy = self.policy or DescentPolicy()
        directions = self._directions() if self.learned is None else copy.copy(self.learned)

        def vanished(gradient: np.ndarray) -> bool:
            return bool(np.abs(gradient).max(initial=0) <= self.tol * policy.gradient_share)

        point, guess = _beginning(fun, np.array(theta0, dtype=np.float64), policy)
        history, evaluations = [point.value], 1
        message = "the budget of steps ran out"
        converged = False
        if vanished(point.gradient):
            converged, message = True, "the gradient vanished"
        while not converged and len(history) <= self.max_iter:
            direction = directions.next(point.gradient)
            start = point._replace(step=0.0, slope=float(point.gradient @ direction))
            first = 1.0 if directions.natural_length else guess
            point, used = strong_wolfe(fun, start, direction, first, curvature=self.curvature, policy=policy)
            evaluations += used
            if point is start:
                last_fall = history[-2] - history[-1] if len(history) > 1 else 0.0
                converged = last_fall <= policy.precision_limit * max(abs(history[-1]), 1.0)
                message = "the line search found nothing lower"
                break
            history.append(point.value)
            directions.learn(point.theta - start.theta, point.gradient - start.gradient)
            # The next step should lower the value by about as much as this one.
            steepness = max(float(point.gradient @ point.gradient), 1e-300)
            guess = min(10 * point.step, 2 * (start.value - point.value) / steepness)
            if callback is not None and callback(point.theta, point.value):
                converged, message = True, "stopped by callback"
            elif vanished(point.gradient):
                converged, message = True, "the gradient vanished"
            elif _settled(history, self.tol, policy):
                converged, message = True, "values settled"
        return SolverResult(
            point.theta, point.value, len(history) - 1, evaluations, converged, message, history, directions
        )


def _beginning(fun: Function, theta: np.ndarray, policy: DescentPolicy) -> tuple[Point, float]:
    """The start of a descent, and its first step: of length one, or a share of theta's length."""
    value, gradient = fun(theta)
    size = float(np.linalg.norm(theta))
    length = min(1.0, policy.first_step * size) if size > 0 else 1.0
    return Point(0.0, value, 0.0, theta, gradient), length / max(float(np.linalg.norm(gradient)), 1e-300)


def _settled(history: list[float], tol: float, policy: DescentPolicy) -> bool:
    """Whether the value has hardly changed in the last few steps, down or (after a correction) up."""
    recent = history[-policy.steps_to_settle - 1 :]
    steps = len(recent) - 1
    change = max(recent) - min(recent)
    # Changes below 1e-8 may be rounding, however small the tolerance.
    return steps > 0 and change <= steps * max(tol, 1e-8) * max(abs(recent[-1]), 1.0)
