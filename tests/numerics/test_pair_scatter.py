"""Scatters of pairs against their sums of outer products."""

import numpy as np
import pytest

from nearkin.numerics.pair_scatter import class_scatters, pair_scatter


def naive(X, left, right, weight):
    V = X[left] - X[right]
    return (V * np.asarray(weight)[:, None]).T @ V


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_pair_scatter_is_the_weighted_sum_of_outer_products(offset):
    rng = np.random.RandomState(0)
    X = rng.standard_normal((30, 4)) + offset
    left, right, weight = rng.randint(30, size=50), rng.randint(30, size=50), rng.standard_normal(50)
    np.testing.assert_allclose(pair_scatter(X, left, right, weight), naive(X, left, right, weight), atol=1e-7)


def test_class_scatters_are_the_means_over_all_pairs():
    rng = np.random.RandomState(1)
    X, codes = rng.standard_normal((25, 3)), rng.randint(4, size=25)
    left, right = np.triu_indices(25, 1)
    same = codes[left] == codes[right]
    S, D = class_scatters(X, codes)
    np.testing.assert_allclose(S, naive(X, left[same], right[same], np.ones(same.sum())) / same.sum())
    np.testing.assert_allclose(D, naive(X, left[~same], right[~same], np.ones((~same).sum())) / (~same).sum())
