"""Checks of settings that learners share; errors name the setting and what was expected."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np


def is_number(value) -> bool:
    """Whether a value is a finite number and not a bool."""
    return isinstance(value, Real) and not isinstance(value, bool) and bool(np.isfinite(float(value)))


def is_whole(value, least: float = -np.inf) -> bool:
    """Whether a value is an integer of at least `least` and not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def check_count(*, least: int = 1, most: int | None = None, words: tuple = (), **settings) -> None:
    """Each must be an integer from `least` to `most`, or one of `words`.

    >>> check_count(most=4, words=(None,), n_components=9)
    Traceback (most recent call last):
    ...
    ValueError: n_components=9: expected None or an integer from 1 to 4.
    """
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
    for name, value in settings.items():
        fine = is_whole(value, least) and (most is None or int(value) <= most)
        _raise_unless(fine, name, value, words, f"an integer {bounds}")


def check_number(*, high: float = np.inf, words: tuple = (), **settings) -> None:
    """Each must be a number from 0 to `high`, or one of `words`."""
    bounds = "of at least 0" if np.isinf(high) else f"from 0 to {high:g}"
    for name, value in settings.items():
        _raise_unless(is_number(value) and 0 <= value <= high, name, value, words, f"a number {bounds}")


def check_positive(*, words: tuple = (), **settings) -> None:
    """Each must be a positive number, or one of `words`."""
    for name, value in settings.items():
        _raise_unless(is_number(value) and value > 0, name, value, words, "a positive number")


def check_share(**settings) -> None:
    """Each must be a number in [0, 1)."""
    for name, value in settings.items():
        fine = is_number(value) and 0 <= value < 1
        _raise_unless(fine, name, value, (), "a number from 0 to 1, without 1 itself")


def check_choice(words: tuple, **settings) -> None:
    """Each must be one of the words."""
    for name, value in settings.items():
        fine = isinstance(value, str) and value in words
        _raise_unless(fine, name, value, (), f"one of {', '.join(map(repr, words))}")


def check_tolerance(tol, max_iter) -> None:
    """A positive tolerance and at least one step."""
    check_positive(tol=tol)
    check_count(max_iter=max_iter)


def check_bounds(bounds) -> None:
    """None, or two positive distances."""
    if bounds is not None and not (
        np.shape(bounds) == (2,) and np.isfinite(bounds).all() and np.min(bounds) > 0
    ):
        raise ValueError(f"bounds={bounds!r}: expected two positive distances, (near, far).")


def _raise_unless(fine: bool, name: str, value, words: tuple, expected: str) -> None:
    is_word = (value is None or isinstance(value, str)) and value in words
    if not (fine or is_word):
        expected = " or ".join([*map(repr, words), expected])
        raise ValueError(f"{name}={value!r}: expected {expected}.")


def refuse_lone_rows(learner, codes: np.ndarray) -> None:
    """Raise if no class has two rows, for learners of what rows of one class have in common."""
    if np.bincount(codes).max() < 2:
        raise ValueError(
            f"{type(learner).__name__} needs a class with at least two rows, but every class of y has only "
            "one; give more rows per class, or check that y holds labels and not identifiers."
        )


def refuse_too_large(X) -> None:
    """Raise if sums of squares of these values might overflow.

    >>> refuse_too_large(np.array([[1e160]]))
    Traceback (most recent call last):
    ValueError: the values of X are too large to square (up to 1e+160); scale the features first.
    """
    largest = max(X.max(), -X.min())
    if largest > np.sqrt(np.finfo(X.dtype).max) / 1e4:
        raise ValueError(
            f"the values of X are too large to square (up to {largest:.3g}); scale the features first."
        )
