"""How many BLAS threads a piece of work deserves."""

from __future__ import annotations

import threading
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
    return ThreadpoolController().select(user_api="blas")


class _SingleThread:
    """Limits BLAS to one thread while anybody wants that.

    The limit belongs to the process, not to the caller: were each caller to save and restore it
    alone, two that overlap in time could leave it at one for good.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                self._limiter = _controller().limit(limits=1)
            self._users += 1

    def __exit__(self, *_) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._limiter.restore_original_limits()


_SINGLE_THREAD = _SingleThread()


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """Context in which BLAS uses one thread; may be nested and entered by several threads."""
    with _SINGLE_THREAD:
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
        return single_blas_thread()
    return nullcontext()
