"""TripletScorer: samples that are triplets."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from nearkin.learners.gradient import MetricLearner
from nearkin.losses.triplet_hinge import TripletHingeLoss
from nearkin.maps import DiagonalMap
from nearkin.predictors.triplets import TripletScorer

X, y = load_wine(return_X_y=True)
X = scale(X)
rows = np.random.RandomState(0).randint(len(X), size=(1500, 3))
ROWS = rows[(y[rows[:, 0]] == y[rows[:, 1]]) & (y[rows[:, 0]] != y[rows[:, 2]])]
LEARNER = MetricLearner(DiagonalMap(), TripletHingeLoss(), max_iter=1000, tol=1e-2)


def test_score_is_the_share_of_triplets_in_order():
    model = TripletScorer(LEARNER, points=X).fit(ROWS)
    near = model.learner_.pair_distances(X, ROWS[:, :2])
    far = model.learner_.pair_distances(X, ROWS[:, [0, 2]])
    np.testing.assert_allclose(model.decision_function(ROWS), far - near)
    assert model.score(ROWS) == np.mean(near < far)
    weights = np.arange(len(ROWS), dtype=float)
    assert model.score(ROWS, sample_weight=weights) == pytest.approx(np.average(near < far, weights=weights))


def test_points_and_row_numbers_give_the_same():
    by_points, by_rows = TripletScorer(LEARNER).fit(X[ROWS]), TripletScorer(LEARNER, points=X).fit(ROWS)
    np.testing.assert_allclose(
        by_points.decision_function(X[ROWS]), by_rows.decision_function(ROWS), rtol=1e-3, atol=1e-3
    )


def test_cross_validation_over_triplets():
    euclid = cross_val_score(TripletScorer(points=X), ROWS, cv=KFold(3))
    learned = cross_val_score(TripletScorer(LEARNER, points=X), ROWS, cv=KFold(3))
    assert learned.mean() > euclid.mean()
    grid = GridSearchCV(
        TripletScorer(make_pipeline(StandardScaler(), LEARNER), points=X),
        {"learner__metriclearner__loss": [TripletHingeLoss(margin=1.0), TripletHingeLoss(margin=100.0)]},
        cv=2,
    ).fit(ROWS)
    assert grid.best_score_ > 0.8


def test_equal_distances_are_not_in_order():
    triplets = np.array([[[0.0], [1.0], [1.0]], [[0.0], [1.0], [-2.0]]])
    assert TripletScorer().fit(triplets).predict(triplets).tolist() == [False, True]


def test_learners_from_pairs_are_refused(whitener):
    with pytest.raises(TypeError, match="cannot learn from triplets"):
        TripletScorer(whitener(), points=X).fit(ROWS)
