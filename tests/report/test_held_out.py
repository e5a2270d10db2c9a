import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from nearkin.evaluation import Candidate, Folds, ResultsStore, StratifiedFolds, compare_candidates
from nearkin.report.circumstances import Circumstances
from nearkin.report.held_out import (
    confusion_of,
    cost_of,
    held_out_predictions,
    hubness_of,
    troubles_of,
    views_of_records,
)
from nearkin.report.views import CostView


@pytest.fixture(scope="module")
def compared():
    X, y = load_iris(return_X_y=True)
    candidates = [
        Candidate("Euclid", KNeighborsClassifier(5), {"n_neighbors": [1, 5]}, ("n_neighbors",)),
        Candidate("Nonsense", KNeighborsClassifier(5, metric="no such metric")),
        Candidate("Manhattan", KNeighborsClassifier(5, metric="manhattan"), reference=True),
    ]
    store = ResultsStore.open()
    comparison = compare_candidates(X, y, candidates, StratifiedFolds(3, 2), store=store, isolate=False)
    return comparison, store.results(comparison.run), y


def test_views_show_the_baseline_and_what_is_best_beside_it(compared):
    comparison, records, y = compared
    views = views_of_records(comparison, records, y, Circumstances(class_names=["one", "two", "three"]))
    assert list(views.hubness) == ["Euclid"]  # the only other learner failed
    assert views.confusion[0].classes == ["one", "two", "three"]
    assert views.hubness["Euclid"].largest(1)[0]["label"] in ("one", "two", "three")
    assert not views.regression


def test_failures_are_told(compared):
    (told,) = troubles_of(*compared[:2])
    assert told.startswith("Nonsense: 6 of 6 folds failed (error: ")


def test_every_row_is_held_out_once(compared):
    _, records, y = compared
    rows, predictions = held_out_predictions(records, "Euclid")
    assert sorted(rows) == list(range(150))
    confusion = confusion_of(records, "Euclid", y)
    assert np.sum(confusion.counts) == 150
    assert np.trace(confusion.counts) == np.sum(predictions == y[rows])


def test_hubness_of_the_folds(compared):
    _, records, y = compared
    found = hubness_of(records, "Euclid", y, lambda labels: [f"kind {label}" for label in labels])
    assert found.occurrences.sum() == 150 * found.k
    assert found.largest(1)[0]["label"].startswith("kind ")
    assert found.bad_share is not None
    numbers = hubness_of(records, "Euclid", y, categorical=False)
    assert numbers.bad_occurrences is None
    assert numbers.labels.tolist() == y.tolist()
    assert hubness_of(records, "Nonsense", y) is None
    assert confusion_of(records, "Nonsense", y) is None


def test_costs_are_per_thousand_rows(compared):
    _, records, _ = compared
    own = [r for r in records if r.label == "Euclid"]
    cost = cost_of(records, "Euclid")
    assert cost.predict == pytest.approx(1000 * sum(r.predict_seconds for r in own) / 300)
    assert cost_of(records, "Nonsense") == CostView()


def test_misses_come_worst_first_with_their_neighbours():
    X, y = load_diabetes(return_X_y=True)
    store = ResultsStore.open()
    candidates = [Candidate("Euclid", KNeighborsRegressor(5))]
    comparison = compare_candidates(X, y, candidates, Folds(3), store=store, isolate=False, task="regression")
    views = views_of_records(comparison, store.results(comparison.run), y, Circumstances())
    misses = views.misses["target 1"]
    errors = [abs(miss.true - miss.predicted) for miss in misses]
    assert errors == sorted(errors, reverse=True)
    pair = views.regression["target 1"]
    assert errors[0] == pytest.approx(np.max(np.abs(np.subtract(pair["true"], pair["predicted"]))))
    for miss in misses:
        assert y[miss.row] == miss.true
        np.testing.assert_array_equal(y[list(miss.neighbours)], miss.targets)
        # The five listed are the five that were averaged.
        assert np.mean(miss.targets) == pytest.approx(miss.predicted)
