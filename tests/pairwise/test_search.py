import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from tests.pairwise.pair_sets import listed, near, near_pairs

from nearkin.numerics.threads import allowed_workers
from nearkin.pairwise.policy import ListPolicy
from nearkin.pairwise.search import (
    Stretches,
    distances_of,
    near_stretches,
    nearest_rows,
    pairs_within,
    principal_directions,
    row_stripes,
)


@given(n=st.integers(2, 150), e=st.integers(1, 6), seed=st.integers(0, 99), n_groups=st.integers(1, 200))
@settings(max_examples=40, deadline=None)
def test_finds_exactly_the_near_pairs(n, e, seed, n_groups):
    rng = np.random.RandomState(seed)
    Z = rng.standard_normal((n, e))
    limits = rng.uniform(0, 2, n)
    groups = np.sort(rng.randint(n_groups, size=n))
    pairs = near_pairs(Z, limits, groups=groups, max_pairs=n * n)
    assert listed(pairs) == near(Z, limits, groups)


def test_tiles_do_not_change_the_answer():
    rng = np.random.RandomState(0)
    Z = rng.standard_normal((300, 3))
    limits = rng.uniform(0, 1, 300)
    whole = near_pairs(Z, limits, max_pairs=10**6)
    cut = near_pairs(Z, limits, max_pairs=10**6, policy=ListPolicy(tile_rows=37, tile_columns=50))
    for a, b in zip(whole, cut):
        np.testing.assert_array_equal(a, b)


def test_float32_misses_none_far_from_the_origin():
    rng = np.random.RandomState(1)
    Z = (30 + rng.standard_normal((200, 5))).astype(np.float32)
    limits = np.full(200, 2.0)
    found = listed(near_pairs(Z, limits, max_pairs=10**6))
    assert near(Z.astype(np.float64), limits) <= found


@pytest.mark.parametrize("workers", [1, 3])
def test_pairs_within_keeps_the_near_ones_only(workers):
    rng = np.random.RandomState(5)
    Z, limits = rng.standard_normal((80, 3)), rng.uniform(0, 1, 80)
    candidates = near_pairs(Z, limits + 1.0, max_pairs=10**4)
    # So few pairs would be left to one worker.
    with allowed_workers(workers, always=True):
        (indptr, others), distances = pairs_within(Z, candidates, limits)
    owners = np.repeat(np.arange(80), np.diff(indptr))
    assert listed((indptr, others)) == near(Z, limits)
    np.testing.assert_allclose(distances, ((Z[owners] - Z[others]) ** 2).sum(axis=1))


def test_gives_up_beyond_the_budget():
    Z = np.zeros((50, 2))
    assert near_pairs(Z, np.ones(50), max_pairs=1000) is None
    assert near_pairs(Z, np.ones(50), max_pairs=50 * 49 // 2) is not None


@pytest.mark.parametrize("workers", [1, 3])
def test_the_first_rows_that_fit_are_kept(workers):
    rng = np.random.RandomState(4)
    Z, limits, policy = rng.standard_normal((300, 3)), rng.uniform(0, 1, 300), ListPolicy(tile_rows=16)
    whole = indptr, others = near_pairs(Z, limits, max_pairs=10**6, policy=policy)
    cut = Stretches.of(whole, 16)
    for most in (0, others.size // 3, others.size - 1, others.size):
        with allowed_workers(workers, always=True):
            found = near_stretches(Z, limits, most=most, policy=policy)
        assert found.size <= most
        assert (
            found.rows == 300
            if most == others.size
            else found.size + cut.parts[found.rows // 16][2].size > most
        )
        assert found.size == indptr[found.rows]
        for part, same in zip(found.parts, cut.parts):
            for a, b in zip(part, same):
                np.testing.assert_array_equal(a, b)
    for a, b in zip(found.joined(), whole):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 7])
def test_nearest_rows_agree_with_brute_force(dtype, k):
    Z = np.random.RandomState(2).standard_normal((500, 4)).astype(dtype)
    D = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    nearest = nearest_rows(Z, k)
    np.testing.assert_array_equal(nearest, D.argsort(axis=1)[:, :k])
    np.testing.assert_allclose(distances_of(Z, nearest), np.sort(D)[:, :k], rtol=1e-5)


@given(counts=st.lists(st.integers(0, 50), min_size=1, max_size=30), parts=st.integers(1, 5))
@settings(max_examples=50, deadline=None)
def test_stripes_cover_every_row_once(counts, parts):
    stripes = row_stripes(np.concatenate([[0], np.cumsum(counts)]), parts)
    assert [row for a, b in stripes for row in range(a, b)] == list(range(len(counts)))


def test_no_pair_is_farther_apart_in_principal_directions():
    Z = np.random.RandomState(0).standard_normal((150, 40)) * 0.8 ** np.arange(40)
    directions = principal_directions(Z, ListPolicy())
    assert directions.shape[1] < 24
    assert np.all(cdist(Z @ directions, Z @ directions) <= cdist(Z, Z) + 1e-9)
    assert np.linalg.norm(Z @ directions) ** 2 >= 0.9 * np.linalg.norm(Z) ** 2


def test_no_directions_where_all_count_alike():
    Z = np.random.RandomState(0).standard_normal((150, 40))
    assert principal_directions(Z, ListPolicy()) is None
    assert principal_directions(Z, ListPolicy(dimension_share=1.0)) is not None
    assert principal_directions(np.zeros((5, 3)), ListPolicy()) is None
