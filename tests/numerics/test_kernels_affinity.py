"""Compiled passes over squared distances against NumPy's."""

import numpy as np
import pytest

from nearkin.numerics.kernels_affinity import kth_smallest, turn_into_affinities

rng = np.random.default_rng(0)


@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 1), (8, 7), (9, 3), (33, 7), (200, 7), (201, 40)])
def test_kth_smallest_equals_a_partition(n, k):
    D = rng.random((20, n), dtype=np.float32)
    found = np.empty(20, dtype=np.float32)
    kth_smallest(D, k, found)
    np.testing.assert_array_equal(found, np.partition(D, k, axis=1)[:, k])


@pytest.mark.parametrize("levels", [1, 2, 5])
def test_kth_smallest_among_many_ties(levels):
    D = rng.integers(levels, size=(30, 150)).astype(np.float32)
    found = np.empty(30, dtype=np.float32)
    kth_smallest(D, 7, found)
    np.testing.assert_array_equal(found, np.sort(D, axis=1)[:, 7])


def test_kth_smallest_where_most_entries_lie_within_the_bound():
    """Small entries crowd into columns that are folded onto each other."""
    D = np.ones((4, 256), dtype=np.float32)
    D[:, ::32] = D[:, 1::32] = rng.random((4, 8))
    D[:, 2:20] = 0.5
    found = np.empty(4, dtype=np.float32)
    kth_smallest(D, 7, found)
    np.testing.assert_array_equal(found, np.sort(D, axis=1)[:, 7])


@pytest.mark.parametrize("columns", ["all", "up to the last row"])
def test_affinities_stripe_by_stripe_are_the_lower_triangle(columns):
    D = rng.random((11, 11)).astype(np.float32)
    D += D.T
    inverse = (0.5 + rng.random(11)).astype(np.float32)
    full = np.exp(-D * inverse * inverse[:, None])
    np.fill_diagonal(full, 0)
    degrees = np.zeros(11, dtype=np.float32)
    for start, stop in ((0, 4), (4, 8), (8, 11)):
        stripe = D[start:stop].copy() if columns == "all" else D[start:stop, :stop].copy()
        turn_into_affinities(stripe, start, inverse, degrees)
        np.testing.assert_allclose(stripe[:, :stop], np.tril(full, -1)[start:stop, :stop], atol=1e-6)
    np.testing.assert_allclose(degrees, full.sum(axis=0), rtol=1e-5)
