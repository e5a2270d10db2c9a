"""A line search for the strong Wolfe conditions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nearkin.solvers.base import Function

#: Share of the promised decrease that a step must bring.
DECREASE = 1e-4
LARGEST_STEP = 1e10
#: Values of functions that leave out what hardly matters are told apart to this share of them; slopes
#: tell more than such values.
VALUE_PRECISION = 5e-4
#: How steep, compared with the start, it may be uphill there.
LARGEST_RISE = 0.8
#: A bracket in which the first slope would lead down by less than this share of the value is not worth more.
NEGLIGIBLE_FALL = 1e-9


class Point(NamedTuple):
    """A place along the search direction."""

    step: float
    value: float
    slope: float
    theta: np.ndarray
    gradient: np.ndarray


def strong_wolfe(
    fun: Function, start: Point, direction: np.ndarray, step: float, *, curvature: float, budget: int = 25
) -> tuple[Point, int]:
    """A step that lowers the value enough and flattens the slope to `curvature` of its start.

    Brackets such a step by doubling, then narrows the bracket by cubic interpolation
    (Nocedal & Wright, Numerical Optimization, algorithms 3.5 and 3.6). Where values cannot be told
    apart, a slope that tells of a minimum nearby will do (Hager & Zhang 2005, approximate Wolfe
    conditions). If the budget of evaluations runs out it returns the lowest point seen, which may be
    the start.

    Returns
    -------
    point : Point
    n_evaluations : int
    """
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
        return point.value > start.value + DECREASE * point.step * start.slope

    def acceptable(point: Point) -> bool:
        if abs(point.slope) > -curvature * start.slope:
            return False
        equal = point.value <= start.value + VALUE_PRECISION * abs(start.value)
        return not too_high(point) or (equal and point.slope <= -LARGEST_RISE * start.slope)

    low, high, previous = start, None, start
    while high is None and used < budget:
        point = at(step)
        if acceptable(point):
            return point, used
        if too_high(point) or (previous is not start and point.value >= previous.value):
            low, high = previous, point
        elif point.slope >= 0:
            low, high = point, previous
        else:
            previous, step = point, min(2.5 * step, LARGEST_STEP)
    while high is not None and used < budget:
        width = high.step - low.step
        if abs(width * start.slope) <= NEGLIGIBLE_FALL * abs(start.value):
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
    """Where between two points the cubic through their values and slopes is lowest, kept off the ends."""
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
