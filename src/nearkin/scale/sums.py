"""Summing the results of blocks, in an order that depends only on their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Part = TypeVar("Part")


def added_up(parts: Iterable[Part], add: Callable[[Part, Part], Part]) -> Part:
    """The sum of all parts, added pairwise as a tree: neighbours first, then sums of two, of four ...

    Parts from an iterator are released as soon as they are added, so that only logarithmically many are held
    at a time. Rounding grows logarithmically too, and as the tree depends only on the number of parts, the
    same parts always give the same bits.

    >>> added_up(iter("abcde"), lambda a, b: f"({a}{b})")
    '(((ab)(cd))e)'
    """
    waiting: list[tuple[int, Part]] = []
    for part in parts:
        size = 1
        while waiting and waiting[-1][0] == size:
            part = add(waiting.pop()[1], part)
            size *= 2
        waiting.append((size, part))
    if not waiting:
        raise ValueError("there are no rows.")
    total = waiting.pop()[1]
    while waiting:
        total = add(waiting.pop()[1], total)
    return total
