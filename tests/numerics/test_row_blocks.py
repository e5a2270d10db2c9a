import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from nearkin.numerics import near_pairs, row_blocks
from nearkin.numerics.row_blocks import row_block_gradient
from nearkin.numerics.workers import one_blas_thread, run_striped, worker_count


def cubes(G, first, norms):
    """E = sum of D^3 / 3, so that the weights are D^2."""
    D = norms[first : first + len(G), None] + norms - 2 * G
    np.square(D, out=G)
    return float((D**3).sum() / 3)


def test_agrees_with_the_definition(monkeypatch):
    monkeypatch.setattr(near_pairs, "BLOCK_BYTES", 1)
    Z = np.random.RandomState(0).standard_normal((90, 3))
    value, dZ = row_block_gradient(Z, cubes)
    differences = Z[:, None] - Z[None]
    D = (differences**2).sum(axis=2)
    np.testing.assert_allclose(value, (D**3).sum() / 3)
    np.testing.assert_allclose(dZ, 4 * np.einsum("ij,ijc->ic", D**2, differences))


def test_several_workers_give_the_same(monkeypatch):
    Z = np.random.RandomState(0).standard_normal((90, 3))
    alone = row_block_gradient(Z, cubes)
    monkeypatch.setattr(near_pairs, "BLOCK_BYTES", 1)
    monkeypatch.setattr(row_blocks, "worker_count", lambda work: 3)
    together = row_block_gradient(Z, cubes)
    np.testing.assert_allclose(together[0], alone[0])
    np.testing.assert_allclose(together[1], alone[1], rtol=1e-10, atol=1e-10)


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
    with one_blas_thread(), one_blas_thread():
        assert worker_count(1e12) == before
        assert all(lib["num_threads"] == 1 for lib in threadpool_info() if lib["user_api"] == "blas")
    assert worker_count(1e12) == before
