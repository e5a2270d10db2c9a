"""Mixtures of metrics by the query's weights, against the definition."""

import numpy as np

from nearkin.distances.mixed import MixedDistance, NearestRowWeights
from nearkin.numerics.blocks import ENTRIES_AT_ONCE


def make_distance(seed=0, m=3, k=2, d=4):
    rng = np.random.default_rng(seed)
    weigh = NearestRowWeights(rng.normal(size=(20, d)), rng.dirichlet(np.ones(m), 20))
    return MixedDistance(weigh, rng.normal(size=(m, k, d)), rng.normal(size=d))


def test_distances_are_those_of_the_querys_mixture():
    distance = make_distance()
    queries, references = np.random.default_rng(1).normal(size=(2, 7, 4))
    D = distance.pairwise(queries, references)
    for i, query in enumerate(queries):
        nearest = np.square(distance.weigh.rows - query).sum(axis=1).argmin()
        M = sum(w * F.T @ F for w, F in zip(distance.weigh.weights[nearest], distance.factors))
        np.testing.assert_allclose(D[i], [(query - r) @ M @ (query - r) for r in references])


def test_a_known_row_has_its_own_weights_and_blocks_do_not_matter():
    weigh = make_distance().weigh
    np.testing.assert_array_equal(weigh(weigh.rows), weigh.weights)
    times = 1 + ENTRIES_AT_ONCE // len(weigh.rows) ** 2
    many = weigh(np.tile(weigh.rows, (times, 1)))
    np.testing.assert_array_equal(many, np.tile(weigh.weights, (times, 1)))


def test_a_far_off_origin_costs_no_digits_and_float32_stays():
    distance = make_distance()
    queries, references = np.random.default_rng(1).normal(size=(2, 7, 4))
    D = distance.pairwise(queries, references)
    moved = MixedDistance(
        NearestRowWeights(distance.weigh.rows + 1e6, distance.weigh.weights),
        distance.factors,
        distance.origin + 1e6,
    )
    np.testing.assert_allclose(moved.pairwise(queries + 1e6, references + 1e6), D, rtol=1e-6)
    single = distance.pairwise(queries.astype(np.float32), references.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, D, rtol=1e-3, atol=1e-4)
