import numpy as np
import pytest
from sklearn import metrics
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from nearkin import RCA, KNNClassifier
from nearkin.evaluation import METRICS, Metric, Problem, Relevance, metric_named
from nearkin.evaluation.metrics import ACCURACY, ARRMSE
from nearkin.evaluation.results import Record


def test_scores_are_written_as_people_read_them():
    assert ACCURACY.text(None) == "–"
    assert ACCURACY.text(float("nan")) == "–"
    assert ACCURACY.text(-0.012, signed=True) == "−1.2 points"
    assert ARRMSE.text(0.1234) == "0.123"


def test_what_is_better_is_larger_when_turned():
    assert ACCURACY.better(0.9) > ACCURACY.better(0.8)
    assert ARRMSE.better(0.8) > ARRMSE.better(0.9)


def test_tables_print_shares_in_percent():
    record = Record("key", "data", "learner", "0.0", 0, {}, status="done", score=0.25, hub_skewness=1.5)
    assert ACCURACY.printed(record) == 25.0
    assert ARRMSE.printed(record) == 0.25
    skewness = Metric("skewness", greater_is_better=False, read=lambda found: found.hub_skewness)
    assert skewness.printed(record) == 1.5
    assert ACCURACY.printed(Record("key", "data", "learner", "0.0", 0, {})) is None


RNG = np.random.default_rng(0)
LABELS = np.array(["a", "b", "c"])[RNG.integers(0, 3, 240)]
ROWS = RNG.standard_normal((240, 2)) + 2 * np.eye(3, 2)[np.searchsorted(["a", "b", "c"], LABELS)]
TRAIN, TEST = np.arange(160), np.arange(160, 240)


@pytest.mark.parametrize("name", [*METRICS, "recall@5", "precision@5", "hit-rate@2", "ndcg@5"])
def test_every_metric_ranks_a_good_model_over_a_poor_one(name):
    metric = metric_named(name)
    numeric = metric.task == "regression"
    kind = KNeighborsRegressor if numeric else KNeighborsClassifier
    y = ROWS.sum(axis=1) if numeric else LABELS
    spoilt = RNG.standard_normal(ROWS.shape)
    scores = []
    for rows in (ROWS, spoilt):
        model = make_pipeline(StandardScaler(), kind(9)).fit(rows[TRAIN], y[TRAIN])
        assert metric.judges(model)
        scores.append(metric.score(model, rows[TEST], y[TEST], y[TRAIN]))
    assert metric.better(scores[0]) > metric.better(scores[1])


def test_scores_are_those_of_scikit_learn():
    for classes in (LABELS, np.where(LABELS == "a", "a", "b")):
        model = KNeighborsClassifier(9).fit(ROWS[TRAIN], classes[TRAIN])
        truth, shares, answers = classes[TEST], model.predict_proba(ROWS[TEST]), model.predict(ROWS[TEST])
        positive = shares if shares.shape[1] > 2 else shares[:, 1]
        expected = {
            "balanced-accuracy": metrics.balanced_accuracy_score(truth, answers),
            "macro-f1": metrics.f1_score(truth, answers, average="macro"),
            "log-loss": -np.mean(
                np.log(np.clip(shares[np.arange(80), np.searchsorted(model.classes_, truth)], 1e-15, 1))
            ),
            "roc-auc": metrics.roc_auc_score(truth, positive, multi_class="ovr"),
        }
        for name, value in expected.items():
            assert metric_named(name).score(model, ROWS[TEST], truth, classes[TRAIN]) == pytest.approx(
                value
            ), name


def test_a_class_that_was_never_seen_costs_what_it_must():
    truth, shares = np.array(["a", "new"]), np.array([[1.0, 0.0], [0.5, 0.5]])
    train = np.array(["a", "b"])
    assert metric_named("log loss")(truth, shares, train) == pytest.approx(-np.log(1e-15) / 2)
    with pytest.raises(ValueError, match="one class only"):
        metric_named("roc auc")(np.array(["b", "b"]), shares, train)


def test_ranked_lists_judge_neighbours_and_nothing_else():
    model = KNeighborsClassifier(1).fit(ROWS[TRAIN], LABELS[TRAIN])
    nearest = model.kneighbors(ROWS[TEST], 1, return_distance=False)[:, 0]
    share = np.mean(LABELS[TRAIN][nearest] == LABELS[TEST])
    assert metric_named("precision@1").score(model, ROWS[TEST], LABELS[TEST], LABELS[TRAIN]) == share
    tree = DecisionTreeClassifier().fit(ROWS[TRAIN], LABELS[TRAIN])
    assert not metric_named("mrr").judges(tree)
    with pytest.raises(ValueError, match="decides without neighbours"):
        metric_named("mrr").score(tree, ROWS[TEST], LABELS[TEST], LABELS[TRAIN])


def test_names_are_taken_as_they_come_and_unknown_ones_are_answered():
    for name in ("Balanced Accuracy", "balanced_accuracy", "balanced-accuracy"):
        assert metric_named(name) is METRICS["balanced accuracy"]
    assert metric_named("ndcg@7") == metric_named("nDCG@7")
    for name in ("accurcy", "recall@", "recall@0"):
        with pytest.raises(ValueError, match="known: accuracy, balanced-accuracy"):
            metric_named(name)


def test_what_does_not_matter_depends_on_the_unit_only_where_there_is_one():
    assert metric_named("accuracy").equivalence([0.5]) == 0.01
    assert metric_named("mae").equivalence([200.0, 300.0]) == pytest.approx(2.5)


def test_a_metric_of_the_other_task_is_refused():
    with pytest.raises(ValueError, match="aRRMSE is for regression"):
        Problem("data", np.zeros((4, 1)), [0, 1, 0, 1], metric=ARRMSE)


def test_a_metric_tunes_as_scoring_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    metric = metric_named("map@r")
    search = GridSearchCV(
        KNNClassifier(RCA()), {"learner__shrinkage": [0.0, 0.9]}, scoring=metric.scorer, cv=3
    )
    search.fit(X, y)
    train, test = next(StratifiedKFold(3).split(X, y))
    model = KNNClassifier(RCA(shrinkage=0.9)).fit(X[train], y[train])
    assert search.cv_results_["split0_test_score"][1] == metric.score(model, X[test], y[test], y[train])
    assert metric_named("log-loss").scorer(model, X[test], y[test]) < 0
    truth = Relevance.of_labels(y[test], y[train])
    assert metric.score(model, X[test], truth) == metric.score(model, X[test], y[test])
