"""`nearkin fit` and `nearkin move` of files that are read block by block."""

from __future__ import annotations

import numpy as np
import pytest

import nearkin as library


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 900)
    X = (rng.normal(size=(900, 5)) + y[:, None]).astype(np.float32)
    np.save("vectors.npy", X)
    np.save("labels.npy", y)
    return X, y


def test_streamed_fit_and_move(nearkin, files):
    X, y = files
    done = nearkin("fit", "vectors.npy", "--labels", "labels.npy", "--stream", "--json")
    facts = done.json()
    assert facts["learned from"] == "all rows"
    learner = library.load("vectors.nearkin")
    expected = library.MoveLabeled().fit(library.open_rows("vectors.npy"), y).components_
    np.testing.assert_array_equal(learner.components_, expected)
    nearkin("move", "vectors.npy", "--model", "vectors.nearkin", "--out", "moved.npy")
    np.testing.assert_allclose(np.load("moved.npy"), learner.move(X), rtol=1e-5, atol=1e-5)


def test_the_command_as_short_as_it_can_be(nearkin, files):
    nearkin("fit", "vectors.npy", "--labels", "labels.npy")
    assert library.load("vectors.nearkin").predict(files[0][:5]).shape == (5,)


def test_parquet_with_its_own_labels_and_a_learner_that_needs_a_sample(nearkin, files):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    X, y = files
    lists = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 5)
    pq.write_table(pa.table({"vector": lists, "kind": y}), "v.parquet", row_group_size=200)
    options = ("--labels", "kind", "--stream", "--learner", "nca", "--out", "m.nearkin", "--json")
    done = nearkin("fit", "v.parquet", *options)
    assert done.json()["learned from"] == "a sample of the rows"
    assert library.load("m.nearkin").transform(X).shape == (900, 5)


@pytest.mark.parametrize("name", ["LMDL", "LPD"])
def test_prototypes_learn_from_all_rows_as_in_the_library(nearkin, files, name):
    options = ("--labels", "labels.npy", "--stream", "--learner", name, "--out", "m.nearkin", "--json")
    quick = ("--set", "n_prototypes=2", "--set", "max_epochs=12", "--set", "tol=0.5")
    assert nearkin("fit", "vectors.npy", *options, *quick).json()["learned from"] == "all rows"
    learner = getattr(library, name)(n_prototypes=2, max_epochs=12, tol=0.5, random_state=0)
    learner.fit(library.open_rows("vectors.npy"), files[1])
    np.testing.assert_array_equal(library.load("m.nearkin").prototypes_, learner.prototypes_)


def test_settings_that_need_rows_in_memory_are_learned_from_a_sample(nearkin, files):
    options = ("--labels", "labels.npy", "--stream", "--out", "m.nearkin", "--json")
    stopped = ("--learner", "LMDL", "--set", "early_stopping=true", "--set", "tol=0.5")
    for extra in (stopped, ("--learner", "DMLMJ", "--set", "kernel=rbf")):
        assert (
            nearkin("fit", "vectors.npy", *options, *extra).json()["learned from"] == "a sample of the rows"
        )


def test_move_of_chunked_files(nearkin, files):
    h5py = pytest.importorskip("h5py")
    X, y = files
    with h5py.File("v.h5", "w") as file:
        file.create_dataset("vectors", data=X, chunks=(100, 5))
    library.save(library.MoveLabeled(n_targets=1, alpha=1.0).fit(X, y), "m.nearkin")
    nearkin("move", "v.h5", "--model", "m.nearkin", "--out", "moved.npy")
    np.testing.assert_allclose(np.load("moved.npy"), library.load("m.nearkin").move(X), rtol=1e-5, atol=1e-5)


def test_what_cannot_be_streamed_is_told(nearkin, files):
    for extra in (["--learner", "euclid"], ["--scale", "standard"]):
        done = nearkin("fit", "vectors.npy", "--labels", "labels.npy", "--stream", *extra)
        assert "streamed" in done.err
    assert "--labels" in nearkin("fit", "vectors.npy", "--stream").err
    np.save("labels.npy", np.zeros(3))
    done = nearkin("fit", "vectors.npy", "--labels", "labels.npy", "--stream")
    assert "3 labels" in done.err
