"""Threads: a limit for those of BLAS, and workers of our own that share passes over blocks of rows.

BLAS threads synchronise at every product, which can cost many times the work itself while another
process keeps the machine busy; threads that synchronise once per pass hardly notice. Passes over many
rows therefore keep BLAS to one thread and hand blocks of rows to workers, whose kernels release the GIL.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from typing import TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

#: Below this many multiply-adds a product is over before a second thread has woken up, and on a busy machine
#: waiting for that thread costs far more than it gains.
MULTIPLY_ADDS_PER_THREAD = 3e7

#: Features up to which a fit keeps BLAS to one thread. On two idle cores two threads made fits of ITML, LSML,
#: MMC, DMLEig, SCML, GMML and LFDA 1.2 to 9 times as long at 64 to 384 features, 1.1 to 1.8 times at 768.
MOST_FEATURES = 1_000

Fit = TypeVar("Fit", bound=Callable)

#: Workers that a pass may start; None outside of `blas_threads`, where BLAS's own limit applies.
_allowed: ContextVar[int | None] = ContextVar("allowed workers", default=None)
#: Whether even the smallest pass starts all of them.
_always: ContextVar[bool] = ContextVar("workers for every pass", default=False)


@cache
def _controller() -> ThreadpoolController:
    # Enumerating the loaded libraries takes milliseconds: once per process is enough.
    return ThreadpoolController().select(user_api="blas")


class _SingleThread:
    """Limits BLAS to one thread while at least one caller wants that.

    The limit belongs to the process, not to the caller: if each caller saved and restored it alone,
    two that overlap in time could leave it at one for good.
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
def blas_threads(
    multiply_adds: float = 0, *, n_jobs: int | None = None, openmp: bool = False
) -> Iterator[None]:
    """Context in which BLAS uses one thread if each product is small, and at most `n_jobs` threads otherwise.

    While BLAS is kept to one thread because products are small, workers may use the threads that it was
    allowed before. Contexts may be nested, and entered by several threads. Entering one costs as much as a
    small product, so a whole optimisation should run inside a single one.

    Parameters
    ----------
    multiply_adds : float, default=0
        Size of one product (``m * n * k`` for a matrix product), not of the whole fit; infinity where only
        `n_jobs` should limit BLAS.
    n_jobs : int or None, default=None
        Most threads of BLAS and most workers, as in scikit-learn: None sets no limit, -1 means one thread per
        core, -2 one fewer.
    openmp : bool, default=False
        Whether `n_jobs` limits OpenMP as well, for code of other packages. Finding the libraries loaded by
        then takes milliseconds.

    Examples
    --------
    >>> import numpy as np
    >>> with blas_threads(10 * 10 * 10):
    ...     np.eye(10) @ np.ones(10)
    array([1., 1., 1., 1., 1., 1., 1., 1., 1., 1.])
    """
    if n_jobs is not None:
        from joblib import effective_n_jobs

        libraries = ThreadpoolController() if openmp else _controller()
        with libraries.limit(limits=effective_n_jobs(n_jobs)), blas_threads(multiply_adds):
            yield
    elif multiply_adds >= MULTIPLY_ADDS_PER_THREAD or _allowed.get() is not None:
        yield
    else:
        with allowed_workers(_allowed_by_blas()), _SINGLE_THREAD:
            yield


@contextmanager
def allowed_workers(n: int, *, always: bool = False) -> Iterator[None]:
    """Context in which a pass may start n workers, whatever the machine has; with `always` it always does."""
    token, every = _allowed.set(n), _always.set(always)
    try:
        yield
    finally:
        _allowed.reset(token)
        _always.reset(every)


def one_blas_thread(fit: Fit) -> Fit:
    """The method ``fit(self, X, ...)`` inside `blas_threads`, unless X has very many features."""

    @wraps(fit)
    def fit_on_one_thread(self, X, *args, **kwargs):
        shape = getattr(X, "shape", ())
        many = len(shape) == 2 and shape[1] > MOST_FEATURES
        with blas_threads(np.inf if many else 0):
            return fit(self, X, *args, **kwargs)

    return fit_on_one_thread  # type: ignore[return-value]


def _allowed_by_blas() -> int:
    """Threads that both the process and BLAS are allowed: whoever limits BLAS limits workers too."""
    affinity = getattr(os, "sched_getaffinity", None)
    cpus = len(affinity(0)) if affinity else os.cpu_count() or 1
    blas = [lib.num_threads for lib in _controller().lib_controllers if lib.user_api == "blas"]
    return max(1, min([cpus, *blas]))


def worker_count(multiply_adds: float) -> int:
    """How many threads a pass of this size deserves.

    >>> worker_count(1e3)
    1
    """
    if multiply_adds < 2 * MULTIPLY_ADDS_PER_THREAD and not _always.get():
        return 1
    return _allowed.get() or _allowed_by_blas()


def run_striped(task: Callable[[int, range], object], n_blocks: int, workers: int) -> None:
    """Call ``task(worker, blocks)`` once per worker; block b goes to worker b modulo `workers`.

    The split depends on the number of workers only, so that sums kept by each worker come out the same
    in every run.
    """
    workers = max(1, min(workers, n_blocks, _allowed.get() or workers))
    with blas_threads():
        helpers = [_helpers().submit(_help, task, w, range(w, n_blocks, workers)) for w in range(1, workers)]
        try:
            task(0, range(0, n_blocks, workers))
        finally:
            if helpers:
                # No helper may still write into the caller's arrays after this has returned.
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
    # A helper that waited for other helpers could wait for ever, so it runs nested passes alone.
    with allowed_workers(1):
        task(worker, blocks)


@cache
def _helpers() -> ThreadPoolExecutor:
    """Threads that wait for work: starting them for every pass would cost milliseconds each time."""
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1), thread_name_prefix="nearkin")


# A forked process has the pool but not its threads.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.cache_clear)
