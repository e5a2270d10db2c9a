"""Limited-memory BFGS, SciPy's."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from nearkin.solvers.base import GRADIENT_SHARE, Solver, SolverResult

#: A line search that fails after steps this small has met the precision of the function.
PRECISION_LIMIT = 1e-3
#: How often to start anew after a value has risen: the function had known too little at an earlier step.
LARGEST_RESTARTS = 5


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
            fall = history[max(0, len(history) - 3)] - value
            if fall <= 2 * self.tol * max(abs(value), 1.0) and not _risen(history):
                converged, message = True, "values settled"
                raise StopIteration

        theta, evaluations = theta0, 0
        for _ in range(1 + LARGEST_RESTARTS):
            left = self.max_iter - len(history) + 1
            options = {
                "maxiter": left,
                "maxfun": 20 * left + 20,
                "ftol": 0.0,
                "gtol": self.tol * GRADIENT_SHARE / size,
            }
            result = minimize(
                scaled, theta, jac=True, method="L-BFGS-B", callback=after_step, options=options
            )
            theta, evaluations = result.x, evaluations + int(result.nfev)
            if not converged:
                converged, message = _outcome(result, history, options["gtol"])
            if converged or len(history) > self.max_iter or not _risen(history):
                break
        value = float(result.fun) * size
        return SolverResult(theta, value, len(history) - 1, evaluations, converged, message, history)


def _outcome(result, history: list[float], gradient_limit: float) -> tuple[bool, str]:
    """Whether SciPy came to an end by itself, and why."""
    if "ABNORMAL" in str(result.message):
        # Converged if it failed only because values can no longer be told apart.
        last_fall = history[-2] - history[-1] if len(history) > 1 else 0.0
        return last_fall <= PRECISION_LIMIT * max(abs(history[-1]), 1.0), "the line search failed"
    if result.success and np.abs(result.jac).max() <= gradient_limit:
        return True, "the gradient vanished"
    if result.success and not _risen(history):
        return True, "values settled"
    return False, "the budget of steps ran out"


def _risen(history: list[float]) -> bool:
    """Whether the last value is clearly above an earlier one of late, which no line search would accept."""
    return history[-1] - min(history[-3:]) > PRECISION_LIMIT * max(abs(history[-1]), 1.0)
