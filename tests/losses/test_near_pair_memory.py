import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.losses.pair_sets import listed, near

from nearkin.losses.near_pair_memory import NearPairMemory


@given(seed=st.integers(0, 200), size=st.sampled_from([0.001, 0.01, 0.1, 0.5]))
@settings(max_examples=60, deadline=None)
def test_hardly_any_near_pair_is_missing_and_none_after_forgetting(seed, size):
    rng = np.random.RandomState(seed)
    Z = rng.standard_normal((80, 3))
    memory = NearPairMemory()
    for _ in range(6):
        limits = rng.uniform(0.4, 0.6, 80)
        true = near(Z, limits)
        missing = true - listed(memory.within(Z, limits, 10_000))
        assert len(missing) <= 0.02 * len(true) + 1
        Z = Z @ (np.eye(3) + size * rng.standard_normal((3, 3)))
    memory.forget()
    assert near(Z, limits) <= listed(memory.within(Z, limits, 10_000))


def test_small_steps_need_few_searches(searches):
    rng = np.random.RandomState(0)
    Z, limits, memory = rng.standard_normal((100, 4)), np.full(100, 0.5), NearPairMemory()
    for _ in range(12):
        memory.within(Z, limits, 10_000)
        Z = Z @ (np.eye(4) + 0.001 * rng.standard_normal((4, 4)))
    # The first has no step to judge by, the second looks some steps ahead.
    assert len(searches) <= 4


def test_growing_alone_needs_no_new_search(searches):
    Z, limits = np.random.RandomState(0).standard_normal((100, 4)), np.full(100, 0.5)
    memory = NearPairMemory()
    memory.within(Z, limits, 10_000)
    memory.within(1.5 * Z, limits, 10_000)
    assert len(searches) == 1


def test_large_steps_are_searched_anew(searches):
    rng = np.random.RandomState(0)
    Z, limits, memory = rng.standard_normal((100, 4)), np.full(100, 0.5), NearPairMemory()
    memory.within(Z, limits, 10_000)
    memory.within(0.5 * Z, limits, 10_000)
    assert len(searches) == 2


def test_too_many_pairs_are_told_and_forgotten():
    Z, memory = np.zeros((50, 2)), NearPairMemory()
    assert memory.within(Z, np.ones(50), 100) is None
    assert memory.within(Z, np.ones(50), 50 * 49 // 2) is not None
