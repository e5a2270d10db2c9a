import numpy as np
import pytest

from nearkin.numerics import mirrored_pairs as module
from nearkin.numerics.mirrored_pairs import MirroredPairs
from nearkin.numerics.near_pairs import list_distances, near_pairs
from nearkin.numerics.workers import one_blas_thread


@pytest.fixture(params=[1, 3], ids=["one worker", "three workers"])
def listed(request, monkeypatch):
    """Rows, their near pairs, and the pairs mirrored by so many workers."""
    monkeypatch.setattr(module, "pair_workers", lambda n_pairs: request.param)
    Z = np.random.RandomState(3).standard_normal((90, 3))
    pairs = near_pairs(Z, np.full(90, 1.5), max_pairs=10**4)[0]
    with one_blas_thread():
        yield Z, pairs, MirroredPairs(pairs)


def as_matrix(starts, columns, values):
    full = np.zeros((90, 90))
    full[np.repeat(np.arange(90), np.diff(starts)), columns] = values
    return full


def test_every_pair_stands_in_the_rows_of_both_partners(listed):
    _, (indptr, others), mirrored = listed
    values = np.random.RandomState(0).uniform(1, 2, others.size)
    once = as_matrix(indptr, others, values)
    twice = as_matrix(mirrored.starts, mirrored.partners, mirrored.spread(values))
    np.testing.assert_array_equal(twice, once + once.T)
    assert mirrored.partners.size == 2 * others.size
    for i in range(90):
        assert np.all(np.diff(mirrored.partners[mirrored.starts[i] : mirrored.starts[i + 1]]) > 0)


def test_joined_weights_are_the_sum_of_both_ways(listed):
    _, _, mirrored = listed
    weights = np.random.RandomState(1).standard_normal(mirrored.partners.size)
    before = as_matrix(mirrored.starts, mirrored.partners, weights)
    mirrored.join(weights)
    after = as_matrix(mirrored.starts, mirrored.partners, weights)
    np.testing.assert_array_equal(after, before + before.T)


def test_parts_cover_all_rows_and_add_up(listed):
    _, _, mirrored = listed
    seen = []
    assert mirrored.row_parts(lambda first, stop: seen.extend(range(first, stop)) or stop - first) == 90
    assert sorted(seen) == list(range(90))


def test_the_gradient_is_that_of_the_weighted_distances(listed):
    Z, (indptr, others), mirrored = listed
    rng = np.random.RandomState(2)
    weights = rng.standard_normal(others.size) * (rng.uniform(size=others.size) < 0.7)
    gradient = mirrored.gradient(Z, mirrored.spread(weights))
    step = 1e-6 * rng.standard_normal(Z.shape)
    change = (
        weights @ (list_distances(Z + step, indptr, others) - list_distances(Z - step, indptr, others)) / 2
    )
    np.testing.assert_allclose(np.sum(gradient * step), change, rtol=1e-6)


def test_a_list_without_pairs_gives_a_gradient_of_zero():
    Z = np.arange(4.0)[:, None]
    mirrored = MirroredPairs((np.zeros(5, dtype=np.int64), np.empty(0, dtype=np.int32)))
    np.testing.assert_array_equal(mirrored.gradient(Z, mirrored.spread(np.empty(0))), np.zeros((4, 1)))
