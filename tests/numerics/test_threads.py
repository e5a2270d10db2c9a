"""Limits on BLAS threads come and go together; workers share passes."""

from __future__ import annotations

import os
import re
import sys
import threading
from inspect import signature

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from nearkin.numerics.threads import (
    _controller,
    _helpers,
    blas_threads,
    one_blas_thread,
    run_parts,
    run_striped,
    worker_count,
)


def counts():
    return [library.num_threads for library in _controller().lib_controllers]


def test_small_products_use_one_thread_and_large_ones_what_is_allowed():
    before = counts()
    with blas_threads(10):
        assert set(counts()) <= {1}
    with blas_threads(1e12):
        assert counts() == before
    assert counts() == before


def test_fits_of_few_features_use_one_thread():
    class Counting:
        @one_blas_thread
        def fit(self, X, y=None):
            return counts()

    assert set(Counting().fit(np.zeros((2, 3)), y=None)) <= {1}
    assert set(Counting().fit([[0.0, 1.0]])) <= {1}
    assert Counting().fit(np.zeros((2, 2_000))) == counts()
    assert list(signature(Counting.fit).parameters) == ["self", "X", "y"]  # metadata routing reads them


def test_overlapping_users_restore_the_limit():
    """Entered by A, then B; left by A, then B: a plain save and restore would leave one thread."""
    before = counts()
    a_entered, b_entered, a_left = (threading.Event() for _ in range(3))

    def first():
        with blas_threads():
            a_entered.set()
            b_entered.wait(10)
        a_left.set()

    def second():
        a_entered.wait(10)
        with blas_threads():
            b_entered.set()
            a_left.wait(10)

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert counts() == before


def test_every_block_is_done_once():
    done = []
    run_striped(lambda worker, blocks: done.extend(blocks), 10, 3)
    assert sorted(done) == list(range(10))


def test_workers_keep_to_the_limits_of_blas():
    assert worker_count(10.0) == 1
    with threadpool_limits(1, user_api="blas"):
        assert worker_count(1e12) == 1


def test_workers_take_over_the_threads_of_blas():
    before = worker_count(1e12)
    with blas_threads(), blas_threads():
        assert worker_count(1e12) == before
        # Those of NumPy and SciPy; FAISS and others bring libraries of their own.
        used = [lib for lib in threadpool_info() if re.search(r"(num|sci)py", lib["filepath"])]
        assert all(lib["num_threads"] == 1 for lib in used)
    assert worker_count(1e12) == before


def test_errors_of_helpers_are_raised_after_everybody_has_ended():
    done = []

    def work(worker, blocks):
        if worker == 1:
            raise ZeroDivisionError
        done.extend(blocks)

    with pytest.raises(ZeroDivisionError):
        run_striped(work, 6, 2)
    assert done == [0, 2, 4]


def test_helpers_that_need_helpers_do_the_work_alone():
    done = []
    run_striped(lambda w, _: run_striped(lambda v, blocks: done.append((w, v)), 4, 4), 3, 3)
    assert all((w, 0) in done for w in range(3))
    assert not any(w > 0 and v > 0 for w, v in done)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="forking with threads is being given up")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_gets_helpers_of_its_own():
    run_striped(lambda w, blocks: None, 4, 2)
    child = os.fork()
    if child == 0:
        total = []
        run_striped(lambda w, blocks: total.append(w), 4, 2)
        os._exit(0 if sorted(total) == [0, 1] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_pool_is_made_once():
    assert _helpers() is _helpers()


def test_every_part_is_run_even_by_fewer_workers():
    done = []
    with blas_threads():
        run_parts(done.append, 7)
    assert sorted(done) == list(range(7))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_limit_asked_for_holds_inside_only(n_jobs):
    before = counts() or pytest.skip("no BLAS whose threads can be limited")
    with blas_threads(np.inf, n_jobs=n_jobs):
        # A library may know a limit of its own that is lower.
        assert max(counts()) == n_jobs
        assert worker_count(1e12) <= n_jobs
    assert counts() == before
    with blas_threads(np.inf, n_jobs=None):
        assert counts() == before
    with pytest.raises(ValueError, match="n_jobs == 0"), blas_threads(np.inf, n_jobs=0):
        pass


def test_a_limit_may_hold_for_openmp_too():
    before = threadpool_info()
    with blas_threads(n_jobs=1, openmp=True):
        assert {library["num_threads"] for library in threadpool_info()} <= {1}
        assert worker_count(1e12) == 1
    assert threadpool_info() == before
