"""Rows that are not in memory: recognised before anything reads or computes them, and handed on.

Estimators know only two things about such rows: that they come in blocks (`in_blocks`), and that `block_work`
deals with them. The work is done by `nearkin.scale`, a room above the estimators that is looked up by name
when the first such rows arrive, so that no estimator depends on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from nearkin._types import MatrixLike

#: What works on rows in blocks: `fit(learner, X, y, **given)` and `answers(model, method, X, out)`.
WORK = "nearkin.scale.work"


def is_lazy(X: MatrixLike) -> bool:
    """Whether X is a Dask collection; Dask is not imported to find out.

    >>> is_lazy([[1.0]])
    False
    """
    return hasattr(X, "__dask_graph__") and type(X).__module__.partition(".")[0].startswith("dask")


def in_blocks(X: MatrixLike) -> bool:
    """Whether the rows of X come in blocks: what `open_rows` opens, and Dask collections.

    Raises for a path, whose rows have to be opened first.

    >>> in_blocks([[1.0]])
    False
    """
    if isinstance(X, str | os.PathLike):
        raise TypeError(f"{os.fspath(X)!r} is a path; open its rows: fit(nearkin.open_rows(path), y).")
    return (hasattr(X, "blocks") and hasattr(X, "block_rows")) or is_lazy(X)


def block_work() -> Any:
    """The module that works on rows in blocks."""
    return import_module(WORK)


def by_blocks(method: Callable) -> Callable:
    """Let a method that takes rows also take rows in blocks: it is called on each, and results are joined.

    For a file the result is an array, for a Dask collection a lazy one.
    """

    @wraps(method)
    def of_rows(self: Any, X: MatrixLike) -> Any:
        return block_work().answers(self, method.__name__, X) if in_blocks(X) else method(self, X)

    return of_rows


def refuse_blocks(X: MatrixLike, who: str) -> None:
    """Raise if X comes in blocks: it would silently be read or computed as a whole, in this process."""
    if not in_blocks(X):
        return
    what = "a Dask collection" if is_lazy(X) else "rows of a file"
    small = "X.compute()" if is_lazy(X) else "X[:]"
    raise TypeError(
        f"{who} was given {what}, which would be pulled whole into this process. Fit it on a sample, "
        "nearkin.scale.fit_sample(learner, X, y), and embed all rows by transform or move of the fitted "
        f"learner, which take rows in blocks. If they fit into memory, give {small}."
    )
