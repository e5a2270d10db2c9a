import pytest

from nearkin.numerics.thread_limit import limited_blas_threads
from nearkin.numerics.threads import _controller


def blas_threads_now() -> set[int]:
    """Threads of the libraries that were there when the limits were first asked for."""
    return {library["num_threads"] for library in _controller().info()}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_limit_holds_inside_only(n_jobs):
    before = blas_threads_now() or pytest.skip("no BLAS whose threads can be limited")
    with limited_blas_threads(n_jobs):
        # A library may know a limit of its own that is lower.
        assert max(blas_threads_now()) == n_jobs
    assert blas_threads_now() == before


def test_none_changes_nothing():
    before = blas_threads_now()
    with limited_blas_threads(None):
        assert blas_threads_now() == before


def test_zero_is_refused():
    with pytest.raises(ValueError, match="n_jobs == 0"):
        limited_blas_threads(0)
