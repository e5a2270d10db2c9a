"""The capped simplex {0 <= a <= cap, sum a = 1}: projection onto it and its support function."""

from __future__ import annotations

import numpy as np

ROUNDING = 4 * float(np.finfo(np.float64).eps)


def project_capped_simplex(v: np.ndarray, cap: float) -> tuple[np.ndarray, float]:
    """The nearest point of ``{0 <= a <= cap, sum(a) = 1}``, and the shift that gives it.

    Parameters
    ----------
    v : ndarray of shape (T,)
    cap : float
        At least ``1 / T``, else the set is empty.

    Returns
    -------
    a : ndarray of shape (T,)
        ``clip(v + shift, 0, cap)``.
    shift : float

    Notes
    -----
    Newton's method on the increasing, piecewise linear sum of the clipped values, kept inside a
    bracket: O(T) per step and no sort.

    Examples
    --------
    >>> project_capped_simplex(np.array([0.9, 0.5, 0.0]), 0.6)[0]
    array([0.6, 0.4, 0. ])
    """
    if cap * len(v) <= 1:
        return np.full_like(v, 1 / len(v)), float(cap - v.min())
    low, high = -float(v.max()), cap - float(v.min())
    shift = min(max((1 - float(v.sum())) / len(v), low), high)
    for _ in range(200):
        moved = v + shift
        a = np.clip(moved, 0, cap)
        excess = float(a.sum()) - 1
        if abs(excess) <= 1e-14 or high - low <= ROUNDING * max(abs(low), abs(high)):
            break
        if excess > 0:
            high = shift
        else:
            low = shift
        free = np.count_nonzero((moved > 0) & (moved < cap))
        step = shift - excess / free if free else np.nan
        shift = step if low < step < high else (low + high) / 2
    return a, shift


def lowest_mean(values: np.ndarray, fraction: float) -> float:
    """Mean of the lowest `fraction` of the values, with a partial weight of the last one.

    It is the minimum of ``a @ values`` over the capped simplex with cap ``1 / (fraction * T)``.

    >>> lowest_mean(np.array([4.0, 1.0, 2.0, 3.0]), 0.5)
    1.5
    >>> lowest_mean(np.array([4.0, 1.0, 2.0, 3.0]), 0.375)
    1.3333333333333333
    """
    count = fraction * len(values)
    whole = int(count)
    if whole >= len(values):
        return float(values.mean())
    lowest = np.partition(values, whole)[: whole + 1]
    if whole == 0:
        return float(lowest[0])
    border = lowest[whole]
    return float((lowest[:whole].sum() + (count - whole) * border) / count)
