import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.losses.pair_sets import listed, near

from nearkin.losses.impostor_memory import ImpostorMemory

GROUPS = np.repeat(np.arange(4), 30)


@given(seed=st.integers(0, 200), size=st.sampled_from([0.001, 0.01, 0.1, 0.5]))
@settings(max_examples=60, deadline=None)
def test_hardly_any_impostor_is_missing_and_none_after_forgetting(seed, size):
    rng = np.random.RandomState(seed)
    Z, memory = rng.standard_normal((120, 4)), ImpostorMemory(GROUPS)
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


def test_small_steps_need_few_searches(searches):
    rng = np.random.RandomState(0)
    Z, limits, memory = rng.standard_normal((120, 4)), np.full(120, 0.5), ImpostorMemory(GROUPS)
    for _ in range(20):
        memory.within(Z, limits, 10_000)
        Z = Z @ (np.eye(4) + 0.002 * rng.standard_normal((4, 4)))
    # The first knows of no step, the second looks ahead.
    assert 2 <= len(searches) <= 7


def test_large_steps_are_searched_anew(searches):
    rng = np.random.RandomState(0)
    Z, limits, memory = rng.standard_normal((120, 4)), np.full(120, 0.5), ImpostorMemory(GROUPS)
    for _ in range(4):
        memory.within(Z, limits, 10_000)
        Z = 0.7 * Z
    assert len(searches) == 4


def test_too_many_pairs_are_told():
    Z, memory = np.zeros((120, 2)), ImpostorMemory(GROUPS)
    assert memory.within(Z, np.ones(120), 100) is None
    assert memory.within(Z, np.ones(120), 120 * 119 // 2) is not None


def test_no_pair_at_all_is_a_list_too():
    Z, memory = 100.0 * np.arange(120)[:, None], ImpostorMemory(GROUPS)
    for _ in range(3):
        pairs, distances = memory.within(Z, np.ones(120), 1_000)
        assert len(distances) == 0 == len(pairs[1])
