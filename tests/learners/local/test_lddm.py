"""LDDM against its definition in plain loops, its limits, and awkward data."""

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs

from nearkin.learners.local.lddm import LDDM
from nearkin.numerics.blocks import ENTRIES_AT_ONCE
from nearkin.persistence import load, save
from nearkin.predictors import KNNClassifier


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def nearest(X, x, among, k):
    return among[np.argsort(np.square(X[among] - x).sum(axis=1), kind="stable")[:k]]


def votes_in_plain_loops(X, y, x, n_targets, n_impostors, compactness, n_voters):
    rows = np.arange(len(X))
    votes = np.zeros(y.max() + 1)
    voters = nearest(X, x, rows, n_voters)
    squared = np.square(X[voters] - x).sum(axis=1)
    for i, weight in zip(voters, np.exp(-squared / (2 * squared.mean()))):
        own = nearest(X, X[i], np.setdiff1d(rows[y == y[i]], i), n_targets)
        others = nearest(X, X[i], rows[y != y[i]], n_impostors)
        A = (X[others] - X[i]).T @ (X[others] - X[i]) / len(others)
        A -= compactness * (X[own] - X[i]).T @ (X[own] - X[i]) / len(own)
        values, vectors = np.linalg.eigh(A)
        W = vectors[:, (values > 1e-12) | (values == values[-1])]
        found = np.square((X - x) @ W).sum(axis=1).argmin()
        votes[y[found]] += weight
    return votes / votes.sum()


@pytest.mark.parametrize("settings", [(10, 10, 1.0, 7), (3, 5, 0.4, 4)])
def test_votes_are_those_of_the_definition(wine, settings):
    X, y = wine
    train, queries = slice(0, None, 2), X[1::6]
    model = LDDM(*settings, euclid_share=0.0).fit(X[train], y[train])
    expected = [votes_in_plain_loops(X[train], y[train], x, *settings) for x in queries]
    np.testing.assert_allclose(model.predict_proba(queries), expected, atol=1e-9)


def test_with_all_directions_it_is_the_nearest_neighbour():
    X, y = make_blobs(200, 3, centers=4, cluster_std=3, random_state=0)
    queries = np.random.default_rng(1).normal(scale=5, size=(50, 3))
    plain = KNNClassifier(None, 1).fit(X, y).predict(queries)
    model = LDDM(compactness=0.0, euclid_share=0.0).fit(X, y)
    assert model.directions_.shape == (200, 3, 3)
    np.testing.assert_array_equal(model.predict(queries), plain)


def test_one_voter_is_the_nearest_neighbour_in_its_projection(wine):
    X, y = wine
    model = LDDM(n_voters=1, euclid_share=0.0).fit(X[::2], y[::2])
    for x in X[1:40:2]:
        W = model.directions_[np.square(X[::2] - x).sum(axis=1).argmin()]
        expected = y[::2][np.square((X[::2] - x) @ W.T).sum(axis=1).argmin()]
        assert model.predict(x[None])[0] == expected


def test_the_order_of_rows_and_the_batch_do_not_matter(wine):
    X, y = wine
    order = np.random.default_rng(0).permutation(len(y))
    P = LDDM(euclid_share=0.0).fit(X, y).predict_proba(X + 0.1)
    np.testing.assert_allclose(
        LDDM(euclid_share=0.0).fit(X[order], y[order]).predict_proba(X + 0.1), P, atol=1e-9
    )
    times = 1 + ENTRIES_AT_ONCE // len(y) ** 2
    many = LDDM(euclid_share=0.0).fit(X, y).predict_proba(np.tile(X + 0.1, (times, 1)))
    np.testing.assert_allclose(many, np.tile(P, (times, 1)), atol=1e-9)


def test_units_do_not_matter(wine):
    X, y = wine
    P = LDDM(euclid_share=0.0).fit(X[::2], y[::2]).predict_proba(X[1::2])
    for size in (1e-6, 1e6):
        scaled = LDDM(euclid_share=0.0).fit(size * X[::2], y[::2]).predict_proba(size * X[1::2])
        np.testing.assert_allclose(scaled, P, atol=1e-9)


def test_the_distance_carries_each_focal_rows_directions(wine):
    X, y = wine
    model = LDDM(euclid_share=0.0).fit(X, y)
    D = model.distance_.pairwise(X[:5], X)
    W = model.directions_
    expected = np.square(np.einsum("jrd,ijd->ijr", W, X[:5, None] - X)).sum(axis=2)
    np.testing.assert_allclose(D, expected, atol=1e-9)


def test_fewer_focal_rows_come_from_every_class(wine):
    X, y = wine
    model = LDDM(n_focal=20, random_state=0, euclid_share=0.0).fit(X, y)
    assert len(model.focal_rows_) <= 22
    assert set(y[model.focal_rows_]) == {0, 1, 2}
    assert len(model.directions_) == len(model.focal_rows_)
    assert model.score(X[::2], y[::2]) > 0.95
    again = LDDM(n_focal=20, random_state=0, euclid_share=0.0).fit(X, y)
    np.testing.assert_array_equal(again.focal_rows_, model.focal_rows_)
    assert len(LDDM(euclid_share=0.0).fit(X, y).focal_rows_) == len(X)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@pytest.mark.parametrize("n_focal", ["auto", 6])
def test_awkward_data_give_probabilities(awkward, n_focal):
    X, y = awkward
    model = LDDM(n_focal=n_focal, random_state=0, euclid_share=0.0).fit(X, y)
    P = model.predict_proba(X)
    assert P.dtype == X.dtype
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-5)
    assert np.isfinite(model.distance_.pairwise(X, X)).all()


def test_one_class_is_refused(wine):
    with pytest.raises(ValueError, match="at least 2 classes"):
        LDDM(euclid_share=0.0).fit(wine[0], np.zeros(len(wine[0])))


@pytest.mark.parametrize(
    "setting",
    [
        {"n_targets": 0},
        {"n_impostors": 1.5},
        {"n_voters": -1},
        {"n_focal": "some"},
        {"compactness": -1.0},
        {"compactness": "high"},
    ],
)
def test_settings_that_cannot_be_meant_are_named(wine, setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        LDDM(**setting, euclid_share=0.0).fit(*wine)


def test_a_stored_model_predicts_the_same(wine, tmp_path):
    X, y = wine
    model = LDDM(euclid_share=0.0).fit(X[::2], y[::2])
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X), model.predict_proba(X))
