import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pairwise.pair_sets import listed, near, near_pairs

from nearkin.numerics.threads import allowed_workers
from nearkin.pairwise.lists import MirroredPairs, PairMemory
from nearkin.pairwise.policy import ListPolicy
from nearkin.pairwise.search import list_distances

GROUPS = np.repeat(np.arange(4), 30)


@given(seed=st.integers(0, 200), size=st.sampled_from([0.001, 0.01, 0.1, 0.5]))
@settings(max_examples=60, deadline=None)
def test_hardly_any_impostor_is_missing_and_none_after_forgetting(seed, size):
    rng = np.random.RandomState(seed)
    Z, memory = rng.standard_normal((120, 4)), PairMemory(GROUPS)
    limits = rng.uniform(0.5, 0.6, 120)
    for _ in range(8):
        true = near(Z, limits, GROUPS)
        pairs, distances = memory.within(Z, limits, 10_000)
        assert len(true - listed(pairs)) <= 0.03 * len(true) + 2
        owners = np.repeat(np.arange(120), np.diff(pairs[0]))
        np.testing.assert_allclose(distances, ((Z[owners] - Z[pairs[1]]) ** 2).sum(axis=1))
        Z = Z @ (np.eye(4) + size * rng.standard_normal((4, 4)))
    memory.forget()
    assert near(Z, limits, GROUPS) <= listed(memory.within(Z, limits, 10_000)[0])


def test_small_steps_need_few_searches():
    rng = np.random.RandomState(0)
    Z, limits, memory = rng.standard_normal((120, 4)), np.full(120, 0.5), PairMemory(GROUPS)
    for _ in range(20):
        memory.within(Z, limits, 10_000)
        Z = Z @ (np.eye(4) + 0.002 * rng.standard_normal((4, 4)))
    # The first knows of no step, the second looks ahead.
    assert 2 <= memory.searches <= 7


def test_large_steps_are_searched_anew():
    rng = np.random.RandomState(0)
    Z, limits, memory = rng.standard_normal((120, 4)), np.full(120, 0.5), PairMemory(GROUPS)
    for _ in range(4):
        memory.within(Z, limits, 10_000)
        Z = 0.7 * Z
    assert memory.searches == 4


def test_too_many_pairs_are_told():
    Z, memory = np.zeros((120, 2)), PairMemory(GROUPS)
    assert memory.within(Z, np.ones(120), 100) is None
    assert memory.within(Z, np.ones(120), 120 * 119 // 2) is not None


@pytest.mark.parametrize("scales", [np.ones(40), 0.8 ** np.arange(40)], ids=["all", "principal"])
def test_what_is_too_long_for_a_list_is_not_lost(scales):
    Z = np.random.RandomState(0).standard_normal((150, 40)) * scales
    limits, memory = np.full(150, scales @ scales), PairMemory(most_found=10**4)
    assert memory.within(Z, limits, len(near(Z, limits)) - 1) is None
    assert (memory.directions is None) == (scales[-1] == 1)
    assert memory.overflow.rows == 150
    assert listed(memory.overflow.joined()) == near(Z, limits)
    assert memory.inside == memory.overflow.size
    assert memory.within(Z, limits, 10**4) is not None
    assert memory.overflow is None


def test_no_pair_at_all_is_a_list_too():
    Z, memory = 100.0 * np.arange(120)[:, None], PairMemory(GROUPS)
    for _ in range(3):
        pairs, distances = memory.within(Z, np.ones(120), 1_000)
        assert len(distances) == 0 == len(pairs[1])


def test_list_grown_too_long_is_made_anew():
    Z, memory = (
        np.random.RandomState(0).standard_normal((120, 4)),
        PairMemory(policy=ListPolicy(listed_per_near=2)),
    )
    limits = np.full(120, 2.0)
    for step in range(4):
        pairs, _ = memory.within((1 + 1e-4 * step) * Z, limits, 10_000)
    # Hardly a move, but now only the nearest count.
    before = memory.searches
    fewer, _ = memory.within(Z, limits / 8, 10_000)
    assert memory.searches == before + 1
    assert len(fewer[1]) < len(pairs[1]) / 3


def test_margin_that_brings_too_many_pairs_is_not_taken():
    Z, limits = np.random.RandomState(0).standard_normal((120, 4)), np.full(120, 2.0)
    for per_near, kept in ((8.0, True), (1.0, False)):
        memory = PairMemory(policy=ListPolicy(listed_per_near=per_near))
        for step in range(3):
            memory.within((1 + 1e-3 * step) * Z, limits, 10_000)
        assert (memory.margin > 0) == kept


def test_a_list_knows_its_age_and_forgetting_ends_it():
    Z, memory = np.random.RandomState(0).standard_normal((120, 4)), PairMemory()
    limits = np.full(120, 0.5)
    memory.within(Z, limits, 10_000)
    assert memory.age == 0
    for step in range(3):
        memory.within((1 + 1e-3 * step) * Z, limits, 10_000)
    memory.within(Z, limits, 10_000)
    assert memory.age > 0
    memory.forget()
    # Nothing is left of what came before.
    assert vars(memory).keys() == vars(PairMemory()).keys()
    memory.within(Z, limits, 10_000)
    assert memory.age == 0


def test_no_attribute_appears_later():
    Z, memory = np.random.RandomState(0).standard_normal((120, 40)), PairMemory()
    born = set(vars(memory))
    for _ in range(3):
        memory.within(Z, np.full(120, 0.5), 10_000)
    assert set(vars(memory)) == born


def test_a_long_list_does_not_hide_what_came_in():
    # A list far longer than what is near: pairs that come in must be counted against those that are near.
    rng = np.random.RandomState(0)
    Z, limits, memory = rng.standard_normal((120, 4)), np.full(120, 0.3), PairMemory()
    for _ in range(25):
        pairs, _ = memory.within(Z, limits, 10_000)
        true = near(Z, limits)
        assert len(true - listed(pairs)) <= 0.05 * len(true) + 1
        Z = 0.98 * Z


def test_rows_that_drift_apart_need_few_searches():
    # Every pair moves a tenth of its distance a step, but none comes in.
    Z, limits, memory = np.random.RandomState(0).standard_normal((120, 4)), np.full(120, 1.5), PairMemory()
    for _ in range(6):
        pairs, _ = memory.within(Z, limits, 10_000)
        assert near(Z, limits) <= listed(pairs)
        Z = 1.1 * Z
    assert memory.searches <= 4


def test_search_in_principal_dimensions_finds_the_same_pairs():
    rng = np.random.RandomState(0)
    Z = rng.standard_normal((150, 40)) * 0.8 ** np.arange(40)
    limits, memory = rng.uniform(1.0, 2.0, 150), PairMemory()
    (indptr, others), distances = memory.within(Z, limits, 20_000)
    assert memory.directions.shape[1] < 40
    assert listed((indptr, others)) == near(Z, limits)
    owners = np.repeat(np.arange(150), np.diff(indptr))
    np.testing.assert_allclose(distances, ((Z[owners] - Z[others]) ** 2).sum(axis=1))


def test_principal_dimensions_that_tell_too_little_apart_are_given_up():
    rng = np.random.RandomState(0)
    Z = 2.0 * rng.standard_normal((150, 40))
    # In the leading dimensions the rows fall into ten-fold copies, in the others they are far apart.
    Z[:, :8] = 30.0 * np.repeat(rng.standard_normal((15, 8)), 10, axis=0)
    memory, limits = PairMemory(), np.full(150, 5.0)
    assert near(Z, limits) == listed(memory.within(Z, limits, 300)[0])
    assert memory.directions is None


def test_distances_are_exact_far_from_the_origin():
    Z = (1000 + np.random.RandomState(0).standard_normal((60, 3))).astype(np.float32)
    (indptr, others), distances = PairMemory().within(Z, np.full(60, 4.0, dtype=np.float32), 10_000)
    owners = np.repeat(np.arange(60), np.diff(indptr))
    assert np.abs(((Z[owners] - Z[others]) ** 2).sum(axis=1) - distances).max() < 1e-5


@pytest.fixture(params=[1, 3], ids=["one worker", "three workers"])
def mirrored_list(request):
    """Rows, their near pairs, and the pairs mirrored by so many workers."""
    Z = np.random.RandomState(3).standard_normal((90, 3))
    pairs = near_pairs(Z, np.full(90, 1.5), max_pairs=10**4)
    with allowed_workers(request.param, always=True):
        yield Z, pairs, MirroredPairs(pairs)


def as_matrix(starts, columns, values):
    full = np.zeros((90, 90))
    full[np.repeat(np.arange(90), np.diff(starts)), columns] = values
    return full


def test_every_pair_stands_in_the_rows_of_both_partners(mirrored_list):
    _, (indptr, others), mirrored = mirrored_list
    values = np.random.RandomState(0).uniform(1, 2, others.size)
    once = as_matrix(indptr, others, values)
    twice = as_matrix(mirrored.starts, mirrored.partners, mirrored.spread(values))
    np.testing.assert_array_equal(twice, once + once.T)
    assert mirrored.partners.size == 2 * others.size
    for i in range(90):
        assert np.all(np.diff(mirrored.partners[mirrored.starts[i] : mirrored.starts[i + 1]]) > 0)


def test_joined_weights_are_the_sum_of_both_ways(mirrored_list):
    _, _, mirrored = mirrored_list
    weights = np.random.RandomState(1).standard_normal(mirrored.partners.size)
    before = as_matrix(mirrored.starts, mirrored.partners, weights)
    mirrored.join(weights)
    after = as_matrix(mirrored.starts, mirrored.partners, weights)
    np.testing.assert_array_equal(after, before + before.T)


def test_parts_cover_all_rows_and_add_up(mirrored_list):
    _, _, mirrored = mirrored_list
    seen = []
    assert mirrored.row_parts(lambda first, stop: seen.extend(range(first, stop)) or stop - first) == 90
    assert sorted(seen) == list(range(90))


def test_the_gradient_is_that_of_the_weighted_distances(mirrored_list):
    Z, (indptr, others), mirrored = mirrored_list
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
