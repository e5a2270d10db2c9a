"""Limited-memory BFGS, SciPy's."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from nearkin.solvers.base import GRADIENT_SHARE, Solver, SolverResult

#: A line search that fails after steps this small has met the precision of the function.
PRECISION_LIMIT = 1e-3
#: Smaller changes are not told from rounding, whatever the tolerance.
SMALLEST_TOL = 1e-8
#: So many steps together must have gained less than the tolerance for each: one or two may be chance.
STEPS_TO_SETTLE = 4
#: How often to start anew where SciPy gives up although the last steps helped: the values of a function
#: that remembers or estimates some of its parts do not quite fit together.
LARGEST_RESTARTS = 5
VANISHED, SETTLED = "the gradient vanished", "values settled"


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
            return SolverResult(theta0.copy(), value, 0, 1, True, VANISHED, history)
        # SciPy's first step has length one if the gradient is longer than that: a unit gradient makes
        # the path independent of the scale of the objective.
        last = {"theta": theta0, "value": value, "gradient": gradient}
        stopped = ""

        def scaled(theta):
            if not np.array_equal(theta, last["theta"]):
                last["value"], last["gradient"] = fun(theta)
                last["theta"] = theta.copy()
            return last["value"] / size, last["gradient"] / size

        def after_step(theta) -> None:
            nonlocal stopped
            value = scaled(theta)[0] * size
            history.append(value)
            if callback is not None and callback(theta, value):
                stopped = "stopped by callback"
            elif _settled(history, self.tol):
                stopped = SETTLED
            if stopped:
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
            converged, message = (True, stopped) if stopped else _outcome(result, history, options["gtol"])
            if stopped or message == VANISHED or len(history) > self.max_iter or _settled(history, self.tol):
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
        return True, VANISHED
    return bool(result.success), SETTLED if result.success else "the budget of steps ran out"


def _settled(history: list[float], tol: float) -> bool:
    """Whether the last few steps led nowhere, neither down nor, by a correction, up."""
    recent = history[-STEPS_TO_SETTLE - 1 :]
    steps = len(recent) - 1
    change = max(recent) - min(recent)
    return steps > 0 and change <= steps * max(tol, SMALLEST_TOL) * max(abs(recent[-1]), 1.0)
