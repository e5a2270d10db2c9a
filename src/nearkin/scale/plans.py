"""Calls that run immediately, or become a task graph for a cluster, so that the same code does both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


class Eager:
    """Runs every call immediately, in this process."""

    def call(self, function: Callable, *arguments) -> Any:
        return function(*arguments)

    def shared(self, value) -> Any:
        """A value that many calls use."""
        return value

    def kept(self, items: Sequence) -> list:
        """Results that later calls use repeatedly."""
        return list(items)

    def result(self, item) -> Any:
        return item


class OnDask:
    """Makes every call a task of a pure function; tasks of a lost worker run again elsewhere."""

    def call(self, function: Callable, *arguments) -> Any:
        """Kept results must be separate arguments: Dask would release those inside a list too early."""
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
