import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from nearkin.evaluation import Candidate, ResultsStore, StratifiedFolds, compare
from nearkin.report.summarise import confusion_of, held_out_predictions, hubness_of, summarise_comparison
from nearkin.report.summary import ACCURACY, ARRMSE


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


def test_rows_keep_order_kind_and_failure(compared):
    comparison, _, _ = compared
    summary = summarise_comparison(comparison, facts={"rows": "150"}, command="nearkin compare iris")
    kinds = {row.name: row.kind for row in summary.standings}
    assert kinds == {"Euclid": "baseline", "Manhattan": "reference", "Nonsense": "learner"}
    assert [row.name for row in summary.standings] == [row.label for row in comparison.rows]
    assert not summary.standings[-1].finished
    assert summary.winner.name == "Euclid"
    assert list(summary.baseline.settings) == ["n_neighbors"]
    assert summary.score is ACCURACY
    assert summary.headline == comparison.statement
    assert "numpy" in summary.versions


def test_every_row_is_held_out_once(compared):
    _, records, y = compared
    rows, predictions = held_out_predictions(records, "Euclid")
    assert sorted(rows) == list(range(150))
    confusion = confusion_of(records, "Euclid", y)
    assert np.sum(confusion.counts) == 150
    assert np.trace(confusion.counts) == np.sum(predictions == y[rows])


def test_hubness_of_the_folds(compared):
    _, records, y = compared
    view = hubness_of(records, "Euclid", y, name_of=lambda label: f"kind {label}")
    assert sum(view.counts) == 150 * view.k
    assert view.hubs[0]["label"].startswith("kind ")
    assert hubness_of(records, "Nonsense", y) is None
    assert confusion_of(records, "Nonsense", y) is None


def test_scores_are_written_as_people_read_them():
    assert ACCURACY.text(None) == "–"
    assert ACCURACY.text(-0.012, signed=True) == "−1.2 points"
    assert ARRMSE.text(0.1234) == "0.123"
