"""Nonlinear conjugate gradients."""

from __future__ import annotations

import numpy as np

from nearkin.solvers.descent import LineSearchSolver


class ConjugateGradient(LineSearchSolver):
    """Polak-Ribiere directions (restarted where they would not descend) with a strong Wolfe search.

    Examples
    --------
    >>> ConjugateGradient().minimise(lambda t: (float(t @ t), 2 * t), np.ones(2)).theta.round(6) + 0.0
    array([0., 0.])
    """

    curvature = 0.1

    def _direction(self, gradient, previous_gradient, previous_direction):
        if previous_gradient is None:
            return -gradient
        beta = gradient @ (gradient - previous_gradient) / (previous_gradient @ previous_gradient)
        direction = -gradient + max(beta, 0.0) * previous_direction
        if gradient @ direction >= -1e-10 * np.linalg.norm(gradient) * np.linalg.norm(direction):
            return -gradient
        return direction
