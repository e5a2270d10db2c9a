"""Squared differences made block by block equal the stored ones."""

import numpy as np
import pytest

from nearkin.learners.constraint.neighbour_differences import SquaredDifferences


@pytest.fixture
def pairs():
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 5))
    return X, random.integers(0, 30, 100), random.integers(0, 30, 100)


@pytest.mark.parametrize("n_pairs", [100, 41])
def test_blocks_and_stored_agree_with_the_definition(pairs, n_pairs):
    X, rows, neighbours = pairs
    expected = ((X[rows] - X[neighbours]) ** 2)[:n_pairs]
    random = np.random.default_rng(1)
    w, b = random.uniform(size=5), random.normal(size=n_pairs)
    for budget in (2**20, 64 * 5 * 7):
        matrix = SquaredDifferences(X, rows, neighbours, memory_budget=budget).first(n_pairs)
        assert matrix.shape == expected.shape
        assert np.allclose(matrix.times(w), expected @ w)
        assert np.allclose(matrix.transposed_times(b), b @ expected)
        assert np.allclose(matrix.take(np.array([3, 17]), np.array([4, 0])), expected[[3, 17]][:, [4, 0]])


def test_a_small_budget_stores_nothing(pairs):
    X, rows, neighbours = pairs
    assert SquaredDifferences(X, rows, neighbours, memory_budget=100)._stored is None


def test_single_precision_rows_are_subtracted_in_double(pairs):
    X, rows, neighbours = pairs
    X = (X + 1000).astype(np.float32)
    exact = (X[rows].astype(float) - X[neighbours].astype(float)) ** 2
    assert np.array_equal(SquaredDifferences(X, rows, neighbours).take(slice(None)), exact)


def test_single_precision_is_kept_and_summed_in_double():
    rng = np.random.default_rng(0)
    X, (left, right) = rng.normal(size=(40, 6)), rng.integers(40, size=(2, 300))
    plain = SquaredDifferences(X, left, right)
    single = SquaredDifferences(X, left, right, single_from=1000)
    assert single._stored.dtype == np.float32
    weights, coefficients = rng.random(6), rng.normal(size=300)
    np.testing.assert_allclose(single.times(weights), plain.times(weights), rtol=1e-6)
    expected = plain.transposed_times(coefficients)
    found = single.transposed_times(coefficients)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(coefficients).sum())
    pairs, columns = np.array([3, 5]), np.array([0, 4])
    np.testing.assert_allclose(single.take(pairs, columns), plain.take(pairs, columns), rtol=1e-6)
