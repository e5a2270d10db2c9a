"""A number of threads that the user asked for."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from joblib import effective_n_jobs

from nearkin.numerics.threads import _controller


def limited_blas_threads(n_jobs: int | None) -> AbstractContextManager:
    """Context in which BLAS, and what takes its number of threads from there, uses `n_jobs` threads.

    Parameters
    ----------
    n_jobs : int or None
        As in scikit-learn: None leaves things as they are, -1 is one thread per core, -2 one fewer.
    """
    if n_jobs is None:
        return nullcontext()
    return _controller().limit(limits=effective_n_jobs(n_jobs))
