"""PairClassifier: samples that are pairs, in scikit-learn's own model selection."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from nearkin import load, save
from nearkin.learners.gradient import MetricLearner
from nearkin.losses.pair_logistic import PairLogisticLoss
from nearkin.maps import DiagonalMap
from nearkin.predictors.pairs import PairClassifier

X, y = load_wine(return_X_y=True)
X = scale(X)
ROWS = np.random.RandomState(0).randint(len(X), size=(400, 2))
SAME = y[ROWS[:, 0]] == y[ROWS[:, 1]]
LEARNER = MetricLearner(DiagonalMap(), PairLogisticLoss(), tol=1e-2)


def test_points_and_row_numbers_give_the_same(whitener):
    by_points = PairClassifier(whitener()).fit(X[ROWS], SAME)
    by_rows = PairClassifier(whitener(), points=X).fit(ROWS, SAME)
    new = np.random.RandomState(1).randint(len(X), size=(50, 2))
    np.testing.assert_allclose(by_points.decision_function(X[new]), by_rows.decision_function(new))
    assert by_points.threshold_ == pytest.approx(by_rows.threshold_)
    # By points, every point is learned from once.
    assert by_points.n_features_in_ == by_rows.n_features_in_ == 13


def test_learner_sees_every_point_once_and_no_other():
    seen = {}

    class Recorder(MetricLearner):
        def fit(self, X, y=None, *, pairs=None, similar=None, constraint_weight=None):
            seen.update(X=X, pairs=pairs, similar=similar)
            return super().fit(X, pairs=pairs, similar=similar)

    rows = np.array([[5, 3], [3, 5], [7, 3], [9, 9]])
    for tuples, points in ((X[rows], None), (rows, X)):
        PairClassifier(Recorder(DiagonalMap(), PairLogisticLoss(), tol=1e-1), points=points).fit(
            tuples, [1, 1, 0, 0]
        )
        assert len(seen["X"]) == 4
        np.testing.assert_array_equal(seen["X"][seen["pairs"]], X[rows])


def test_distance_is_the_learners_and_threshold_decides():
    model = PairClassifier(LEARNER, points=X).fit(ROWS, SAME)
    distances = model.learner_.pair_distances(X, ROWS)
    np.testing.assert_allclose(model.decision_function(ROWS), model.threshold_ - distances)
    np.testing.assert_array_equal(model.predict(ROWS), distances <= model.threshold_)
    chances = model.predict_proba(ROWS)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_array_equal(chances[:, 1] >= 0.5, model.predict(ROWS))
    assert model.score(ROWS, SAME) == np.mean(model.predict(ROWS) == SAME)
    assert model.score(ROWS, SAME) > 0.85


@pytest.mark.parametrize("values", [(False, True), (0, 1), (-1, 1), (0.0, 1.0)])
def test_predictions_are_in_the_callers_own_words(values):
    same = np.array(values)[SAME.astype(int)]
    model = PairClassifier(points=X).fit(ROWS, same)
    assert model.predict(ROWS).dtype == same.dtype
    assert set(model.predict(ROWS)) == set(values)
    assert model.score(ROWS, same) > 0.7


def test_cross_validation_and_ranking_scores(whitener):
    model = PairClassifier(whitener(), points=X)
    folds = StratifiedKFold(3)
    scores = cross_val_score(model, ROWS, SAME, cv=folds, scoring="roc_auc")
    by_hand = []
    for train, test in folds.split(ROWS, SAME):
        fitted = clone(model).fit(ROWS[train], SAME[train])
        distances = fitted.learner_.pair_distances(X, ROWS[test])
        by_hand.append(roc_auc_score(SAME[test], -distances))
    np.testing.assert_allclose(scores, by_hand)
    for scoring in (None, "f1", "neg_log_loss", "average_precision"):
        assert np.isfinite(cross_val_score(model, X[ROWS], SAME, cv=3, scoring=scoring)).all()


def test_grid_search_reaches_the_learner(whitener):
    grid = GridSearchCV(PairClassifier(whitener(), points=X), {"learner__ridge": [1e-3, 10.0]}, cv=3)
    grid.fit(ROWS, SAME)
    assert len(grid.cv_results_["params"]) == 2
    assert np.ptp(grid.cv_results_["mean_test_score"]) > 0
    over_learners = GridSearchCV(PairClassifier(points=X), {"learner": [None, whitener()]}, cv=3)
    assert over_learners.fit(ROWS, SAME).best_params_["learner"] is not None


@pytest.mark.parametrize("routing", [False, True])
def test_a_pipeline_may_be_the_learner(whitener, routing):
    raw = 5 * X + 2
    with config_context(enable_metadata_routing=routing):
        model = PairClassifier(make_pipeline(StandardScaler(), whitener()), points=raw).fit(ROWS, SAME)
        used = np.unique(ROWS)
        scaler = StandardScaler().fit(raw[used])
        direct = whitener().fit(scaler.transform(raw[used]), pairs=np.searchsorted(used, ROWS), similar=SAME)
        expected = direct.pair_distances(scaler.transform(raw), ROWS)
        np.testing.assert_allclose(model.threshold_ - model.decision_function(ROWS), expected)


def test_calibration_uses_the_pairs_it_is_given(whitener):
    model = PairClassifier(whitener(), points=X).fit(ROWS[:100], SAME[:100])
    before = model.threshold_
    held_out = ROWS[100:], SAME[100:]
    accuracy = model.score(*held_out)
    assert model.calibrate(*held_out) is model
    assert model.threshold_ != before
    assert model.score(*held_out) >= accuracy
    # The distance itself stays.
    np.testing.assert_allclose(
        model.threshold_ - model.decision_function(ROWS), model.learner_.pair_distances(X, ROWS)
    )


def test_a_threshold_of_ones_own_stays(whitener):
    model = PairClassifier(whitener(), threshold=2.5, points=X).fit(ROWS, SAME)
    assert model.threshold_ == 2.5
    assert model.calibrate(ROWS[:50], SAME[:50]).threshold_ == 2.5


def test_f1_tells_more_pairs_than_accuracy_where_similar_ones_are_rare(whitener):
    rare = ~SAME | (np.arange(400) % 5 == 0)
    told = {
        criterion: PairClassifier(whitener(), threshold=criterion, points=X)
        .fit(ROWS[rare], SAME[rare])
        .predict(ROWS[rare])
        .sum()
        for criterion in ("accuracy", "f1")
    }
    assert told["f1"] >= told["accuracy"]


def test_weight_zero_is_leaving_out(whitener):
    weights = (np.arange(400) % 3 > 0).astype(float)
    kept = weights > 0
    part = PairClassifier(whitener(), points=X).fit(ROWS[kept], SAME[kept])
    zero = PairClassifier(whitener(), points=X).fit(ROWS, SAME, sample_weight=weights)
    assert zero.threshold_ == pytest.approx(part.threshold_)
    assert zero.scale_ == pytest.approx(part.scale_)


def test_float32_stays_and_sparse_points_serve_euclid():
    single = PairClassifier(LEARNER).fit(X[ROWS].astype(np.float32), SAME)
    assert single.learner_.components_.dtype == np.float32
    thin = PairClassifier(points=sparse.csr_array(X)).fit(ROWS, SAME)
    assert thin.threshold_ == pytest.approx(PairClassifier(points=X).fit(ROWS, SAME).threshold_)


def test_model_files_keep_it(tmp_path):
    model = PairClassifier(make_pipeline(StandardScaler(), LEARNER)).fit(X[ROWS], SAME)
    save(model, tmp_path / "pairs.nearkin")
    again = load(tmp_path / "pairs.nearkin")
    np.testing.assert_array_equal(again.decision_function(X[ROWS]), model.decision_function(X[ROWS]))


class TestBadInput:
    def test_pairs_of_one_kind(self):
        with pytest.raises(ValueError, match="one class"):
            PairClassifier(points=X).fit(ROWS, np.ones(400, dtype=bool))

    def test_labels_that_are_no_flags(self):
        with pytest.raises(ValueError, match="booleans"):
            PairClassifier(points=X).fit(ROWS, np.arange(400) % 3)

    def test_row_numbers_without_points(self):
        with pytest.raises(ValueError, match="points"):
            PairClassifier().fit(ROWS, SAME)

    def test_row_numbers_out_of_range(self):
        with pytest.raises(ValueError, match="names row 400"):
            PairClassifier(points=X).fit([[0, 400], [1, 2]], [True, False])

    def test_triplets_in_place_of_pairs(self):
        with pytest.raises(ValueError, match=r"\(n, 2, n_features\)"):
            PairClassifier().fit(np.zeros((4, 3, 2)), [0, 1, 0, 1])

    def test_missing_values(self):
        pairs = X[ROWS].copy()
        pairs[3, 1, 2] = np.nan
        with pytest.raises(ValueError, match="NaN"):
            PairClassifier().fit(pairs, SAME)

    def test_another_number_of_features(self):
        model = PairClassifier().fit(X[ROWS], SAME)
        with pytest.raises(ValueError, match="12 features"):
            model.predict(X[ROWS][:, :, :12])

    @pytest.mark.parametrize("threshold", ["loud", None, np.nan])
    def test_impossible_thresholds(self, threshold):
        with pytest.raises(ValueError, match="threshold"):
            PairClassifier(threshold=threshold, points=X).fit(ROWS, SAME)

    @pytest.mark.parametrize("learner", [StandardScaler(), 5, make_pipeline(StandardScaler())])
    def test_learners_that_know_no_pairs(self, learner):
        with pytest.raises(TypeError, match="cannot learn from pairs"):
            PairClassifier(learner, points=X).fit(ROWS, SAME)

    def test_predicting_before_fitting(self):
        with pytest.raises(NotFittedError):
            PairClassifier(points=X).predict(ROWS)
