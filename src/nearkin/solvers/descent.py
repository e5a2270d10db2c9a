"""Line-search methods that keep one direction: what conjugate gradients and gradient descent share."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from nearkin.solvers.base import GRADIENT_SHARE, Solver, SolverResult
from nearkin.solvers.line_search import Point, strong_wolfe


class LineSearchSolver(Solver):
    """Steps along directions that a subclass chooses, each as long as the Wolfe conditions ask."""

    #: How much of the slope may remain after a step: small is an exact search.
    curvature: float

    @abstractmethod
    def _direction(self, gradient, previous_gradient, previous_direction) -> np.ndarray:
        """Where to go next; the last two are None at the first step."""

    def minimise(self, fun, theta0, callback=None) -> SolverResult:
        value, gradient = fun(theta0)
        point = Point(0.0, value, 0.0, np.array(theta0, dtype=np.float64), gradient)
        history, evaluations = [value], 1
        direction = previous = None
        guess = 1 / max(float(np.linalg.norm(gradient)), 1e-300)
        for iteration in range(self.max_iter):
            if np.abs(point.gradient).max() <= self.tol * GRADIENT_SHARE:
                return self._result(point, iteration, evaluations, True, "the gradient vanished", history)
            direction = self._direction(point.gradient, previous, direction)
            slope = float(point.gradient @ direction)
            start = Point(0.0, point.value, slope, point.theta, point.gradient)
            previous = point.gradient
            point, used = strong_wolfe(fun, start, direction, guess, curvature=self.curvature)
            evaluations += used
            if point is start:
                return self._result(point, iteration, evaluations, True, "nothing lower ahead", history)
            history.append(point.value)
            if callback is not None and callback(point.theta, point.value):
                return self._result(point, iteration + 1, evaluations, True, "stopped by callback", history)
            if start.value - point.value <= self.tol * max(abs(point.value), 1.0):
                return self._result(point, iteration + 1, evaluations, True, "values settled", history)
            # The next step should lower the value about as much as this one did.
            steepness = max(float(point.gradient @ point.gradient), 1e-300)
            guess = min(10 * point.step, 2 * (start.value - point.value) / steepness)
        return self._result(point, self.max_iter, evaluations, False, "the budget of steps ran out", history)

    @staticmethod
    def _result(point, n_iter, evaluations, converged, message, history) -> SolverResult:
        return SolverResult(point.theta, point.value, n_iter, evaluations, converged, message, history)
