import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from nearkin.numerics.lane_masks import LANES, first_bit, mask_below, mask_within


@njit
def all_within(products, others, limits, own, limit):
    found = np.zeros(products.size, np.bool_)
    for start in range(0, products.size, LANES):
        mask = mask_within(products, others, limits, start, own, limit)
        while mask != 0:
            found[start + np.int64(first_bit(mask))] = True
            mask &= mask - np.uint64(1)
    return found


@njit
def all_below(products, others, bound):
    found = np.zeros(products.size, np.bool_)
    for start in range(0, products.size, LANES):
        mask = mask_below(products, others, start, bound)
        while mask != 0:
            found[start + np.int64(first_bit(mask))] = True
            mask &= mask - np.uint64(1)
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(n=st.integers(1, 300), seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_masks_tell_what_comparisons_tell(dtype, n, seed):
    # Whole numbers, so that equal values occur and nothing is rounded.
    rng = np.random.RandomState(seed)
    products, others, limits = rng.randint(-4, 5, (3, n)).astype(dtype)
    own, limit = dtype(rng.randint(-2, 3)), dtype(rng.randint(-2, 3))
    np.testing.assert_array_equal(
        all_within(products, others, limits, own, limit), own + others - products <= np.maximum(limit, limits)
    )
    np.testing.assert_array_equal(all_below(products, others, limit), others - products < limit)


def test_missing_values_are_never_near():
    products = np.full(100, np.nan)
    assert not all_within(products, np.zeros(100), np.ones(100), 0.0, 1.0).any()
    assert not all_below(products, np.zeros(100), 1.0).any()


def test_rows_inside_a_matrix_are_read_in_place():
    G = np.arange(400.0).reshape(2, 200)
    np.testing.assert_array_equal(all_below(G[1], np.zeros(200), -300.0), G[1] > 300)
