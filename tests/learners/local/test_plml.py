"""PLML: both stages as defined, one anchor as one metric, awkward data."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from nearkin.learners.local.plml import PLML
from nearkin.numerics.neighbours import other_class_neighbours, same_class_neighbours
from nearkin.persistence import load, save
from nearkin.predictors import KNNClassifier


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def test_one_anchor_is_one_large_margin_metric():
    X, y = make_blobs(14, 2, centers=2, cluster_std=4, random_state=1)
    settings = {"shrinkage": 0.7, "pull": 0.2, "n_targets": 2, "n_impostors": 2}
    model = PLML(1, tol=1e-6, max_iter=20_000, random_state=0, **settings, euclid_share=0.0).fit(X, y)
    same, others = same_class_neighbours(X, y, 2), other_class_neighbours(X, y, 2)
    size = np.mean(np.square(X[:, None] - X[others]).sum(axis=2))
    rows = X / np.sqrt(size)
    M = cp.Variable((2, 2), PSD=True)

    def distance(i, j):
        v = rows[i] - rows[j]
        return cp.trace(np.outer(v, v) @ M)

    value = 0.7 * cp.sum_squares(M)
    for i in range(len(X)):
        value += sum(0.2 * distance(i, j) for j in same[i])
        value += sum(cp.pos(1 - distance(i, k) + distance(i, j)) for j in same[i] for k in others[i])
    best = cp.Problem(cp.Minimize(value)).solve("CLARABEL")
    assert model.objective_ == pytest.approx(best / (14 * 4), rel=1e-6)
    np.testing.assert_allclose(model.metrics_[0], M.value / size, atol=1e-3 * np.abs(M.value).max() / size)
    np.testing.assert_array_equal(model.weights_, 1)


def test_endless_smoothness_is_one_global_metric(wine):
    X, y = wine
    model = PLML(4, smoothness=1e5, random_state=0, euclid_share=0.0).fit(X, y)
    assert np.ptp(model.weights_, axis=0).max() < 0.2
    local = PLML(4, smoothness=0.1, random_state=0, euclid_share=0.0).fit(X, y)
    assert np.ptp(local.weights_, axis=0).max() > 0.5


def test_the_distance_mixes_the_metrics_and_a_training_row_has_its_own_weights(wine):
    X, y = wine
    model = PLML(5, ridge=0.0, random_state=0, euclid_share=0.0).fit(X, y)
    D = model.distance_.pairwise(X[:4], X)
    for i in range(4):
        M = np.einsum("l,lde->de", model.weights_[i], model.metrics_)
        expected = np.einsum("nd,de,ne->n", X - X[i], M, X - X[i])
        np.testing.assert_allclose(D[i], expected, atol=1e-8 * expected.max())
    np.testing.assert_allclose(model.distance_.weigh(X), model.weights_)


def test_some_euclid_is_mixed_in(wine):
    X, y = wine
    pure, mixed = (PLML(3, ridge=share, random_state=0, euclid_share=0.0).fit(X, y) for share in (0.0, 0.5))
    level = 0.5 * np.trace(pure.metrics_, axis1=1, axis2=2).mean() / 13
    np.testing.assert_allclose(
        mixed.distance_.pairwise(X[:3], X),
        pure.distance_.pairwise(X[:3], X) + level * np.square(X[:3, None] - X).sum(axis=2),
        atol=1e-8,
    )


def test_units_do_not_matter(wine):
    X, y = wine
    D = PLML(4, random_state=0, euclid_share=0.0).fit(X, y).distance_.pairwise(X[:5], X)
    for size in (1e-6, 1e6):
        again = (
            PLML(4, random_state=0, euclid_share=0.0)
            .fit(size * X, y)
            .distance_.pairwise(size * X[:5], size * X)
        )
        np.testing.assert_allclose(again, D, rtol=1e-4, atol=1e-6)


def test_fewer_errors_than_euclid(wine):
    learned, euclid = (
        cross_val_score(KNNClassifier(learner, 1), *wine, cv=5).mean()
        for learner in (PLML(random_state=0, euclid_share=0.0), None)
    )
    assert learned > euclid + 0.005


def test_gaps_are_reported_and_a_spent_budget_warns(wine):
    model = PLML(5, random_state=0, euclid_share=0.0).fit(*wine)
    assert 0 <= model.gap_ <= 1e-2
    assert 0 <= model.weights_gap_ <= 1e-3
    with pytest.warns(ConvergenceWarning, match="max_iter=2 "):
        PLML(5, max_iter=2, random_state=0, euclid_share=0.0).fit(*wine)


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@pytest.mark.filterwarnings("ignore:PLML falls back")
def test_awkward_data_give_finite_distances(awkward):
    X, y = awkward
    model = PLML(3, tol=0.05, random_state=0, euclid_share=0.0).fit(X, y)
    D = model.distance_.pairwise(X, X)
    assert D.dtype == X.dtype
    assert np.isfinite(D).all()
    assert np.isfinite(model.objective_)


def test_nothing_to_learn_from_is_euclid_with_a_warning():
    X = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.warns(UserWarning, match="falls back"):
        model = PLML(euclid_share=0.0).fit(np.ones((10, 2)), np.arange(10) % 2)
    np.testing.assert_allclose(
        model.distance_.pairwise(X, X), np.square(X[:, None] - X).sum(axis=2), atol=1e-12
    )
    with pytest.raises(ValueError, match="at least 2 classes"):
        PLML(euclid_share=0.0).fit(X, np.zeros(10))


@pytest.mark.parametrize(
    "setting", [{"n_anchors": 0}, {"n_anchors": "few"}, {"shrinkage": 0.0}, {"pull": -1.0}, {"n_targets": 0}]
)
def test_settings_that_cannot_be_meant_are_named(wine, setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        PLML(**setting, euclid_share=0.0).fit(*wine)


def test_a_stored_predictor_predicts_the_same(wine, tmp_path):
    X, y = wine
    model = KNNClassifier(PLML(3, random_state=0, euclid_share=0.0)).fit(X, y)
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X), model.predict_proba(X))
