"""Steepest descent."""

from __future__ import annotations

import numpy as np

from nearkin.solvers.descent import Directions, LineSearchSolver


class GradientDirections(Directions):
    """The negative gradient."""

    def next(self, gradient: np.ndarray) -> np.ndarray:
        return -gradient


class GradientDescent(LineSearchSolver):
    """Steepest descent with a line search: slow but simple, as in the paper on mixtures of LMNN.

    Examples
    --------
    >>> import numpy as np
    >>> GradientDescent().minimise(lambda t: (float(t @ t), 2 * t), np.ones(2)).theta.round(6) + 0.0
    array([0., 0.])
    """

    short_name = "gd"
    curvature = 0.9

    def _directions(self) -> Directions:
        return GradientDirections()
