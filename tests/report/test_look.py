import numpy as np
import pytest
from sklearn.datasets import load_iris

from nearkin.predictors import KNNClassifier
from nearkin.report.look import confusion_view, embedding_view
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
    assert 100 < n_queries <= 250
    assert len(view.rows) <= 800
    assert np.asarray(view.panels[0].neighbours).min() >= n_queries


def test_views_survive_being_stored(views):
    import json

    back = Views.from_dict(json.loads(json.dumps(views.to_dict())))
    assert json.dumps(back.to_dict()) == json.dumps(views.to_dict())


def test_views_of_earlier_releases_are_still_read(views):
    kept = views.to_dict()
    for panel in kept["embedding"]["panels"]:
        panel["explained"] = 0.7
        panel["name"] = panel.pop("label")
    for view in kept["confusion"]:
        view["name"] = view.pop("label")
    for learner in kept["local"]:
        learner["learner"] = learner.pop("label")
    back = Views.from_dict(kept)
    assert (back.embedding, list(back.confusion)) == (views.embedding, list(views.confusion))
    assert list(back.local) == list(views.local)
