"""Nearest rows of the same class against all distances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from nearkin.numerics.neighbours import same_class_neighbours


def naive(X, codes, k):
    X = X.astype(np.float64)
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    found = np.full((len(X), k), -1)
    for i in range(len(X)):
        others = np.flatnonzero((codes == codes[i]) & (np.arange(len(X)) != i) & (codes[i] >= 0))
        order = others[np.argsort(squared[i, others], kind="stable")][:k]
        found[i, : len(order)] = order
    return found


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 120),
    d=st.integers(1, 5),
    k=st.integers(1, 6),
    n_classes=st.integers(1, 8),
    dtype=st.sampled_from([np.float32, np.float64]),
    seed=st.integers(0, 2**16),
)
def test_same_as_all_distances(n, d, k, n_classes, dtype, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(dtype)
    codes = rng.integers(-1, n_classes, n)
    expected = naive(X, codes, k)
    np.testing.assert_array_equal(same_class_neighbours(X, codes, k), expected)
    np.testing.assert_array_equal(same_class_neighbours(sparse.csr_array(X), codes, k), expected)


@pytest.mark.parametrize("k", [1, 3])
def test_blocks_and_offsets_do_not_change_the_answer(k):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((700, 4)).astype(np.float32)
    codes = rng.integers(0, 2, 700)
    whole = same_class_neighbours(X, codes, k)
    np.testing.assert_array_equal(same_class_neighbours(X, codes, k, block_bytes=1), whole)
    far = X + np.float32(1000)
    np.testing.assert_array_equal(same_class_neighbours(far, codes, k), naive(far, codes, k))


def test_input_is_left_alone_and_duplicates_find_each_other():
    X = np.array([[1.0, 2.0], [1.0, 2.0], [5.0, 5.0]])
    before = X.copy()
    np.testing.assert_array_equal(same_class_neighbours(X, np.zeros(3, int), 1), [[1], [0], [0]])
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("k", [1, 3, 30])
def test_neighbours_among_some_rows_only(k):
    rng = np.random.default_rng(0)
    X, codes, among = rng.normal(size=(90, 4)), rng.integers(0, 3, 90), rng.random(90) < 0.3
    codes[0], among[0] = 3, True  # alone in its class
    found = same_class_neighbours(X, codes, k, among=among)
    for row in range(90):
        offered = [j for j in np.flatnonzero(among) if codes[j] == codes[row] and j != row]
        expected = sorted(offered, key=lambda j: np.sum((X[j] - X[row]) ** 2))[:k]
        np.testing.assert_array_equal(found[row][found[row] >= 0], expected)
