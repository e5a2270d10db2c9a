"""Model files: exact round trips, and nothing in a file can run."""

import json
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nearkin import KNNClassifier, KNNRegressor, MoveLabeled, load, save
from nearkin.learners import all_learners
from nearkin.persistence import ESTIMATOR, ModelFileError, read_metadata

X, y = load_iris(return_X_y=True)
TARGETS = np.column_stack([X[:, 3], X[:, 2] - X[:, 3]])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", all_learners())
def test_every_learner_keeps_its_distance_bit_for_bit(name, tmp_path):
    learner = all_learners()[name]()
    target = y if "classification" in learner.tasks else TARGETS
    if "max_iter" in learner.get_params():
        learner.set_params(max_iter=3)
    learner.fit(X, target)
    save(learner, tmp_path / "model")
    again = load(tmp_path / "model")
    assert type(again) is type(learner)
    np.testing.assert_array_equal(again.distance_.pairwise(X[:20], X), learner.distance_.pairwise(X[:20], X))


@pytest.mark.filterwarnings("ignore")
def test_models_of_the_first_version_are_still_read():
    # Written before embeddings, and kernels of moves, were given their present names and fields.
    folder = Path(__file__).parent / "models"
    distances = np.loadtxt(folder / "distances.csv", delimiter=",", ndmin=2)
    names = (folder / "distances.csv").read_text().splitlines()[0].removeprefix("# ").split(",")
    rows = X[::3]
    for name, expected in zip(names, distances, strict=True):
        model = load(folder / f"{name}.nearkin")
        np.testing.assert_allclose(model.distance_.pairwise(rows[:4], rows[:4]).ravel(), expected, atol=1e-12)
        # Whatever was added to a learner or its parts since has a default.
        clone(model).fit(rows, y[::3])


@pytest.mark.parametrize("index", ["exact", "tree", "faiss"])
def test_predictor_predicts_the_same_after_loading(index, tmp_path):
    pytest.importorskip("faiss") if index == "faiss" else None
    model = make_pipeline(
        StandardScaler(), KNNClassifier(MoveLabeled(), weights="distance", index=index)
    ).fit(X, y)
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X), model.predict_proba(X))


def test_sparse_and_regression_models_round_trip(tmp_path):
    rows = sparse.csr_array(sparse.random(40, 100, density=0.1, format="csr", random_state=0))
    labels = np.arange(40) % 3
    model = KNNClassifier(MoveLabeled()).fit(rows, labels)
    save(model, tmp_path / "sparse")
    np.testing.assert_array_equal(load(tmp_path / "sparse").predict(rows), model.predict(rows))
    regressor = KNNRegressor(weights="distance").fit(X, TARGETS)
    save(regressor, tmp_path / "regressor")
    np.testing.assert_array_equal(load(tmp_path / "regressor").predict(X), regressor.predict(X))


def test_file_tells_features_versions_and_metadata(tmp_path):
    frame, target = load_wine(return_X_y=True, as_frame=True)
    save(KNNClassifier().fit(frame, target), tmp_path / "model", metadata={"origin": "wine"})
    said = read_metadata(tmp_path / "model")
    assert said["feature_names"] == list(frame.columns)
    assert {"nearkin", "scikit-learn", "numpy"} <= said["versions"].keys()
    assert said["metadata"] == {"origin": "wine"}


def test_a_function_of_ones_own_is_refused_when_saving(tmp_path):
    model = KNNClassifier(weights=lambda distances: 1 / (1 + distances)).fit(X, y)
    with pytest.raises(ModelFileError, match="Functions of your own"):
        save(model, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


class _Bomb:
    def __reduce__(self):
        return os.system, ("touch exploded",)


def test_a_pickle_is_refused_and_not_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").write_bytes(pickle.dumps(_Bomb()))
    with pytest.raises(ModelFileError, match="not a nearkin model"):
        load(tmp_path / "model")
    assert not (tmp_path / "exploded").exists()


def _with_estimator(source, target, data: bytes):
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, data if name == ESTIMATOR else old.read(name))


def test_a_pickle_inside_a_model_is_refused_and_not_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(KNNClassifier().fit(X, y), "model")
    _with_estimator("model", "poisoned", pickle.dumps(_Bomb()))
    with pytest.raises(ModelFileError):
        load("poisoned")
    assert not (tmp_path / "exploded").exists()


def test_a_foreign_type_inside_a_model_is_refused(tmp_path):
    save(KNNClassifier().fit(X, y), tmp_path / "model")
    with zipfile.ZipFile(tmp_path / "model") as archive:
        inner = archive.read(ESTIMATOR)
    (tmp_path / "inner").write_bytes(inner)
    with zipfile.ZipFile(tmp_path / "inner") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(members["schema.json"])
    schema["__module__"], schema["__class__"] = "subprocess", "Popen"
    members["schema.json"] = json.dumps(schema).encode()
    with zipfile.ZipFile(tmp_path / "inner2", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    _with_estimator(tmp_path / "model", tmp_path / "foreign", (tmp_path / "inner2").read_bytes())
    with pytest.raises(ModelFileError, match=r"subprocess\.Popen"):
        load(tmp_path / "foreign")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short_gives_a_clear_error(share, tmp_path):
    save(KNNClassifier().fit(X, y), tmp_path / "model")
    data = (tmp_path / "model").read_bytes()
    (tmp_path / "cut").write_bytes(data[: int(share * len(data))])
    with pytest.raises(ModelFileError, match="not a nearkin model, or is cut short"):
        load(tmp_path / "cut")


def test_a_flipped_byte_is_noticed(tmp_path):
    save(KNNClassifier().fit(X, y), tmp_path / "model")
    data = bytearray((tmp_path / "model").read_bytes())
    data[len(data) // 2] ^= 0xFF
    (tmp_path / "flipped").write_bytes(data)
    with pytest.raises(ModelFileError):
        load(tmp_path / "flipped")


def test_a_missing_file_and_another_zip(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere")
    with zipfile.ZipFile(tmp_path / "other", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(ModelFileError, match="not a nearkin model"):
        load(tmp_path / "other")


def test_other_versions_are_mentioned(tmp_path):
    save(KNNClassifier().fit(X, y), tmp_path / "model")
    with zipfile.ZipFile(tmp_path / "model") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    said = json.loads(members["nearkin.json"])
    said["versions"]["scikit-learn"] = "0.24.2"
    members["nearkin.json"] = json.dumps(said).encode()
    with zipfile.ZipFile(tmp_path / "old", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.warns(UserWarning, match=r"scikit-learn 0\.24\.2"):
        load(tmp_path / "old")


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    save(KNNClassifier(n_neighbors=3).fit(X, y), tmp_path / "model")
    monkeypatch.setattr(os, "replace", lambda *paths: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        save(KNNClassifier(n_neighbors=7).fit(X, y), tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert load(tmp_path / "model").n_neighbors == 3
