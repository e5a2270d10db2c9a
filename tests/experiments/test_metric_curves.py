"""Curves over every setting of DMLMTP against the learner fitted at a single one."""

from itertools import product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_friedman1

from nearkin import DMLMTP, KNNRegressor
from nearkin.experiments.metric_curves import DistanceVotingRegressor, MetricPathRegressor


@pytest.fixture(scope="module")
def data():
    X, y = make_friedman1(120, n_features=6, random_state=0)
    return X[:90], np.column_stack([y, X[:, 3] ** 2])[:90], X[90:]


@pytest.mark.parametrize(
    ("metric", "shrinkages"), [("diagonal", (1.0,)), ("full", (0.0, 0.5))], ids=["diagonal", "full"]
)
def test_every_point_predicts_like_the_learner_at_its_setting(data, metric, shrinkages):
    X, Y, queries = data
    points = tuple(product((2, 4), (0.9, 1.0), shrinkages, (0.0, 0.5)))
    model = MetricPathRegressor(metric, points).fit(X, Y)
    for point in points[:: len(points) // 4]:
        K, nu, shrinkage, share = point
        learner = DMLMTP(K, nu, metric, shrinkage=shrinkage, euclid_share=share, tol=1e-3)
        alone = KNNRegressor(learner, n_neighbors=5).fit(X, Y)
        found = model.set_params(metric_point=list(point), n_neighbors=5).predict(queries)
        # Warm and cold starts end within the gap: a neighbour may differ here and there.
        assert np.mean(np.all(np.isclose(found, alone.predict(queries)), axis=1)) > 0.8
        assert model.sparsity_ == (pytest.approx(alone.learner_.sparsity_) if metric == "diagonal" else None)


def test_the_number_of_neighbours_and_the_queries_may_change(data):
    X, Y, queries = data
    model = MetricPathRegressor(n_neighbors=1).fit(X, Y)
    for rows, k in ((queries, 1), (queries, 7), (queries[:5], 7), (X[:20], 40)):
        expected = KNNRegressor(n_neighbors=k).fit(X, Y).predict(rows)
        assert np.allclose(model.set_params(n_neighbors=k).predict(rows), expected)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("one_target", [False, True])
def test_votes_by_distance_are_those_of_the_regressor(data, one_target):
    X, Y, queries = data
    Y = Y[:, 0] if one_target else Y
    rows = np.concatenate([queries, X[:3]])
    point = (4, 0.9, 1.0, 0.5)
    learner = DMLMTP(4, 0.9, euclid_share=0.5, tol=1e-3)
    alone = KNNRegressor(learner, n_neighbors=5, weights="distance").fit(X, Y)
    model = DistanceVotingRegressor("diagonal", (point,), point, n_neighbors=5).fit(X, Y)
    assert np.allclose(model.predict(rows), alone.predict(rows))
    assert np.allclose(model.predict(X[:3]), Y[:3])


def test_mixtures_are_embedded_in_no_more_numbers_than_there_are_features(data):
    X, Y, _ = data
    point = (4, 0.9, 0.5, 0.5)
    model = MetricPathRegressor("full", (point,), point).fit(X, Y)
    assert model.embeddings_[point].matrix.shape == (6, 6)


def test_contradictory_triplets_leave_no_point():
    random = np.random.default_rng(0)
    X, y = random.uniform(size=(60, 2)), random.normal(size=60)
    point = (4, 0.1, 1.0, 0.0)
    model = MetricPathRegressor("diagonal", (point,), point).fit(X, y)
    with pytest.raises(ValueError, match="contradict"):
        model.predict(X)
    euclid = MetricPathRegressor().fit(X, y).predict(X)
    assert np.array_equal(model.set_params(contradictory="Euclid").predict(X), euclid)
