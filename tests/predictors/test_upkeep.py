"""References come and go, the distance stays; drift is told from chance; one index for many threads."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from nearkin import KNNClassifier, KNNRegressor, MoveLabeled, load, save
from nearkin.predictors.upkeep import DriftCheck
from nearkin.search import NeighbourSearch

X, y = make_blobs(300, 8, centers=6, cluster_std=4.0, random_state=0)


def test_added_references_are_as_if_fitted_with_them():
    model = KNNClassifier(n_neighbors=3).fit(X[:100], y[:100]).add_references(X[100:200], y[100:200])
    whole = KNNClassifier(n_neighbors=3).fit(X[:200], y[:200])
    np.testing.assert_array_equal(model.predict(X[200:]), whole.predict(X[200:]))
    np.testing.assert_array_equal(model.predict_proba(X[200:]), whole.predict_proba(X[200:]))


def test_the_distance_stays_and_new_classes_may_come():
    model = KNNClassifier(MoveLabeled(), n_neighbors=1).fit(X[:200], np.array(list("abcdef"))[y[:200]])
    before = model.distance_
    model.add_references(X[200:] + 100, ["new"] * 100)
    assert model.distance_ is before
    assert model.learner_.classes_.tolist() == list("abcdef")
    assert "new" in model.classes_
    assert model.labels_.tolist()[:200] == np.array(list("abcdef"))[y[:200]].tolist()
    moved = model.learner_.move(X[200:201] + 100)
    assert model.predict(moved).tolist() == ["new"]


def test_removed_references_are_found_no_more():
    for rows in (np.arange(50), np.arange(300) < 50):
        model = KNNClassifier(n_neighbors=3).fit(X, y).remove_references(rows)
        fresh = KNNClassifier(n_neighbors=3).fit(X[50:], y[50:])
        np.testing.assert_array_equal(model.predict(X), fresh.predict(X))
        assert model.n_samples_fit_ == 250


def test_regressors_and_sparse_rows_too():
    target = np.stack([X[:, 0], X[:, 1]], axis=1)
    model = KNNRegressor(n_neighbors=3).fit(X[:100], target[:100]).add_references(X[100:], target[100:])
    np.testing.assert_allclose(model.predict(X), KNNRegressor(n_neighbors=3).fit(X, target).predict(X))
    fewer = KNNRegressor(n_neighbors=3).fit(X[10:], target[10:])
    np.testing.assert_allclose(model.remove_references(np.arange(10)).predict(X), fewer.predict(X))
    thin = KNNClassifier(n_neighbors=3).fit(sparse.csr_array(X[:100]), y[:100])
    thin.add_references(sparse.csr_array(X[100:]), y[100:])
    np.testing.assert_array_equal(thin.predict(X), KNNClassifier(n_neighbors=3).fit(X, y).predict(X))


def test_what_cannot_be_is_refused_and_changes_nothing():
    model = KNNClassifier(n_neighbors=3).fit(X, y)
    for call, message in [
        (lambda: model.add_references(X[:, :3], y), "features"),
        (lambda: model.add_references(X, y[:5]), "inconsistent"),
        (lambda: model.remove_references([300]), "0 to 299"),
        (lambda: model.remove_references(np.arange(300)), "no reference"),
        (lambda: model.remove_references(np.arange(299)), "fewer than n_neighbors"),
        (lambda: model.remove_references([0.5]), "row numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
    np.testing.assert_array_equal(model.predict(X), KNNClassifier(n_neighbors=3).fit(X, y).predict(X))


def test_eight_threads_build_one_index(tmp_path, monkeypatch):
    save(KNNClassifier(MoveLabeled()).fit(X, y), tmp_path / "model.nearkin")
    model = load(tmp_path / "model.nearkin")
    expected = load(tmp_path / "model.nearkin").predict(X)
    built, start = [], Barrier(8)
    build = NeighbourSearch.build
    monkeypatch.setattr(NeighbourSearch, "build", lambda self, rows: (built.append(1), build(self, rows))[1])

    def predict(_):
        start.wait()
        return model.predict(X)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(predict, range(8)))
    assert len(built) == 1
    assert all((answer == expected).all() for answer in answers)
    save(model, tmp_path / "again.nearkin")  # the lock is not part of the model


def test_drift_is_told_from_chance():
    rng = np.random.default_rng(0)
    labels = rng.integers(5, size=900)
    rows = 2.5 * np.eye(5, 60)[labels] + rng.normal(size=(900, 60))
    model = KNNClassifier(MoveLabeled()).fit(rows[:300], labels[:300])
    fresh = model.check_drift(rows[300:], labels[300:])
    assert fresh.verdict == "worth it"
    assert fresh.learned == model.score(rows[300:], labels[300:])
    assert fresh.raw == KNNClassifier().fit(rows[:300], labels[:300]).score(rows[300:], labels[300:])
    assert DriftCheck.of(np.ones(9, dtype=bool), np.ones(9, dtype=bool)).verdict == "no difference shown"
    assert DriftCheck(100, 0.5, 0.8, 2, 32).verdict == "harmful"
    assert "fit again" in str(DriftCheck(100, 0.5, 0.8, 2, 32))


def test_narrow_rows_are_computed_in_float32():
    whole = np.round(X).astype(np.int8)
    for dtype in (np.int8, np.float16):
        model = KNNClassifier(MoveLabeled(n_targets=1)).fit(whole.astype(dtype), y)
        assert model.references_.dtype == np.float32
        assert model.learner_.components_.dtype == np.float32
        assert model.score(whole.astype(dtype), y) > 0.5
