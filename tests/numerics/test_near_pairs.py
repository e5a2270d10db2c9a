import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from nearkin.numerics import near_pairs as module
from nearkin.numerics.near_pairs import (
    list_distances,
    list_gradient,
    mirrored,
    near_pairs,
    nearest_rows,
    row_stripes,
)
from nearkin.numerics.workers import one_blas_thread


def brute_pairs(Z, limits, groups):
    D = cdist(Z, Z, "sqeuclidean")
    near = np.maximum.outer(limits, limits) >= D
    return {(i, j) for i, j in zip(*np.nonzero(near)) if i < j and groups[i] != groups[j]}


def as_set(indptr, others):
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return set(zip(rows.tolist(), others.tolist()))


@given(n=st.integers(2, 150), e=st.integers(1, 6), seed=st.integers(0, 99), n_groups=st.integers(1, 200))
@settings(max_examples=40, deadline=None)
def test_finds_exactly_the_near_pairs(n, e, seed, n_groups):
    rng = np.random.RandomState(seed)
    Z = rng.standard_normal((n, e))
    limits = rng.uniform(0, 2, n)
    groups = np.sort(rng.randint(n_groups, size=n))
    pairs, distances = near_pairs(Z, limits, groups=groups, max_pairs=n * n)
    assert as_set(*pairs) == brute_pairs(Z, limits, groups)
    np.testing.assert_allclose(distances, list_distances(Z, *pairs), atol=1e-12)


def test_blocks_do_not_change_the_answer(monkeypatch):
    rng = np.random.RandomState(0)
    Z = rng.standard_normal((300, 3))
    limits = rng.uniform(0, 1, 300)
    whole, _ = near_pairs(Z, limits, max_pairs=10**6)
    monkeypatch.setattr(module, "TILE_ROWS", 37)
    monkeypatch.setattr(module, "TILE_COLUMNS", 50)
    cut, _ = near_pairs(Z, limits, max_pairs=10**6)
    for a, b in zip(whole, cut):
        np.testing.assert_array_equal(a, b)


def test_float32_misses_none_far_from_the_origin():
    rng = np.random.RandomState(1)
    Z = (30 + rng.standard_normal((200, 5))).astype(np.float32)
    limits = np.full(200, 2.0)
    found = as_set(*near_pairs(Z, limits, max_pairs=10**6)[0])
    assert brute_pairs(Z.astype(np.float64), limits, np.arange(200)) <= found


def test_gives_up_beyond_the_budget():
    Z = np.zeros((50, 2))
    assert near_pairs(Z, np.ones(50), max_pairs=1000) is None
    assert near_pairs(Z, np.ones(50), max_pairs=50 * 49 // 2) is not None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nearest_rows_agree_with_brute_force(dtype):
    Z = np.random.RandomState(2).standard_normal((500, 4)).astype(dtype)
    D = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    distances, nearest = nearest_rows(Z)
    np.testing.assert_array_equal(nearest, D.argmin(axis=1))
    np.testing.assert_allclose(distances, D.min(axis=1), rtol=1e-3, atol=1e-5)


def test_list_gradient_is_the_gradient_of_the_weighted_distances():
    rng = np.random.RandomState(3)
    Z = rng.standard_normal((40, 3))
    (indptr, others), _ = near_pairs(Z, np.full(40, 1.5), max_pairs=10**4)
    weights = rng.standard_normal(others.size)
    gradient = list_gradient(Z, indptr, others, weights)
    step = 1e-6 * rng.standard_normal(Z.shape)
    change = (
        weights @ (list_distances(Z + step, indptr, others) - list_distances(Z - step, indptr, others)) / 2
    )
    np.testing.assert_allclose(np.sum(gradient * step), change, rtol=1e-6)


def test_mirrored_lists_are_the_same_from_one_worker_or_three(monkeypatch):
    rng = np.random.RandomState(4)
    (indptr, others), _ = near_pairs(rng.standard_normal((90, 2)), np.full(90, 0.5), max_pairs=10**4)
    weights = rng.standard_normal(others.size) * (rng.uniform(size=others.size) < 0.7)
    full = np.zeros((90, 90))
    full[np.repeat(np.arange(90), np.diff(indptr)), others] = weights
    for workers in (1, 3):
        monkeypatch.setattr(module, "pair_workers", lambda n_pairs, workers=workers: workers)
        with one_blas_thread():
            starts, partners, both_ways = mirrored(indptr, others, weights)
        found = np.zeros((90, 90))
        found[np.repeat(np.arange(90), np.diff(starts)), partners] = both_ways
        np.testing.assert_array_equal(found, full + full.T)
        assert partners.size == 2 * np.count_nonzero(weights)


@given(counts=st.lists(st.integers(0, 50), min_size=1, max_size=30), parts=st.integers(1, 5))
@settings(max_examples=50, deadline=None)
def test_stripes_cover_every_row_once(counts, parts):
    stripes = row_stripes(np.concatenate([[0], np.cumsum(counts)]), parts)
    assert [row for a, b in stripes for row in range(a, b)] == list(range(len(counts)))
