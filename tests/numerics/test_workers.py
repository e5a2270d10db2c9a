import os
import sys

import numpy as np
import pytest

from nearkin.numerics import tall_products, workers
from nearkin.numerics.workers import one_blas_thread, run_parts, run_striped


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


@pytest.mark.parametrize("n", [1, 2, 101])
def test_tall_products_do_not_depend_on_the_workers(monkeypatch, n):
    rng = np.random.RandomState(0)
    X, Y, B = rng.standard_normal((n, 5)), rng.standard_normal((n, 3)), rng.standard_normal((5, 4))
    monkeypatch.setattr(tall_products, "worker_count", lambda _: 2)
    np.testing.assert_allclose(tall_products.tall_product(X, B), X @ B)
    np.testing.assert_allclose(tall_products.tall_inner_product(X, Y), X.T @ Y)


def test_the_pool_is_made_once():
    assert workers._helpers() is workers._helpers()


def test_every_part_is_run_even_by_fewer_workers():
    done = []
    with one_blas_thread():
        run_parts(done.append, 7)
    assert sorted(done) == list(range(7))
