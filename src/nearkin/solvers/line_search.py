"""A line search for the strong Wolfe conditions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nearkin.solvers.base import Function
from nearkin.solvers.policy import DescentPolicy


class Point(NamedTuple):
    """A point along the search direction."""

    step: float
    value: float
    slope: float
    theta: np.ndarray
    gradient: np.ndarray


def strong_wolfe(
    fun: Function,
    start: Point,
    direction: np.ndarray,
    step: float,
    *,
    curvature: float,
    policy: DescentPolicy | None = None,
) -> tuple[Point, int]:
    """A step that satisfies the strong Wolfe conditions with this curvature constant.

    Brackets such a step by expansion, then narrows the bracket by cubic interpolation
    (Nocedal & Wright, Numerical Optimization, algorithms 3.5 and 3.6). If the budget of evaluations runs
    out it returns the lowest point seen, which may be the start.

    Returns
    -------
    point : Point
    n_evaluations : int
    """
    policy = policy or DescentPolicy()
    used = 0
    best = start

    def at(step: float) -> Point:
        nonlocal used, best
        used += 1
        theta = start.theta + step * direction
        value, gradient = fun(theta)
        if not np.isfinite(value):
            value = np.inf
        point = Point(step, value, float(gradient @ direction), theta, gradient)
        if point.value < best.value:
            best = point
        return point

    def too_high(point: Point) -> bool:
        return point.value > start.value + policy.sufficient_decrease * point.step * start.slope

    def acceptable(point: Point) -> bool:
        return abs(point.slope) <= -curvature * start.slope and not too_high(point)

    low, high, previous = start, None, start
    while high is None and used < policy.budget:
        point = at(step)
        if acceptable(point):
            return point, used
        if too_high(point) or (previous is not start and point.value >= previous.value):
            low, high = previous, point
        elif point.slope >= 0:
            low, high = point, previous
        else:
            previous, step = point, policy.expansion * step
    while high is not None and used < policy.budget:
        width = high.step - low.step
        if abs(width * start.slope) <= policy.negligible_fall * abs(start.value):
            break
        point = at(low.step + width * _cubic_share(low, high))
        if acceptable(point):
            return point, used
        if too_high(point) or point.value >= low.value:
            high = point
            continue
        if point.slope * width >= 0:
            high = low
        low = point
    return best, used


def _cubic_share(low: Point, high: Point) -> float:
    """The minimum, as a share of the way, of the cubic through two points; kept away from both ends."""
    width = high.step - low.step
    if not np.isfinite(high.value) or not np.isfinite(high.slope):
        return 0.1
    a = low.slope + high.slope - 3 * (high.value - low.value) / width
    root = a * a - low.slope * high.slope
    if root < 0:
        return 0.5
    b = np.sign(width) * np.sqrt(root)
    below = high.slope - low.slope + 2 * b
    share = 1 - (high.slope + b - a) / below if below != 0 else 0.5
    return float(np.clip(share, 0.1, 0.9)) if np.isfinite(share) else 0.5
