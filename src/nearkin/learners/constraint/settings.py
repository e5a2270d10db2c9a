"""Checks of settings that learners from constraints share: errors name the setting and what was expected."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np


def check_positive(**settings) -> None:
    """Each must be a positive number.

    >>> check_positive(gamma=0)
    Traceback (most recent call last):
    ...
    ValueError: gamma=0: expected a positive number.
    """
    for name, value in settings.items():
        if not (_is_number(value) and 0 < value < float("inf")):
            raise ValueError(f"{name}={value!r}: expected a positive number.")


def check_share(*, least: float = 0.0, **settings) -> None:
    """Each must be a number from `least` up to, but not including, 1."""
    for name, value in settings.items():
        if not (_is_number(value) and least <= value < 1):
            raise ValueError(f"{name}={value!r}: expected a number from {least:g} to 1, without 1 itself.")


def check_count(*, least: int = 1, **settings) -> None:
    """Each must be an integer of at least `least`."""
    for name, value in settings.items():
        if not (isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least):
            raise ValueError(f"{name}={value!r}: expected an integer of at least {least}.")


def check_n_components(n_components, n_features: int) -> None:
    """None, or an integer from 1 to the number of features."""
    if n_components is not None and not (
        isinstance(n_components, Integral) and 1 <= int(n_components) <= n_features
    ):
        raise ValueError(
            f"n_components={n_components!r}: expected None or an integer from 1 to {n_features}."
        )


def check_bounds(bounds) -> None:
    """None, or two positive distances."""
    if bounds is not None and not (
        np.shape(bounds) == (2,) and np.isfinite(bounds).all() and np.min(bounds) > 0
    ):
        raise ValueError(f"bounds={bounds!r}: expected two positive distances, (near, far).")


def check_choice(choices: tuple[str, ...], **settings) -> None:
    """Each must be one of the named choices."""
    for name, value in settings.items():
        if not isinstance(value, str) or value not in choices:
            raise ValueError(f"{name}={value!r}: expected one of {', '.join(map(repr, choices))}.")


def check_tolerance(tol, max_iter) -> None:
    """A positive tolerance and at least one step."""
    check_positive(tol=tol)
    check_count(max_iter=max_iter)


def _is_number(value) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
