"""SCML: the program it solves, the directions it chooses from, both kinds of supervision, awkward data."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from nearkin.learners.constraint.discriminant_bases import discriminant_bases, triplet_bases
from nearkin.learners.constraint.scml import SCML
from nearkin.predictors import KNNClassifier
from nearkin.supervision.constraints import TripletList
from nearkin.supervision.label_triplets import nearest_triplets


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def hinge_objective(X, M, weights, triplets, beta):
    """The objective written out, in units of the mean squared distance of far rows."""
    far = X[triplets.anchor] - X[triplets.far]
    near = X[triplets.anchor] - X[triplets.near]
    margins = np.einsum("td,de,te->t", far, M, far) - np.einsum("td,de,te->t", near, M, near)
    scale = np.mean(np.sum(far**2, axis=1))
    return np.average(np.maximum(1 - margins, 0), weights=triplets.weight) + beta * scale * weights.sum()


def test_the_metric_is_the_weighted_sum_of_the_bases(wine):
    X, y = wine
    model = SCML(n_bases=60, beta=1e-3, euclid_share=0.0).fit(X, y)
    M = (model.bases_.T * model.weights_) @ model.bases_
    np.testing.assert_allclose(model.get_mahalanobis_matrix(), M, atol=1e-9 * np.abs(M).max())
    np.testing.assert_allclose(np.linalg.norm(model.bases_, axis=1), 1)
    triplets = nearest_triplets(X, y, 3, 10)
    assert model.objective_ == pytest.approx(hinge_objective(X, M, model.weights_, triplets, 1e-3))
    assert 0 <= model.gap_ <= 1e-3
    assert 0 < np.count_nonzero(model.weights_) < 60


def test_no_weight_can_be_moved_to_lower_the_objective(wine):
    X, y = wine
    model = SCML(n_bases=30, beta=1e-3, tol=1e-6, euclid_share=0.0).fit(X, y)
    triplets = nearest_triplets(X, y, 3, 10)
    rng = np.random.default_rng(0)
    for _ in range(30):
        weights = np.maximum(model.weights_ + 0.1 * model.weights_.max() * rng.normal(size=30), 0)
        M = (model.bases_.T * weights) @ model.bases_
        assert hinge_objective(X, M, weights, triplets, 1e-3) >= model.objective_ * (1 - 1e-6)


def test_a_smaller_penalty_lowers_the_hinge_and_a_larger_one_chooses_fewer(wine):
    X, y = wine
    chosen = {}
    for beta in (1e-5, 1e-3, 1e-1):
        model = SCML(n_bases=100, beta=beta, euclid_share=0.0).fit(X, y)
        M = (model.bases_.T * model.weights_) @ model.bases_
        hinge = hinge_objective(X, M, model.weights_, nearest_triplets(X, y, 3, 10), 0.0)
        chosen[beta] = (hinge, model.weights_.sum())
    assert chosen[1e-5][0] < chosen[1e-3][0] < chosen[1e-1][0]
    assert chosen[1e-5][1] > chosen[1e-3][1] > chosen[1e-1][1]


def test_labels_turned_into_triplets_by_hand_give_the_same_metric(wine):
    X, y = wine
    triplets = nearest_triplets(X, y, 3, 10)
    listed = np.c_[triplets.anchor, triplets.near, triplets.far]
    from_labels = SCML(n_bases=40, bases="triplets", euclid_share=0.0).fit(X, y)
    from_triplets = SCML(n_bases=40, euclid_share=0.0).fit(X, triplets=listed)
    np.testing.assert_allclose(from_triplets.components_, from_labels.components_)
    assert not hasattr(from_triplets, "classes_")


def test_a_weighted_triplet_counts_like_two(wine):
    X, _ = wine
    rng = np.random.default_rng(0)
    triplets = rng.integers(0, len(X), size=(60, 3))
    bases = rng.normal(size=(20, 13))
    once = SCML(bases=bases, beta=1e-2, tol=1e-6, euclid_share=0.0).fit(
        X, triplets=triplets, constraint_weight=1 + (np.arange(60) < 30)
    )
    twice = SCML(bases=bases, beta=1e-2 * once_scale(X, triplets), tol=1e-6, euclid_share=0.0).fit(
        X, triplets=np.r_[triplets, triplets[:30]]
    )
    np.testing.assert_allclose(
        once.get_mahalanobis_matrix(), twice.get_mahalanobis_matrix(), atol=1e-3 * once.weights_.max()
    )


def once_scale(X, triplets):
    """How the unit of the penalty differs between the two lists."""

    def far(rows):
        return np.mean(np.sum((X[rows[:, 0]] - X[rows[:, 2]]) ** 2, axis=1))

    return far(triplets) / far(np.r_[triplets, triplets[:30]])


def test_units_and_dtype(wine):
    X, y = wine
    plain = SCML(n_bases=40, beta=1e-3, euclid_share=0.0).fit(X, y)
    for size in (1e-6, 1e6):
        scaled = SCML(n_bases=40, beta=1e-3, euclid_share=0.0).fit(size * X, y)
        np.testing.assert_allclose(
            scaled.transform(size * X[:5]) ** 2, plain.transform(X[:5]) ** 2, rtol=0.02, atol=0.02
        )
    single = SCML(n_bases=40, euclid_share=0.0).fit(X.astype(np.float32), y)
    assert single.components_.dtype == single.transform(X.astype(np.float32)).dtype == np.float32


def test_fewer_errors_than_euclid(wine):
    learned, euclid = (
        cross_val_score(KNNClassifier(learner, 1), *wine, cv=5).mean()
        for learner in (SCML(100, euclid_share=0.0), None)
    )
    assert learned > euclid + 0.01


def test_n_components_keeps_the_largest(wine):
    X, y = wine
    whole = SCML(n_bases=60, beta=1e-3, euclid_share=0.0).fit(X, y)
    two = SCML(n_bases=60, beta=1e-3, n_components=2, euclid_share=0.0).fit(X, y)
    np.testing.assert_allclose(two.components_, whole.components_[:2])


def test_a_penalty_too_large_is_euclid_with_a_warning(wine):
    X, y = wine
    with pytest.warns(UserWarning, match="no direction is worth beta"):
        model = SCML(beta=1e6, euclid_share=0.0).fit(X, y)
    np.testing.assert_array_equal(model.components_, np.eye(13))


def test_running_out_of_steps_warns(wine):
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        SCML(max_iter=1, euclid_share=0.0).fit(*wine)


def test_bases_are_unit_directions_from_every_part():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 5))
    codes = np.arange(90) % 3
    found = discriminant_bases(X, codes, 50, np.random.RandomState(0))
    assert found.shape == (50, 5)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1)
    triplets = TripletList(*rng.integers(0, 90, size=(3, 40)), np.ones(40))
    found = triplet_bases(X, triplets, 50, np.random.RandomState(0))
    assert len(found) == 50
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1)


def test_one_region_gives_the_linear_discriminant():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 10)
    X = rng.normal(size=(20, 3)) + 2 * codes[:, None]
    found = discriminant_bases(X, codes, 1, np.random.RandomState(0))[0]
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, codes).scalings_[:, 0]
    assert abs(found @ theirs) / np.linalg.norm(theirs) > 0.999


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@pytest.mark.parametrize("kind", ["one feature", "wide", "copies", "constant", "singleton", "mixed"])
def test_awkward_data_give_finite_metrics(kind):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 4)), np.arange(40) % 3
    if kind == "one feature":
        X = X[:, :1]
    elif kind == "wide":
        X = rng.normal(size=(40, 100)) + y[:, None]
    elif kind == "copies":
        X[20:] = X[:20]
    elif kind == "constant":
        X[:, 1:] = 3.0
    elif kind == "singleton":
        y[0] = 7
    elif kind == "mixed":
        X = X * [1e-6, 1, 1, 1e6]
    model = SCML(n_bases=30, beta=1e-3, euclid_share=0.0).fit(X, y)
    assert np.isfinite(model.components_).all()
    assert model.gap_ <= 1e-3


def test_rows_that_coincide_are_euclid_with_a_warning():
    with pytest.warns(UserWarning, match="no direction sets apart"):
        model = SCML(euclid_share=0.0).fit(np.ones((10, 2)), np.arange(10) % 2)
    np.testing.assert_array_equal(model.components_, np.eye(2))


def test_labels_that_give_no_triplets_are_refused(wine):
    with pytest.raises(ValueError, match="at least 2 classes"):
        SCML(euclid_share=0.0).fit(wine[0], np.zeros(len(wine[0])))
    with pytest.raises(ValueError, match="single sample"):
        SCML(euclid_share=0.0).fit(wine[0][:10], np.arange(10))
    with pytest.raises(ValueError, match="needs labels"):
        SCML(bases="discriminant", euclid_share=0.0).fit(wine[0], triplets=[[0, 1, 2]])


@pytest.mark.parametrize(
    "setting",
    [
        {"n_bases": 0},
        {"beta": 0.0},
        {"tol": -1.0},
        {"n_components": 14},
        {"bases": "lda"},
        {"bases": [[1.0]]},
    ],
)
def test_settings_that_cannot_be_meant_are_named(wine, setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        SCML(**setting, euclid_share=0.0).fit(*wine)
