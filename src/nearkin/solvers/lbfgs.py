"""Limited-memory BFGS, SciPy's."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from nearkin.solvers.base import GRADIENT_SHARE, Solver, SolverResult

#: A line search that fails after steps this small has met the precision of the function.
PRECISION_LIMIT = 1e-3


class LBFGS(Solver):
    """Quasi-Newton steps from the last few gradients: the default, and usually the fastest.

    Examples
    --------
    >>> LBFGS().minimise(lambda t: (float(t @ t), 2 * t), np.array([3.0, -1.0])).theta.round(6) + 0.0
    array([0., 0.])
    """

    def minimise(self, fun, theta0, callback=None) -> SolverResult:
        value, gradient = fun(theta0)
        size = float(np.linalg.norm(gradient))
        history = [value]
        if np.abs(gradient).max(initial=0) <= self.tol * GRADIENT_SHARE:
            return SolverResult(theta0.copy(), value, 0, 1, True, "the gradient vanished", history)
        # SciPy's first step has length one if the gradient is longer than that: a unit gradient makes
        # the path independent of the scale of the objective.
        last = {"theta": theta0, "value": value, "gradient": gradient}
        converged, message = False, "the budget of steps ran out"

        def scaled(theta):
            if not np.array_equal(theta, last["theta"]):
                last["value"], last["gradient"] = fun(theta)
                last["theta"] = theta.copy()
            return last["value"] / size, last["gradient"] / size

        def after_step(theta) -> None:
            nonlocal converged, message
            value = scaled(theta)[0] * size
            history.append(value)
            if callback is not None and callback(theta, value):
                converged, message = True, "stopped by callback"
                raise StopIteration
            # One short step may be chance: two in a row are not.
            if history[max(0, len(history) - 3)] - value <= 2 * self.tol * max(abs(value), 1.0):
                converged, message = True, "values settled"
                raise StopIteration

        options = {
            "maxiter": self.max_iter,
            "maxfun": 20 * self.max_iter + 20,
            "ftol": 0.0,
            "gtol": self.tol * GRADIENT_SHARE / size,
        }
        result = minimize(scaled, theta0, jac=True, method="L-BFGS-B", callback=after_step, options=options)
        if result.success:
            converged, message = True, "the gradient vanished"
        elif "ABNORMAL" in str(result.message):
            converged, message = self._at_precision(history), "the line search failed"
        theta, value = result.x, float(result.fun) * size
        steps, evaluations = len(history) - 1, int(result.nfev)
        return SolverResult(theta, value, steps, evaluations, converged, message, history)

    @staticmethod
    def _at_precision(history: list[float]) -> bool:
        """Whether the line search failed only because values can no longer be told apart."""
        return len(history) < 2 or history[-2] - history[-1] <= PRECISION_LIMIT * max(abs(history[-1]), 1.0)
