"""Calls that are made here and now, or that become a graph for a cluster: the same code writes both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class Eager:
    """Every call is made at once, in this process."""

    def call(self, function: Callable, *arguments) -> Any:
        return function(*arguments)

    def shared(self, value) -> Any:
        """A value that many calls take."""
        return value

    def kept(self, items: Sequence) -> list:
        """Results that later calls will ask for again and again."""
        return list(items)

    def result(self, item) -> Any:
        return item


class OnDask:
    """Calls become tasks of pure functions; a lost worker's are made again elsewhere."""

    def call(self, function: Callable, *arguments) -> Any:
        """Kept results must be arguments of their own: Dask forgets those in a list when the caller does."""
        import dask

        return dask.delayed(function, pure=False)(*arguments)

    def shared(self, value) -> Any:
        import dask

        return dask.delayed(value, pure=False, traverse=False)

    def kept(self, items: Sequence) -> list:
        import dask

        return list(dask.persist(*items))

    def result(self, item) -> Any:
        return item.compute()
