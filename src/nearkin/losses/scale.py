"""The unit in which a loss measures squared distances."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np


def check_scale(name: str, value: Any) -> None:
    """Raise unless the value is "auto" or a positive number."""
    if value != "auto" and not (isinstance(value, Real) and 0 < float(value) < np.inf):
        raise ValueError(f"{name}={value!r}: expected 'auto' or a positive number.")


def usual_scale(distances: np.ndarray) -> float:
    """The mean of some squared distances at the start, or one if all of them are zero.

    >>> usual_scale(np.array([1.0, 3.0])), usual_scale(np.zeros(2))
    (2.0, 1.0)
    """
    mean = float(np.mean(distances, dtype=np.float64)) if len(distances) else 0.0
    return mean if mean > 0 else 1.0
