"""Proposition 1 of Shigeto and others (2017), and what the paper concludes from it."""

import numpy as np
import pytest

from nearkin.search import ExactIndex
from nearkin.search.hubness import hubness_skewness


@pytest.mark.parametrize(("s", "d"), [(0.5, 20), (1.0, 80), (2.0, 200)])
def test_the_farther_of_two_points_is_farther_from_a_query_by_gamma_s2_root_2d(s, d):
    rng = np.random.default_rng(0)
    lengths = np.sum((s * rng.normal(size=(40_000, d))) ** 2, axis=1)
    sigma = s**2 * np.sqrt(2 * d)
    assert lengths.std() == pytest.approx(sigma, rel=0.02)
    near, far = s * rng.normal(size=(2, d))
    if np.sum(near**2) > np.sum(far**2):
        near, far = far, near
    gamma = (np.sum(far**2) - np.sum(near**2)) / sigma
    # Any distribution of queries with mean zero; antithetic ones, so that the mean is zero exactly.
    queries = rng.exponential(size=(2_000, d)) - 1
    queries = np.concatenate([queries, -queries])
    gap = np.mean(np.sum((queries - far) ** 2, axis=1) - np.sum((queries - near) ** 2, axis=1))
    assert gap == pytest.approx(gamma * s**2 * np.sqrt(2 * d), rel=1e-9)


def test_labelled_points_with_less_spread_have_fewer_hubs():
    rng = np.random.default_rng(0)
    queries, references = rng.normal(size=(1_500, 60)), rng.normal(size=(600, 60))
    skewness = [
        hubness_skewness(ExactIndex().build(s * references).query(queries, 10)[1], len(references))
        for s in (0.3, 1.0, 3.0)
    ]
    assert skewness[0] < skewness[1] < skewness[2]
