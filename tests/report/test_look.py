import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from nearkin.distances import Distance
from nearkin.predictors import KNNClassifier
from nearkin.report.look import (
    confusion_view,
    embedding_view,
    principal_axes,
    scaled_distances,
)
from nearkin.report.views import Views


def test_confusion_agrees_with_counting():
    true, predicted = ["a", "a", "b"], ["a", "b", "c"]
    view = confusion_view("x", true, predicted)
    assert view.classes == ["a", "b", "c"]
    assert view.counts == [[1, 1, 0], [0, 0, 1], [0, 0, 0]]


@pytest.fixture(scope="module")
def iris_view():
    X, y = load_iris(return_X_y=True)
    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    model = KNNClassifier(n_neighbors=4).fit(X[train], y[train])
    return X, y, train, test, model, embedding_view({"Euclid": model}, X, y, train, test)


def test_neighbours_of_the_picture_are_those_of_the_predictor(iris_view):
    X, y, train, test, model, view = iris_view
    distances, indices = model.kneighbors(X[test])
    rows = np.asarray(view.rows)
    panel = view.panels[0]
    order = np.argsort(rows[view.queries])
    assert sorted(rows[view.queries]) == test.tolist()
    back = np.argsort(order)
    distances, indices = distances[back], indices[back]
    np.testing.assert_array_equal(rows[np.asarray(panel.neighbours)], train[indices])
    np.testing.assert_allclose(panel.distances, distances, atol=1e-4)
    assert panel.predicted == model.predict(X[rows[view.queries]]).tolist()
    np.testing.assert_array_equal(y[rows], view.labels)
    assert all(np.asarray(view.is_query)[view.queries])


def test_large_data_is_thinned_but_keeps_the_neighbours():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((5000, 3)), rng.integers(0, 2, 5000)
    train, test = np.arange(3000), np.arange(3000, 5000)
    model = KNNClassifier(n_neighbors=5).fit(X[train], y[train])
    view = embedding_view({"Euclid": model}, X, y, train, test)
    n_queries = len(view.queries)
    assert 300 < n_queries <= 400
    assert len(view.rows) <= 1600
    assert np.asarray(view.panels[0].neighbours).min() >= n_queries


def test_axes_of_sparse_and_of_narrow_rows():
    at, share = principal_axes(sparse.random(30, 10, density=0.3, random_state=0, format="csr"))
    assert at.shape == (30, 2)
    assert 0 < share <= 1
    at, share = principal_axes(np.arange(5.0)[:, None])
    assert at.shape == (5, 2)
    assert share == pytest.approx(1.0)


def test_scaling_recovers_a_plane_from_its_distances():
    class Euclid(Distance):
        def bind(self, references):
            return lambda queries: ((queries[:, None] - references[None]) ** 2).sum(axis=2)

    X = np.random.default_rng(0).standard_normal((60, 2))
    at = scaled_distances(Euclid(), X, n_landmarks=20)
    np.testing.assert_allclose(Euclid().pairwise(at, at), Euclid().pairwise(X, X), atol=1e-8)


def test_views_survive_being_stored(views):
    import json

    back = Views.from_dict(json.loads(json.dumps(views.to_dict())))
    assert json.dumps(back.to_dict()) == json.dumps(views.to_dict())
