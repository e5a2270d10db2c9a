"""A few threads over blocks of rows; each runs one-threaded BLAS and kernels that release the GIL."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from nearkin.numerics.threads import MULTIPLY_ADDS_PER_THREAD, _controller, blas_threads


def worker_count(multiply_adds: float) -> int:
    """How many threads a pass of this size deserves.

    Never more than the process may use, nor than BLAS is allowed: whoever limits BLAS
    (an environment variable, threadpoolctl, joblib) limits these workers too.

    >>> worker_count(1e3)
    1
    """
    if multiply_adds < 2 * MULTIPLY_ADDS_PER_THREAD:
        return 1
    affinity = getattr(os, "sched_getaffinity", None)
    cpus = len(affinity(0)) if affinity else os.cpu_count() or 1
    blas = [lib.num_threads for lib in _controller().lib_controllers if lib.user_api == "blas"]
    return max(1, min([cpus, *blas]))


def run_striped(task: Callable[[int, range], None], n_blocks: int, workers: int) -> None:
    """Call ``task(worker, blocks)`` once per worker; block b goes to worker b modulo `workers`.

    The split depends on the number of workers only, so sums that each worker keeps for itself come
    out the same from run to run.
    """
    workers = max(1, min(workers, n_blocks))
    if workers == 1:
        task(0, range(n_blocks))
        return
    with blas_threads(0), ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda w: task(w, range(w, n_blocks, workers)), range(workers)))
