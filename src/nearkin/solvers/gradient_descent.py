"""Steepest descent."""

from __future__ import annotations

import numpy as np

from nearkin.solvers.descent import Directions, LineSearchSolver


class GradientDirections(Directions):
    """Straight down."""

    def next(self, gradient: np.ndarray) -> np.ndarray:
        return -gradient


class GradientDescent(LineSearchSolver):
    """Steps down the gradient, each found by line search; slow but plain, as in the mixture paper.

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
