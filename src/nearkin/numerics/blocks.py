"""Stretches of rows that are worked on together, so that what is made on the way stays small."""

from __future__ import annotations

from collections.abc import Iterator

#: Entries of an array made on the way: 16 MB in float64, beyond any overhead of Python and within any memory.
ENTRIES_AT_ONCE = 2**21


def blocks(n_rows: int, entries_per_row: int, at_once: int = ENTRIES_AT_ONCE) -> Iterator[slice]:
    """Slices that cover the rows in turn, each of as many as have `at_once` entries together.

    >>> list(blocks(5, 100, at_once=250))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, at_once // max(1, entries_per_row))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))
