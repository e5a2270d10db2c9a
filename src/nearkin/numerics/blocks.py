"""Blocks of rows that are processed together, so that temporary arrays stay small."""

from __future__ import annotations

from collections.abc import Iterator

#: Entries of a temporary array: 16 MB in float64, large enough to hide the overhead of Python.
ENTRIES_AT_ONCE = 2**21


def blocks(n_rows: int, entries_per_row: int, at_once: int = ENTRIES_AT_ONCE) -> Iterator[slice]:
    """Slices that cover the rows in order, each with about `at_once` entries.

    >>> list(blocks(5, 100, at_once=250))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, at_once // max(1, entries_per_row))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))
