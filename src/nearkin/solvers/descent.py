"""Descent by line searches along directions learned on the way: the loop that all solvers share."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from nearkin.solvers.base import GRADIENT_SHARE, Callback, Function, Solver, SolverResult
from nearkin.solvers.line_search import Point, strong_wolfe

#: A line search that fails after steps this small has met the precision of the function.
PRECISION_LIMIT = 1e-3
#: Smaller changes are not told from rounding, whatever the tolerance.
SMALLEST_TOL = 1e-8
#: So many steps together must have gained less than the tolerance for each: one or two may be chance.
STEPS_TO_SETTLE = 4
#: How often to forget the directions where nothing lower is found although the last steps helped: the
#: values of a function that remembers or estimates some of its parts do not quite fit together.
LARGEST_RESTARTS = 5


class Directions(ABC):
    """Where to go next, from the gradients met so far."""

    #: Whether a step of one along the next direction has about the right length.
    natural_length: bool = False

    @abstractmethod
    def next(self, gradient: np.ndarray) -> np.ndarray:
        """The direction to search from a point with this gradient; it descends."""

    def learn(self, step: np.ndarray, change: np.ndarray) -> None:  # noqa: B027
        """Take note of a step and how it changed the gradient."""

    def forget(self) -> bool:
        """Go back to the plain gradient; tells whether the last direction was any other."""
        return False


class LineSearchSolver(Solver):
    """Steps along directions that a subclass chooses, each as long as the Wolfe conditions ask."""

    #: How much of the slope may remain after a step: small is an exact search.
    curvature: float

    @abstractmethod
    def _directions(self) -> Directions:
        """Directions of someone who has not seen the function yet."""

    def minimise(
        self,
        fun: Function,
        theta0: np.ndarray,
        callback: Callback | None = None,
        directions: Directions | None = None,
    ) -> SolverResult:
        directions = self._directions() if directions is None else directions
        point, guess = _beginning(fun, np.array(theta0, dtype=np.float64))
        history, evaluations, restarts = [point.value], 1, 0
        message = "the budget of steps ran out"
        converged = False
        if self._vanished(point.gradient):
            converged, message = True, "the gradient vanished"
        while not converged and len(history) <= self.max_iter:
            direction = directions.next(point.gradient)
            start = point._replace(step=0.0, slope=float(point.gradient @ direction))
            first = 1.0 if directions.natural_length else guess
            point, used = strong_wolfe(fun, start, direction, first, curvature=self.curvature)
            evaluations += used
            if point is start:
                if directions.forget() and restarts < LARGEST_RESTARTS and not _settled(history, self.tol):
                    restarts += 1
                    evaluations += 1
                    point, guess = _beginning(fun, start.theta)
                    continue
                last_fall = history[-2] - history[-1] if len(history) > 1 else 0.0
                converged = last_fall <= PRECISION_LIMIT * max(abs(history[-1]), 1.0)
                message = "nothing lower ahead"
                break
            history.append(point.value)
            directions.learn(point.theta - start.theta, point.gradient - start.gradient)
            # The next step should lower the value about as much as this one did.
            steepness = max(float(point.gradient @ point.gradient), 1e-300)
            guess = min(10 * point.step, 2 * (start.value - point.value) / steepness)
            if callback is not None and callback(point.theta, point.value):
                converged, message = True, "stopped by callback"
            elif self._vanished(point.gradient):
                converged, message = True, "the gradient vanished"
            elif _settled(history, self.tol):
                converged, message = True, "values settled"
        return SolverResult(
            point.theta, point.value, len(history) - 1, evaluations, converged, message, history, directions
        )

    def _vanished(self, gradient: np.ndarray) -> bool:
        return bool(np.abs(gradient).max(initial=0) <= self.tol * GRADIENT_SHARE)


def _beginning(fun: Function, theta: np.ndarray) -> tuple[Point, float]:
    """Where a search begins, and a step along the gradient that moves theta by one."""
    value, gradient = fun(theta)
    return Point(0.0, value, 0.0, theta, gradient), 1 / max(float(np.linalg.norm(gradient)), 1e-300)


def _settled(history: list[float], tol: float) -> bool:
    """Whether the last few steps led nowhere, neither down nor, by a correction, up."""
    recent = history[-STEPS_TO_SETTLE - 1 :]
    steps = len(recent) - 1
    change = max(recent) - min(recent)
    return steps > 0 and change <= steps * max(tol, SMALLEST_TOL) * max(abs(recent[-1]), 1.0)
