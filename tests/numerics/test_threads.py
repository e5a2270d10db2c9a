"""Limits on BLAS threads come and go together."""

from __future__ import annotations

import threading

from nearkin.numerics.threads import _controller, blas_threads, single_blas_thread


def counts():
    return [library.num_threads for library in _controller().lib_controllers]


def test_small_products_use_one_thread_and_large_ones_what_is_allowed():
    before = counts()
    with blas_threads(10):
        assert set(counts()) <= {1}
    with blas_threads(1e12):
        assert counts() == before
    assert counts() == before


def test_overlapping_users_restore_the_limit():
    """Entered by A, then B; left by A, then B: a plain save and restore would leave one thread."""
    before = counts()
    a_entered, b_entered, a_left = (threading.Event() for _ in range(3))

    def first():
        with single_blas_thread():
            a_entered.set()
            b_entered.wait(10)
        a_left.set()

    def second():
        a_entered.wait(10)
        with single_blas_thread():
            b_entered.set()
            a_left.wait(10)

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert counts() == before
