"""The metric of the query: its bias by finite differences, distances against the definition."""

import numpy as np
import pytest

from nearkin.distances import AffineEmbedding
from nearkin.distances.per_query import METRIC_ENTRIES_AT_ONCE, GaussianClasses, PerQueryDistance


def gaussian_classes(seed=0, C=3, d=3):
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(C, d, d))
    covariances = factors @ factors.transpose(0, 2, 1) / d + 0.3 * np.eye(d)
    priors = rng.dirichlet(np.full(C, 5.0))
    scales = np.log(priors) - 0.5 * np.linalg.slogdet(2 * np.pi * covariances)[1]
    return GaussianClasses(rng.normal(size=(C, d)), np.linalg.inv(covariances), scales)


def make_distance(seed=0, n_candidates=1000, **settings):
    settings = {"floor": 0.01, "euclid_share": 0.1} | settings
    classes = gaussian_classes(seed)
    pooled = np.random.default_rng(seed + 50).normal(size=(3, 3))
    return PerQueryDistance(AffineEmbedding(), classes, pooled, n_candidates, **settings)


def joint(classes, X):
    """Prior times density, written out."""
    return np.stack(
        [
            np.exp(scale - 0.5 * np.einsum("md,de,me->m", X - mu, P, X - mu))
            for mu, P, scale in zip(classes.means, classes.precisions, classes.log_scales)
        ],
        axis=1,
    )


@pytest.mark.parametrize("C", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_the_bias_is_what_the_error_of_a_near_neighbour_gains(seed, C):
    """The neighbour lies on a small ellipsoid of a metric: densities there are averaged over its axes."""
    classes = gaussian_classes(seed, C)
    rng = np.random.default_rng(seed)
    x = rng.normal(size=3) * 0.5
    A = rng.normal(size=(3, 3))
    inverse = A @ A.T + np.eye(3)
    half = np.linalg.cholesky(inverse)
    radius = 3e-3
    steps = radius * np.concatenate([half.T, -half.T])

    def error(own, neighbours):
        return 1 - own @ neighbours / (own.sum() * neighbours.sum())

    p = joint(classes, x[None])[0]
    gained = error(p, joint(classes, x + steps).mean(axis=0)) - error(p, p)
    trace = radius**2 / 6 * np.trace(inverse @ classes.bias(x[None])[0])
    eta = p / p.sum()
    if C == 2:
        # The common factor that two classes do without.
        expected = trace * eta.prod() * (eta[0] - eta[1])
    else:
        expected = trace * (1 - eta.max())
    assert gained == pytest.approx(expected, rel=5e-3)


def test_log_joint_in_every_form():
    classes = gaussian_classes()
    X = np.random.default_rng(1).normal(size=(7, 3))
    np.testing.assert_allclose(np.exp(classes.log_joint(X)), joint(classes, X))
    codes = np.arange(7) % 3
    np.testing.assert_allclose(np.exp(classes.log_joint_of(X, codes)), joint(classes, X)[np.arange(7), codes])


def test_distances_are_those_of_the_querys_metric():
    distance = make_distance()
    queries, references = np.random.default_rng(1).normal(size=(2, 6, 3))
    D = distance.pairwise(queries, references)
    for i, query in enumerate(queries):
        F = distance.factors(query[None])[0]
        np.testing.assert_allclose(D[i], [np.sum((F @ (query - r)) ** 2) for r in references])
    assert not np.allclose(D, distance.pairwise(references, queries).T)


def test_candidates_are_measured_and_the_others_follow_in_order():
    queries, references = np.random.default_rng(2).normal(size=(2, 40, 3))
    every = make_distance().pairwise(queries, references)
    distance = make_distance(n_candidates=12)
    some = distance.pairwise(queries, references)
    pooled = np.square((queries[:, None] - references) @ distance.pooled.T).sum(axis=2)
    for i in range(len(queries)):
        order = np.argsort(pooled[i])
        nearest, rest = order[:12], order[12:]
        np.testing.assert_allclose(some[i, nearest], every[i, nearest])
        assert some[i, rest].min() >= some[i, nearest].max()
        np.testing.assert_array_equal(np.argsort(some[i, rest]), np.arange(len(rest)))


def test_blocks_of_queries_do_not_matter_and_float32_stays():
    queries, references = np.random.default_rng(3).normal(size=(2, 30, 3))
    whole = make_distance().pairwise(queries, references)
    times = 1 + METRIC_ENTRIES_AT_ONCE // (9 * len(queries))
    many = make_distance().pairwise(np.tile(queries, (times, 1)), references)
    np.testing.assert_allclose(many, np.tile(whole, (times, 1)), rtol=1e-12)
    single = make_distance().pairwise(queries.astype(np.float32), references.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, whole, rtol=1e-4)
