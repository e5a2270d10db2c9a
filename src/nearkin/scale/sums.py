"""Adding up what blocks give, in an order that depends on nothing but their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Part = TypeVar("Part")


def added_up(parts: Iterable[Part], add: Callable[[Part, Part], Part]) -> Part:
    """All parts added pairwise, as in a tree: neighbours first, then sums of two, of four ...

    Parts that are made as they are asked for are dropped as soon as they are added: only as many are held as
    the logarithm of their number. Rounding grows like that logarithm too, and since the tree depends on the
    number of parts alone, whoever adds the same parts gets the same bits.

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
