"""Nonlinear conjugate gradients."""

from __future__ import annotations

import numpy as np

from nearkin.solvers.descent import Directions, LineSearchSolver


class ConjugateDirections(Directions):
    """Polak-Ribiere: the negative gradient plus a multiple of the last direction."""

    def __init__(self) -> None:
        self.last: tuple[np.ndarray, np.ndarray] | None = None

    def next(self, gradient: np.ndarray) -> np.ndarray:
        direction = -gradient
        if self.last is not None:
            last_gradient, last_direction = self.last
            beta = gradient @ (gradient - last_gradient) / (last_gradient @ last_gradient)
            bent = direction + max(beta, 0.0) * last_direction
            if gradient @ bent < -1e-10 * np.linalg.norm(gradient) * np.linalg.norm(bent):
                direction = bent
        self.last = gradient, direction
        return direction


class ConjugateGradient(LineSearchSolver):
    """Polak-Ribiere directions, restarted if they would not descend, with a strong Wolfe line search.

    References
    ----------
    E. Polak, G. Ribiere (1969). Note sur la convergence de methodes de directions conjuguees. RIRO 3.

    Examples
    --------
    >>> ConjugateGradient().minimise(lambda t: (float(t @ t), 2 * t), np.ones(2)).theta.round(6) + 0.0
    array([0., 0.])
    """

    short_name = "cg"
    curvature = 0.1

    def _directions(self) -> Directions:
        return ConjugateDirections()
