from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_regression
from sklearn.linear_model import LinearRegression
from sklearn.metrics import log_loss
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nearkin.evaluation import Candidate, FiveByTwo, Folds, Problem, StratifiedFolds, arrmse, fit_candidate
from nearkin.evaluation.measurement import attempt, measure, seeded_clone
from nearkin.evaluation.metrics import Metric
from nearkin.evaluation.tasks import Task

X, Y = load_iris(return_X_y=True)


def first_split(problem, protocol):
    return protocol.splits(problem.y, 0)[0]


def measured(problem, candidate, split):
    return measure(Task("5" * 32, problem, candidate, split, {}, {}, seed=6))


class Spy(ClassifierMixin, BaseEstimator):
    """Predicts the first class and keeps every row it was ever shown in training."""

    shown: list = []

    def __init__(self, depth=1, random_state=None):
        self.depth = depth
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Spy.shown.append((self.depth, X[:, 0].astype(int)))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_score_and_times_of_a_plain_fit():
    problem = Problem("iris", X, Y)
    split = first_split(problem, StratifiedFolds(3))
    found = measured(problem, Candidate("knn", KNeighborsClassifier(3)), split)
    model = KNeighborsClassifier(3).fit(X[split.train], Y[split.train])
    assert found.score == model.score(X[split.test], Y[split.test])
    assert np.array_equal(found.predictions, model.predict(X[split.test]))
    assert found.fit_seconds > 0
    assert found.predict_seconds > 0
    assert found.tune_seconds == 0


def test_only_training_rows_are_ever_fitted():
    row_numbers = np.column_stack([np.arange(len(Y)), X])
    problem = Problem("rows", row_numbers, Y)
    split = first_split(problem, StratifiedFolds(5))
    Spy.shown = []
    found = measured(problem, Candidate("spy", Spy(), {"depth": [1, 2, 3]}), split)
    seen = np.concatenate([rows for _, rows in Spy.shown])
    assert not np.intersect1d(seen, split.test).size
    assert len(Spy.shown) == 3 * 3 + 1
    assert found.chosen == {"depth": 1}  # all the same score: the first setting
    assert np.array_equal(Spy.shown[-1][1], split.train)


def test_a_candidate_says_how_many_inner_folds_choose():
    problem = Problem("iris", X, Y)
    split = first_split(problem, StratifiedFolds(5))
    many = Candidate("spy", Spy(), {"depth": [1, 2]}, inner_folds=10)
    Spy.shown = []
    measured(problem, many, split)
    # Ten inner folds leave nine tenths of the rows to every fit, and the last fit gets all.
    assert [len(rows) for _, rows in Spy.shown] == [len(split.train) * 9 // 10] * 20 + [len(split.train)]
    assert many.parts() != replace(many, inner_folds=3).parts()
    assert "inner_folds" not in Candidate("spy", Spy()).parts()


def test_settings_of_prediction_time_share_a_fit():
    row_numbers = np.column_stack([np.arange(len(Y)), X])
    problem = Problem("rows", row_numbers, Y)
    split = first_split(problem, StratifiedFolds(5))
    Spy.shown = []
    measured(problem, Candidate("spy", Spy(), {"depth": [1, 2, 3]}, predict_time=("depth",)), split)
    assert len(Spy.shown) == 3 + 1


def test_sharing_a_fit_does_not_change_the_choice():
    problem = Problem("iris", X, Y)
    split = first_split(problem, StratifiedFolds(3))
    grid = {"n_neighbors": [1, 4, 15, 60], "weights": ["uniform", "distance"]}
    plain = measured(problem, Candidate("knn", KNeighborsClassifier(), grid), split)
    shared = measured(
        problem, Candidate("knn", KNeighborsClassifier(), grid, ("n_neighbors", "weights")), split
    )
    assert plain.chosen == shared.chosen
    assert plain.score == shared.score


def test_a_setting_that_fails_is_passed_over():
    problem = Problem("iris", X, Y)
    split = first_split(problem, StratifiedFolds(3))
    found = measured(problem, Candidate("knn", KNeighborsClassifier(), {"n_neighbors": [1000, 3]}), split)
    assert found.chosen == {"n_neighbors": 3}
    with pytest.raises(RuntimeError, match="every setting"):
        measured(problem, Candidate("knn", KNeighborsClassifier(), {"n_neighbors": [1000, 2000]}), split)


def test_neighbours_are_rows_of_the_data():
    problem = Problem("iris", X, Y)
    split = first_split(problem, StratifiedFolds(3))
    found = measured(
        problem, Candidate("knn", make_pipeline(StandardScaler(), KNeighborsClassifier(1))), split
    )
    assert found.neighbours.shape == (len(split.test), 10)
    assert np.isin(found.neighbours, split.train).all()
    assert np.array_equal(Y[found.neighbours[:, 0]], found.predictions)
    assert np.isfinite(found.hub_skewness)


def test_models_without_neighbours_have_no_hubness():
    data, y = make_regression(60, 5, n_targets=2, random_state=0)
    problem = Problem("linear", data, y)
    assert problem.task == "regression"
    split = first_split(problem, Folds(3))
    found = measured(problem, Candidate("linear", LinearRegression()), split)
    assert found.hub_skewness is None
    assert found.neighbours is None
    assert found.score == pytest.approx(0, abs=1e-8)


def test_regression_is_scored_against_the_training_mean():
    data, y = make_regression(60, 5, n_targets=2, noise=5, random_state=0)
    problem = Problem("linear", data, y)
    split = first_split(problem, Folds(3))
    found = measured(problem, Candidate("knn", KNeighborsRegressor(), {"n_neighbors": [1, 5, 30]}), split)
    assert found.score == pytest.approx(arrmse(y[split.test], found.predictions, y[split.train].mean(axis=0)))
    assert found.chosen["n_neighbors"] == 5


def test_validation_rows_are_scored_apart():
    problem = Problem("iris", X, Y)
    split = first_split(problem, FiveByTwo())
    found = measured(problem, Candidate("knn", KNeighborsClassifier(1)), split)
    model = KNeighborsClassifier(1).fit(X[split.train], Y[split.train])
    assert found.validation_score == model.score(X[split.validation], Y[split.validation])


@pytest.mark.parametrize("make", [sparse.csr_matrix, pd.DataFrame])
def test_sparse_rows_and_data_frames(make):
    problem = Problem("iris", make(X), Y)
    split = first_split(problem, StratifiedFolds(3))
    candidate = Candidate("knn", KNeighborsClassifier(), {"n_neighbors": [1, 3]})
    assert measured(problem, candidate, split).score > 0.9


def test_open_random_states_are_seeded_and_given_ones_kept():
    assert seeded_clone(Spy(), {}, 2**40 + 3).random_state == 3
    assert seeded_clone(Spy(random_state=9), {}, 3).random_state == 9
    assert seeded_clone(make_pipeline(Spy()), {"spy__depth": 4}, 3).get_params()["spy__random_state"] == 3


def test_global_generators_are_left_alone():
    problem = Problem("iris", X, Y)
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    measured(problem, Candidate("knn", KNeighborsClassifier()), first_split(problem, StratifiedFolds(3)))
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_warnings_of_a_fit_are_recorded():
    class Worried(KNeighborsClassifier):
        def fit(self, X, y):
            import warnings

            warnings.warn("not sure about this", UserWarning, stacklevel=2)
            return super().fit(X, y)

    problem = Problem("iris", X, Y)
    found = measured(problem, Candidate("w", Worried()), first_split(problem, StratifiedFolds(3)))
    assert found.warnings == ["UserWarning: not sure about this"]


def test_every_setting_is_scored_on_the_test_rows_where_asked():
    problem = Problem("iris", X, Y)
    split = first_split(problem, StratifiedFolds(3))
    # More neighbours than training rows fail, and do not take the others with them.
    grid = {"n_neighbors": [1, 70, 149], "weights": ["uniform", "distance"]}
    settings = {"predict_time": ("n_neighbors", "weights"), "every_setting": True}
    found = measured(problem, Candidate("knn", KNeighborsClassifier(), grid, **settings), split)
    expected = [
        KNeighborsClassifier(k, weights=w)
        .fit(X[split.train], Y[split.train])
        .score(X[split.test], Y[split.test])
        for k in (1, 70)
        for w in ("uniform", "distance")
    ]
    assert found.figures["grid"] == grid
    assert found.figures["scores"] == [*expected, None, None]
    assert found.score == max(expected)
    assert found.chosen == {}


def test_scoring_every_setting_fails_where_every_setting_does():
    problem = Problem("iris", X, Y)
    grid = {"n_neighbors": [140, 149]}
    candidate = Candidate("knn", KNeighborsClassifier(), grid, ("n_neighbors",), every_setting=True)
    with pytest.raises(RuntimeError, match="every setting"):
        measured(problem, candidate, first_split(problem, StratifiedFolds(3)))


def test_scoring_every_setting_is_another_task():
    plain = Candidate("knn", KNeighborsClassifier(), {"n_neighbors": [1, 3]})
    assert "every_setting" not in plain.parts()
    assert replace(plain, every_setting=True).parts()["every_setting"]


def test_the_share_of_ignored_features_is_recorded():
    class Sparse(KNeighborsClassifier):
        sparsity_ = 0.25

    problem = Problem("iris", X, Y)
    split = first_split(problem, StratifiedFolds(3))
    assert measured(problem, Candidate("s", make_pipeline(Sparse())), split).figures == {"sparsity": 0.25}
    assert measured(problem, Candidate("knn", KNeighborsClassifier()), split).figures == {}


def test_refit_uses_all_rows():
    problem = Problem("iris", X, Y)
    grid = {"n_neighbors": [1, 120]}
    model, chosen = fit_candidate(problem, Candidate("knn", KNeighborsClassifier(), grid))
    assert chosen == {"n_neighbors": 1}
    assert model.n_samples_fit_ == len(Y)


def test_a_failure_is_a_record_too():
    problem = Problem("iris", X, Y)
    split = first_split(problem, StratifiedFolds(3))
    task = Task(
        "5" * 32, problem, Candidate("bad", KNeighborsClassifier(metric="none such")), split, {}, {}, 0
    )
    record = attempt(task)
    assert (record.status, record.score, record.label, record.fold) == ("error", None, "bad", "0.0")
    assert "none such" in record.error


def test_a_metric_of_probabilities_judges_tuning_and_score():
    def surprise(y_true, shares, y_train):
        return log_loss(y_true, shares, labels=np.unique(y_train))

    metric = Metric("log loss", greater_is_better=False, compute=surprise, needs="predict_proba")
    problem = Problem("iris", X, Y, metric=metric)
    split = first_split(problem, StratifiedFolds(3))
    found = measured(problem, Candidate("knn", KNeighborsClassifier(), {"n_neighbors": [1, 15]}), split)
    # One neighbour is certain even where it is wrong, which costs most under this metric.
    assert found.chosen == {"n_neighbors": 15}
    model = KNeighborsClassifier(15).fit(X[split.train], Y[split.train])
    assert found.score == pytest.approx(log_loss(Y[split.test], model.predict_proba(X[split.test])))
    assert found.metric == "log loss"
    assert problem.fingerprint != Problem("iris", X, Y).fingerprint


def test_rows_and_targets_must_fit():
    with pytest.raises(ValueError, match="150 rows but y has 149"):
        Problem("iris", X, Y[1:])
    with pytest.raises(ValueError, match="task="):
        Problem("iris", X, Y, task="ranking")


def test_without_tuning_a_stand_in_chooses_what_both_know():
    problem = Problem("iris", X, Y)
    split = first_split(problem, StratifiedFolds(3))
    plain = Candidate("Euclid", KNeighborsClassifier(1), {"n_neighbors": [1, 60, 90]}, ("n_neighbors",))
    scaled = Candidate(
        "Manhattan", KNeighborsClassifier(1, p=1), plain.grid, plain.predict_time, stand_in=plain
    )
    chosen = measured(problem, plain, split).chosen
    found = measured(problem, scaled.untuned(), split)
    assert found.chosen == chosen
    assert not found.tuned
    assert found.tune_seconds > 0
    model = KNeighborsClassifier(**chosen, p=1).fit(X[split.train], Y[split.train])
    assert found.score == model.score(X[split.test], Y[split.test])
    # What is fixed stays, and what is tuned itself asks nobody.
    assert measured(problem, replace(scaled.untuned(), setting={"n_neighbors": 60}), split).chosen == {}
    assert measured(problem, scaled, split).tuned


def test_a_stand_in_looks_at_a_part_of_many_rows():
    class Counting(KNeighborsClassifier):
        rows: list = []

        def fit(self, X, y):
            Counting.rows.append(len(X))
            return super().fit(X, y)

    rng = np.random.default_rng(0)
    many, labels = rng.normal(size=(6000, 2)), np.tile([0, 1, 2], 2000)
    problem = Problem("many", many, labels)
    grid = {"n_neighbors": [1, 3]}
    candidate = Candidate(
        "knn", KNeighborsClassifier(1), stand_in=Candidate("Euclid", Counting(1), grid, ("n_neighbors",))
    )
    assert "n_neighbors" in measured(problem, candidate, first_split(problem, StratifiedFolds(3))).chosen
    assert len(Counting.rows) == 3
    assert max(Counting.rows) < 2000


def test_a_stand_in_is_part_of_what_an_untuned_candidate_is():
    plain = Candidate("Euclid", KNeighborsClassifier(1), {"n_neighbors": [1, 3]}, ("n_neighbors",))
    alone, helped = plain, replace(plain, stand_in=plain)
    assert alone.parts() == helped.parts()
    assert alone.untuned().parts() != helped.untuned().parts()
