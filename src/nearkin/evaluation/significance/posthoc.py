"""Many comparisons at once: p values adjusted so that a family of tests keeps its error rate."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def _checked(p_values) -> np.ndarray:
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise ValueError("p values must be a list of numbers between 0 and 1.")
    return p


def _in_given_order(sorted_adjusted: np.ndarray, order: np.ndarray) -> np.ndarray:
    adjusted = np.empty_like(sorted_adjusted)
    adjusted[order] = np.minimum(np.maximum.accumulate(sorted_adjusted), 1.0)
    return adjusted


def holm(p_values: ArrayLike) -> np.ndarray:
    """Holm's step-down adjusted p values, in the order given; reject where at most alpha.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    return _in_given_order(p[order] * np.arange(len(p), 0, -1), order)


def finner(p_values: ArrayLike) -> np.ndarray:
    """Finner's step-down adjusted p values, in the order given; reject where at most alpha.

    Less conservative than Holm's: the i-th smallest p becomes ``1 - (1 - p)**(m / i)``.

    Examples
    --------
    >>> finner([0.01, 0.04, 0.03]).round(4)
    array([0.0297, 0.0447, 0.0447])
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    exponents = len(p) / np.arange(1, len(p) + 1)
    with np.errstate(divide="ignore"):  # p = 1 has the logarithm -inf and becomes 1 again
        adjusted = -np.expm1(exponents * np.log1p(-p[order]))
    return _in_given_order(adjusted, order)
