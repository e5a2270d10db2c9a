import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from nearkin.evaluation import Candidate, ResultsStore, StratifiedFolds, compare
from nearkin.report.circumstances import Circumstances
from nearkin.report.held_out import (
    confusion_of,
    held_out_predictions,
    hubness_of,
    views_of_records,
    warnings_of,
)


@pytest.fixture(scope="module")
def compared():
    X, y = load_iris(return_X_y=True)
    candidates = [
        Candidate("Euclid", KNeighborsClassifier(5), {"n_neighbors": [1, 5]}, ("n_neighbors",)),
        Candidate("Nonsense", KNeighborsClassifier(5, metric="no such metric")),
        Candidate("Manhattan", KNeighborsClassifier(5, metric="manhattan"), reference=True),
    ]
    store = ResultsStore.open()
    comparison = compare(X, y, candidates, StratifiedFolds(3, 2), store=store, isolate=False)
    return comparison, store.results(comparison.run), y


def test_views_show_the_baseline_and_what_is_best_beside_it(compared):
    comparison, records, y = compared
    views = views_of_records(comparison, records, y, Circumstances(class_names=["one", "two", "three"]))
    assert list(views.hubness) == ["Euclid"]  # the only other learner failed
    assert views.confusion[0].classes == ["one", "two", "three"]
    assert views.hubness["Euclid"].largest(1)[0]["label"] in ("one", "two", "three")
    assert not views.regression


def test_failures_are_told(compared):
    (told,) = warnings_of(*compared[:2])
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
