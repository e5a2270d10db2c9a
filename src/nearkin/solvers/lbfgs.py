"""Limited-memory BFGS."""

from __future__ import annotations

import numpy as np

from nearkin.solvers.descent import Directions, LineSearchSolver


class QuasiNewtonDirections(Directions):
    """The negative gradient times an inverse Hessian that agrees with the last few steps.

    Parameters
    ----------
    memory : int, default=10
        Steps remembered, as in SciPy's L-BFGS-B.

    Notes
    -----
    4 multiply-adds for each parameter and step remembered; two vectors are kept for each.

    Examples
    --------
    >>> directions = QuasiNewtonDirections()
    >>> directions.learn(np.array([1.0, 0.0]), np.array([4.0, 0.0]))  # curvature 4
    >>> directions.next(np.array([8.0, 0.0]))
    array([-2.,  0.])
    """

    def __init__(self, memory: int = 10) -> None:
        self.memory = memory
        self.pairs: list[tuple[np.ndarray, np.ndarray, float]] = []

    @property
    def natural_length(self) -> bool:  # type: ignore[override]
        return bool(self.pairs)

    def next(self, gradient: np.ndarray) -> np.ndarray:
        direction = -gradient
        if not self.pairs:
            return direction
        shares = []
        for step, change, product in reversed(self.pairs):
            shares.append(float(step @ direction) / product)
            direction -= shares[-1] * change
        _, change, product = self.pairs[-1]
        direction *= product / float(change @ change)
        for (step, change, product), share in zip(self.pairs, reversed(shares), strict=True):
            direction += (share - float(change @ direction) / product) * step
        if gradient @ direction >= 0:
            self.pairs = []
            return -gradient
        return direction

    def learn(self, step: np.ndarray, change: np.ndarray) -> None:
        product = float(step @ change)
        # If the gradient hardly changed along a step, the curvature measured there would be rounding.
        if product > 1e-10 * float(change @ change):
            self.pairs = [*self.pairs, (step, change, product)][-self.memory :]


class LBFGS(LineSearchSolver):
    """Quasi-Newton steps from the last few gradients: the default and usually the fastest solver.

    References
    ----------
    J. Nocedal (1980). Updating quasi-Newton matrices with limited storage. Mathematics of
    Computation 35.

    Examples
    --------
    >>> LBFGS().minimise(lambda t: (float(t @ t), 2 * t), np.array([3.0, -1.0])).theta.round(6) + 0.0
    array([0., 0.])
    """

    short_name = "lbfgs"
    curvature = 0.9

    def _directions(self) -> Directions:
        return QuasiNewtonDirections()
