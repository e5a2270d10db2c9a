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
        history: list[float] = []
        last: dict = {}

        def remembered(theta):
            value, gradient = fun(theta)
            if not history:
                history.append(value)
            last["theta"], last["value"] = theta.copy(), value
            return value, gradient

        def after_step(theta) -> None:
            value = last["value"] if np.array_equal(theta, last["theta"]) else fun(theta)[0]
            history.append(value)
            if callback is not None and callback(theta, value):
                raise StopIteration

        result = minimize(
            remembered,
            theta0,
            jac=True,
            method="L-BFGS-B",
            callback=after_step,
            options={
                "maxiter": self.max_iter,
                "maxfun": 20 * self.max_iter + 20,
                "ftol": self.tol,
                "gtol": self.tol * GRADIENT_SHARE,
            },
        )
        converged = bool(result.success) or self._at_precision(history, result.status)
        steps, evaluations = int(result.nit), int(result.nfev)
        message = str(result.message)
        return SolverResult(result.x, float(result.fun), steps, evaluations, converged, message, history)

    @staticmethod
    def _at_precision(history: list[float], status: int) -> bool:
        """Whether the search stopped because values could no longer be told apart."""
        stopped_by_callback, failed_search = status == 99, status == 2
        if stopped_by_callback:
            return True
        if not failed_search:
            return False
        return len(history) < 2 or history[-2] - history[-1] <= PRECISION_LIMIT * max(abs(history[-1]), 1.0)
