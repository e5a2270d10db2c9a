"""Checks of the settings that closed forms have in common."""

from __future__ import annotations

from numbers import Integral, Real


def check_n_components(value, largest: int | None, *, words: tuple = (None,)) -> None:
    """Raise unless `value` is one of `words` or an integer from 1 to `largest`.

    >>> check_n_components(9, 4)
    Traceback (most recent call last):
    ...
    ValueError: n_components=9: expected None or an integer from 1 to 4.
    """
    if value is None or isinstance(value, str):
        fine = value in words
    else:
        fine = _whole(value) and value >= 1 and (largest is None or value <= largest)
    if not fine:
        named = " or ".join(repr(word) for word in words)
        upto = "of at least 1" if largest is None else f"from 1 to {largest}"
        raise ValueError(f"n_components={value!r}: expected {named} or an integer {upto}.")


def check_count(name: str, value) -> None:
    """Raise unless `value` is an integer of at least 1."""
    if not (_whole(value) and value >= 1):
        raise ValueError(f"{name}={value!r}: expected an integer of at least 1.")


def check_number(name: str, value, low: float, high: float) -> None:
    """Raise unless `value` is a number from `low` to `high`."""
    if not (isinstance(value, Real) and not isinstance(value, bool) and low <= float(value) <= high):
        raise ValueError(f"{name}={value!r}: expected a number from {low:g} to {high:g}.")


def check_word(name: str, value, words: tuple[str, ...]) -> None:
    """Raise unless `value` is one of `words`."""
    if not (isinstance(value, str) and value in words):
        raise ValueError(f"{name}={value!r}: expected one of {list(words)}.")


def _whole(value) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
