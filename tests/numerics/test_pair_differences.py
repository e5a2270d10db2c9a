"""Products with differences of pairs, whether these are kept or not, against the plain formulas."""

import numpy as np
import pytest

from nearkin.numerics.pair_differences import PairDifferences

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 4))


def some_pairs(n_pairs):
    return RNG.integers(12, size=n_pairs), RNG.integers(12, size=n_pairs)


@pytest.mark.parametrize("n_pairs", [1, 5, 60])
def test_lengths_and_sums_are_those_of_the_differences(n_pairs):
    left, right = some_pairs(n_pairs)
    pairs, V = PairDifferences(X, left, right), X[left] - X[right]
    L, weight = RNG.normal(size=(3, 4)), RNG.normal(size=n_pairs)
    image = pairs.mapped(L)
    np.testing.assert_allclose(pairs.lengths(image), np.square(V @ L.T).sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(pairs.summed(image, weight), L @ (V.T * weight) @ V, atol=1e-10)


@pytest.mark.parametrize("n_pairs", [1, 5, 60])
def test_diagonal_maps(n_pairs):
    left, right = some_pairs(n_pairs)
    pairs, V = PairDifferences(X, left, right), X[left] - X[right]
    weights, price = RNG.normal(size=4), RNG.normal(size=n_pairs)
    image = pairs.mapped(weights)
    np.testing.assert_allclose(pairs.lengths(image), np.square(V * weights).sum(axis=1), atol=1e-12)
    expected = np.einsum("t,td,td->d", price, V * weights, V)
    np.testing.assert_allclose(pairs.summed_diagonal(image, price), expected, atol=1e-10)


def test_what_is_kept_is_never_more_than_rows_or_pairs():
    left, right = some_pairs(500)
    assert PairDifferences(X, left, right).base.shape == (12, 4)
    assert PairDifferences(X, left[:3], right[:3]).base.shape[0] <= 6
    many = RNG.normal(size=(1000, 4))
    assert PairDifferences(many, np.array([0, 1, 2]), np.array([5, 5, 5])).base.shape[0] == 3


def test_pairs_of_no_weight_may_be_left_out():
    """Whether few or many of the pairs count, the sum is the same; with few, their differences are made."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10, 4))
    left, right = rng.integers(10, size=(2, 60))
    L = rng.normal(size=(3, 4))
    pairs = PairDifferences(X, left, right)
    V = X[left] - X[right]
    for counted in (0, 1, 5, 60):
        weight = np.where(rng.permutation(60) < counted, rng.normal(size=60), 0.0)
        expected = (V @ L.T * weight[:, None]).T @ V
        np.testing.assert_allclose(pairs.summed(pairs.mapped(L), weight), expected, atol=1e-12)
