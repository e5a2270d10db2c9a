"""GLML: fewer errors where theory says so, right limits, and awkward data."""

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf
from sklearn.datasets import load_wine, make_classification

from nearkin.learners.local.glml import GLML
from nearkin.persistence import load, save
from nearkin.predictors import KNNClassifier


def two_gaussians(n, rng):
    """Classes apart along the first feature, and spread wide along the second."""
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 2)) * [1.0, 5.0] + np.c_[2.5 * y, np.zeros(n)], y


def test_fewer_errors_than_euclid_on_small_samples_of_gaussians():
    rng = np.random.default_rng(0)
    learned, euclid = [], []
    for _ in range(40):
        X, y = two_gaussians(50, rng)
        queries, truth = two_gaussians(300, rng)
        learned.append(KNNClassifier(GLML(euclid_share=0.0), 1).fit(X, y).score(queries, truth))
        euclid.append(KNNClassifier(None, 1).fit(X, y).score(queries, truth))
    gain = np.array(learned) - np.array(euclid)
    assert gain.mean() > 3 * gain.std() / np.sqrt(len(gain))
    assert gain.mean() > 0.01


def test_between_two_round_classes_only_the_line_that_joins_them_counts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    y = np.arange(4000) % 2
    X[y == 1] += [6.0, 0, 0]
    F = (
        GLML(floor=0.01, ridge=0.0, euclid_share=0.0)
        .fit(X, y)
        .distance_.factors(np.array([[2.0, 0.0, 0.0]]))[0]
    )
    values, vectors = np.linalg.eigh(F.T @ F)
    assert abs(vectors[0, -1]) > 0.99
    np.testing.assert_allclose(values[:2] / values[2], 0.01, rtol=0.3)


def test_the_covariances_are_what_the_settings_say():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    own = X[y == 1]
    precisions = {}
    for name in (0.3, "ledoit-wolf", "auto"):
        precisions[name] = GLML(shrinkage=name, euclid_share=0.0).fit(X, y).distance_.classes.precisions[1]
    covariance = np.cov(own.T, bias=True)
    mixed = 0.7 * covariance + 0.3 * np.trace(covariance) / 13 * np.eye(13)
    np.testing.assert_allclose(np.linalg.inv(precisions[0.3]), mixed)
    np.testing.assert_allclose(np.linalg.inv(precisions["ledoit-wolf"]), ledoit_wolf(own)[0])
    assert GLML(euclid_share=0.0).fit(X, y).shrinkage_[1] == pytest.approx(13 / len(own))
    diagonal = GLML(covariance="diagonal", euclid_share=0.0).fit(X, y).distance_.classes.precisions[1]
    assert np.count_nonzero(diagonal) == 13


def test_the_objective_is_the_negative_log_likelihood():
    from scipy.stats import multivariate_normal

    rng = np.random.default_rng(0)
    X, y = two_gaussians(60, rng)
    model = GLML(shrinkage=0.2, euclid_share=0.0).fit(X, y)
    total = 0.0
    for c in (0, 1):
        own = X[y == c]
        covariance = np.cov(own.T, bias=True)
        covariance = 0.8 * covariance + 0.2 * np.trace(covariance) / 2 * np.eye(2)
        total += multivariate_normal(own.mean(axis=0), covariance).logpdf(own).sum()
        total += len(own) * np.log(len(own) / 60)
    assert model.objective_ == pytest.approx(-total / 60)


def test_units_and_rotations_do_not_matter():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    D = GLML(euclid_share=0.0).fit(X, y).distance_.pairwise(X[:10], X)
    for size in (1e-6, 1e6):
        scaled = GLML(euclid_share=0.0).fit(size * X, y).distance_.pairwise(size * X[:10], size * X)
        np.testing.assert_allclose(scaled / size**2, D, rtol=1e-6, atol=1e-9)
    Q, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(13, 13)))
    turned = GLML(euclid_share=0.0).fit(X @ Q, y).distance_.pairwise(X[:10] @ Q, X @ Q)
    np.testing.assert_allclose(turned, D, rtol=1e-6, atol=1e-9)


def test_one_class_is_euclid_with_a_warning():
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.warns(UserWarning, match="only one class"):
        model = GLML(euclid_share=0.0).fit(X, np.zeros(20))
    np.testing.assert_allclose(
        model.distance_.pairwise(X, X), np.square(X[:, None] - X).sum(axis=2), atol=1e-12
    )


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_awkward_data_give_finite_distances(awkward):
    X, y = awkward
    model = GLML(euclid_share=0.0).fit(X, y)
    D = model.distance_.pairwise(X, X)
    assert D.dtype == X.dtype
    assert np.isfinite(D).all()
    assert np.isfinite(model.objective_)
    np.testing.assert_allclose(np.diagonal(D), 0, atol=1e-10)
    KNNClassifier(GLML(euclid_share=0.0), 1).fit(X, y).predict(X)


def test_many_features_are_reduced_to_their_main_directions():
    X, y = make_classification(300, 150, n_informative=10, random_state=0)
    assert GLML(euclid_share=0.0).fit(X, y).distance_.classes.means.shape == (2, 100)
    assert GLML(n_components=None, euclid_share=0.0).fit(X, y).distance_.classes.means.shape == (2, 150)
    model = GLML(n_components=5, euclid_share=0.0).fit(X, y)
    centred = X - X.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:5]
    np.testing.assert_allclose(
        np.square(model.distance_.embedding(X)).sum(axis=1), np.square(centred @ axes.T).sum(axis=1)
    )


def test_candidates_change_little_and_are_counted():
    X, y = make_classification(400, 6, n_informative=4, random_state=0)
    every = KNNClassifier(GLML(n_candidates=None, euclid_share=0.0), 3).fit(X, y)
    some = KNNClassifier(GLML(n_candidates=100, euclid_share=0.0), 3).fit(X, y)
    np.testing.assert_array_equal(every.kneighbors(X)[1][:, 0], np.arange(400))
    assert np.mean(every.kneighbors(X)[1] == some.kneighbors(X)[1]) > 0.9
    assert GLML(euclid_share=0.0).fit(X, y).distance_.n_candidates == 2_000_000 // 36


@pytest.mark.parametrize(
    "setting",
    [
        {"shrinkage": 2.0},
        {"shrinkage": "much"},
        {"covariance": "tied"},
        {"ridge": -0.1},
        {"euclid_share": -0.1},
        {"floor": "low"},
        {"n_components": 0},
        {"n_components": 14},
        {"n_candidates": 0},
    ],
)
def test_settings_that_cannot_be_meant_are_named(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        GLML(**setting).fit(*load_wine(return_X_y=True))


def test_a_stored_predictor_predicts_the_same(tmp_path):
    X, y = load_wine(return_X_y=True)
    model = KNNClassifier(GLML(euclid_share=0.0)).fit(X, y)
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X), model.predict_proba(X))
