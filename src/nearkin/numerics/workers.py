"""A few threads over blocks of rows; each runs one-threaded BLAS and kernels that release the GIL.

Threads of BLAS itself wait for each other at every product, which on a machine with another busy
process costs many times the work; threads that meet once per pass do not mind.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from nearkin.numerics.threads import MULTIPLY_ADDS_PER_THREAD, _controller, blas_threads

_allowed: ContextVar[int | None] = ContextVar("allowed workers", default=None)


def _allowed_now() -> int:
    """Threads that the process may use and BLAS is allowed: whoever limits BLAS limits workers too."""
    affinity = getattr(os, "sched_getaffinity", None)
    cpus = len(affinity(0)) if affinity else os.cpu_count() or 1
    blas = [lib.num_threads for lib in _controller().lib_controllers if lib.user_api == "blas"]
    return max(1, min([cpus, *blas]))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """BLAS keeps to one thread; workers started inside take the threads that it was allowed before.

    Setting threads costs as much as a small product, so a whole optimisation should run inside one.
    """
    if _allowed.get() is not None:
        yield
        return
    token = _allowed.set(_allowed_now())
    try:
        with blas_threads(0):
            yield
    finally:
        _allowed.reset(token)


def worker_count(multiply_adds: float) -> int:
    """How many threads a pass of this size deserves.

    >>> worker_count(1e3)
    1
    """
    if multiply_adds < 2 * MULTIPLY_ADDS_PER_THREAD:
        return 1
    allowed = _allowed.get()
    return _allowed_now() if allowed is None else allowed


def run_striped(task: Callable[[int, range], object], n_blocks: int, workers: int) -> None:
    """Call ``task(worker, blocks)`` once per worker; block b goes to worker b modulo `workers`.

    The split depends on the number of workers only, so sums that each worker keeps for itself come
    out the same from run to run.
    """
    workers = max(1, min(workers, n_blocks, _allowed.get() or workers))
    with one_blas_thread():
        helpers = [_helpers().submit(_help, task, w, range(w, n_blocks, workers)) for w in range(1, workers)]
        try:
            task(0, range(0, n_blocks, workers))
        finally:
            if helpers:
                # Nobody may go on writing into the caller's arrays after this has returned.
                wait(helpers)
        for helper in helpers:
            helper.result()


def run_parts(task: Callable[[int], object], n_parts: int) -> None:
    """Call ``task(part)`` for every part of a pass that was split into one per worker."""

    def work(_, parts) -> None:
        for part in parts:
            task(part)

    run_striped(work, n_parts, n_parts)


def _help(task, worker: int, blocks: range) -> None:
    # A helper that waited for other helpers could wait for ever: what it starts, it does alone.
    token = _allowed.set(1)
    try:
        task(worker, blocks)
    finally:
        _allowed.reset(token)


@cache
def _helpers() -> ThreadPoolExecutor:
    """Threads that wait for work: to start one for every pass would cost milliseconds each time."""
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1), thread_name_prefix="nearkin")


# A forked process has the pool but not its threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.cache_clear)
