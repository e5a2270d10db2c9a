"""Dask collections: the bits of the plain loop, nothing computed by mistake, no harm from a lost worker."""

from __future__ import annotations

import inspect
import os
import signal
import time

import numpy as np
import pytest

import nearkin
from nearkin import DMLMJ, GMML, RCA, KNNClassifier, KNNRegressor, MoveLabeled
from nearkin.learners.discovery import public_learners
from nearkin.scale import dask_rows, fit_blocks, fit_sample, move_rows, transform_rows
from nearkin.scale.recipes import RECIPES
from nearkin.scale.ways import learners_for

da = pytest.importorskip("dask.array")
pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def labelled():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 6_000)
    X = rng.normal(size=(6_000, 10)) @ rng.normal(size=(10, 10)) + 2 * rng.normal(size=(4, 10))[y]
    return X.astype(np.float32), y


@pytest.mark.parametrize(
    "learner",
    [
        RCA(euclid_share=0.0),
        MoveLabeled(n_targets=2, alpha=1.0),
        GMML(t=0.5, euclid_share=0.0),
        DMLMJ(n_components=3, euclid_share=0.0),
    ],
    ids=str,
)
def test_same_chunks_give_the_same_bits_and_others_nearly(learner, labelled):
    X, y = labelled
    plain = fit_blocks(learner, X, y, max_candidates=200, rows_per_block=1_000).components_
    chunked = da.from_array(X, chunks=(1_000, 4))
    np.testing.assert_array_equal(fit_blocks(learner, chunked, y, max_candidates=200).components_, plain)
    other = da.from_array(X, chunks=(1_700, 10))
    labels = da.from_array(y, chunks=2_500)
    found = fit_blocks(learner, other, labels, max_candidates=200).components_
    np.testing.assert_allclose(found, plain, rtol=0, atol=1e-6 * np.abs(plain).max())


def test_frames_whose_lengths_are_unknown(labelled, tmp_path):
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    X, y = labelled
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(10)])
    whole = dd.from_pandas(frame.assign(label=y), npartitions=4)
    rows, labels = whole[list(frame.columns)], whole["label"]
    learner = fit_blocks(RCA(euclid_share=0.0), rows, labels)
    np.testing.assert_array_equal(learner.feature_names_in_, frame.columns)
    np.testing.assert_allclose(
        learner.components_, RCA(euclid_share=0.0).fit(X, y).components_, rtol=1e-4, atol=1e-5
    )
    embedded = transform_rows(learner, rows)
    np.testing.assert_array_equal(embedded.compute(), learner.transform(frame))
    nearkin.save(learner, tmp_path / "m.nearkin")
    np.testing.assert_array_equal(nearkin.load(tmp_path / "m.nearkin").components_, learner.components_)


def test_rows_are_embedded_lazily(labelled):
    X, y = labelled
    learner = MoveLabeled(n_targets=1, alpha=1.0).fit(X, y)
    moved = move_rows(learner, da.from_array(X, chunks=(1_000, 5)))
    assert moved.shape == X.shape
    assert moved.dtype == np.float32
    np.testing.assert_allclose(moved.compute(), learner.distance_.embed_references(X), rtol=1e-4, atol=1e-5)
    sampled = fit_sample(RCA(euclid_share=0.0), da.from_array(X, chunks=(1_000, 10)), y, n_rows=500)
    np.testing.assert_array_equal(
        sampled.components_, fit_sample(RCA(euclid_share=0.0), X, y, n_rows=500).components_
    )


def never(*_, **__):
    raise AssertionError("somebody computed the rows")


@pytest.fixture
def untouchable():
    X = da.ones((100, 4), chunks=(50, 4)).map_blocks(never, dtype=float, meta=np.empty((0, 4)))
    return X, da.ones(100, chunks=50).map_blocks(never, dtype=float, meta=np.empty(0))


def made(name):
    kind = public_learners()[name]
    if any(p.default is inspect.Parameter.empty for p in inspect.signature(kind).parameters.values()):
        pytest.skip("needs arguments")
    return kind()


@pytest.mark.parametrize(
    "name", sorted({*public_learners()} - {kind.__name__ for kind in learners_for("dask")})
)
def test_learners_that_cannot_take_a_collection_compute_nothing(name, untouchable):
    with pytest.raises(TypeError, match="fit_sample"):
        made(name).fit(*untouchable)


@pytest.mark.parametrize(
    "learner", [KNNClassifier(), KNNRegressor(), KNNClassifier(RCA(euclid_share=0.0))], ids=str
)
def test_predictors_compute_nothing(learner, untouchable):
    with pytest.raises(TypeError, match="fit_sample"):
        learner.fit(*untouchable)
    with pytest.raises(TypeError, match="fit_sample"):
        fit_blocks(learner, *untouchable)


@pytest.mark.parametrize("name", sorted(kind.__name__ for kind in RECIPES))
def test_estimators_take_collections_and_files_themselves(name, labelled, tmp_path):
    X, y = labelled
    expected = fit_blocks(made(name), X, y, rows_per_block=1_000).components_
    chunked = made(name).fit(da.from_array(X, chunks=(1_000, 10)), da.from_array(y, chunks=1_000))
    np.testing.assert_array_equal(chunked.components_, expected)
    np.save(tmp_path / "x.npy", X)
    filed = made(name).fit(nearkin.open_rows(tmp_path / "x.npy"), y)
    np.testing.assert_allclose(filed.components_, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


def test_weights_are_refused_before_anything_is_computed(untouchable):
    with pytest.raises(TypeError, match="without sample_weight"):
        MoveLabeled().fit(*untouchable, sample_weight=np.ones(100))
    with pytest.raises(TypeError, match="without chunklets"):
        RCA(euclid_share=0.0).fit(untouchable[0], chunklets=np.zeros(100))
    with pytest.raises(TypeError, match="without pairs"):
        GMML(euclid_share=0.0).fit(untouchable[0], pairs=[[0, 1]])


def test_transforming_and_predicting_wait_until_they_are_asked(labelled, untouchable):
    X, y = labelled
    learner = RCA(euclid_share=0.0).fit(X[:, :4], y)
    assert learner.transform(untouchable[0]).shape == (100, 4)
    predictor = KNNClassifier(RCA(euclid_share=0.0)).fit(X[:, :4], y)
    assert predictor.predict(untouchable[0]).shape == (100,)
    with pytest.raises(TypeError, match="to_zarr"):
        learner.transform(untouchable[0], out="there.npy")


def test_predictions_of_chunks_are_those_of_the_rows(labelled):
    X, y = labelled
    names = np.array(["ant", "bee", "cat", "wasp"])[y]
    chunked = da.from_array(X, chunks=(1_000, 5))
    model = KNNClassifier(RCA(euclid_share=0.0)).fit(X[:500], names[:500])
    np.testing.assert_array_equal(model.predict(chunked).compute(), model.predict(X))
    np.testing.assert_array_equal(model.predict_proba(chunked).compute(), model.predict_proba(X))


def test_what_does_not_fit_together_is_named(labelled):
    X, y = labelled
    rows = da.from_array(X, chunks=(1_000, 10))
    with pytest.raises(ValueError, match="5999 labels"):
        fit_blocks(RCA(euclid_share=0.0), rows, y[:-1])
    with pytest.raises(ValueError, match="5000 labels"):
        fit_blocks(RCA(euclid_share=0.0), rows, da.from_array(y[:5_000], chunks=1_000))
    with pytest.raises(TypeError, match="rows are not"):
        fit_blocks(RCA(euclid_share=0.0), X, da.from_array(y))
    with pytest.raises(ValueError, match="2-d"):
        fit_blocks(RCA(euclid_share=0.0), rows[:, 0], y)


def slowly(block, marker, n):
    """A block that takes its time, so that a worker can be lost in the middle."""
    time.sleep(0.1)
    with open(os.path.join(marker, f"{os.getpid()}"), "a") as file:
        file.write("x")
    return block


@pytest.mark.slow
def test_a_killed_worker_changes_nothing(labelled, tmp_path):
    from threading import Thread

    from distributed import Client, LocalCluster

    X, y = labelled
    plain = fit_blocks(MoveLabeled(n_targets=1, alpha=1.0), X, y, max_candidates=100, rows_per_block=500)
    rows = da.from_array(X, chunks=(500, 10)).map_blocks(slowly, str(tmp_path), 1, dtype=np.float32)
    killed = []

    def kill_one():
        while not killed:
            busy = [int(file.name) for file in tmp_path.iterdir() if file.stat().st_size >= 2]
            if busy:
                os.kill(busy[0], signal.SIGKILL)
                killed.append(busy[0])
            time.sleep(0.02)

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster,
        Client(cluster),
    ):
        killer = Thread(target=kill_one, daemon=True)
        killer.start()
        learner = fit_blocks(MoveLabeled(n_targets=1, alpha=1.0), rows, y, max_candidates=100)
        killer.join(timeout=1)
    assert killed
    np.testing.assert_array_equal(learner.components_, plain.components_)


def test_files_become_chunks_that_workers_read(labelled, tmp_path):
    X, y = labelled
    np.save(tmp_path / "x.npy", X)
    chunked = dask_rows(tmp_path / "x.npy", rows_per_chunk=1_000)
    assert chunked.chunks[0] == (1_000,) * 6
    np.testing.assert_array_equal(chunked.compute(scheduler="sync"), X)
    expected = fit_blocks(RCA(euclid_share=0.0), X, y, rows_per_block=1_000).components_
    np.testing.assert_array_equal(RCA(euclid_share=0.0).fit(chunked, y).components_, expected)
