"""How many BLAS threads a piece of work deserves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache

from threadpoolctl import ThreadpoolController

# Below this many multiply-adds a product ends before a second thread has woken up, and on a
# machine with another busy process waiting for that thread costs far more than it brings.
MULTIPLY_ADDS_PER_THREAD = 3e7


@cache
def _controller() -> ThreadpoolController:
    # Enumerating the loaded libraries takes milliseconds: once per process is enough.
    return ThreadpoolController()


@contextmanager
def _limited(limit: int) -> Iterator[None]:
    with _controller().limit(limits=limit, user_api="blas"):
        yield


def blas_threads(multiply_adds: float):
    """Context in which BLAS uses one thread if each product is small.

    Parameters
    ----------
    multiply_adds : float
        Size of one product (``m * n * k`` for a matrix product), not of the whole fit.

    Examples
    --------
    >>> import numpy as np
    >>> with blas_threads(10 * 10 * 10):
    ...     np.eye(10) @ np.ones(10)
    array([1., 1., 1., 1., 1., 1., 1., 1., 1., 1.])
    """
    if multiply_adds < MULTIPLY_ADDS_PER_THREAD:
        return _limited(1)
    return nullcontext()
