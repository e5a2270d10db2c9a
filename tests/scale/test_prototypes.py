"""Prototypes trained on rows of a file, block by block."""

from __future__ import annotations

import numpy as np
import pytest

import nearkin
from nearkin import LMDL, LPD
from nearkin.datasets.rows import ArrayRows
from nearkin.learners.prototype.training import LabelledRows, Prototypes
from nearkin.scale.prototypes import RowBlocks, fit_prototypes
from nearkin.scale.source import LocalSource


@pytest.fixture(scope="module")
def labelled():
    rng = np.random.default_rng(0)
    y = np.array(["ant", "bee", "cat"])[rng.integers(0, 3, 1_500)]
    X = rng.normal(size=(1_500, 4)) + 2 * np.searchsorted(["ant", "bee", "cat"], y)[:, None]
    return X.astype(np.float32), y


def test_blocks_hold_every_row_once_in_a_new_order(labelled):
    X, y = labelled
    data = RowBlocks(LocalSource(X, y, 400), lambda rows: 2 * rows, 4)
    rng = np.random.RandomState(0)
    parts = list(data.parts(rng))
    firsts = [part.U[0].tolist() for part in parts]
    assert firsts != [part.U[0].tolist() for part in data.parts()]
    together = np.concatenate([part.U for part in parts])
    np.testing.assert_array_equal(np.sort(together, axis=0), np.sort(2 * X, axis=0))
    assert sum(part.weights.sum() for part in parts) == pytest.approx(1, rel=1e-5)


def test_the_objective_of_blocks_is_that_of_all_rows(labelled):
    X, y = labelled
    codes = np.unique(y, return_inverse=True)[1]
    prototypes = Prototypes(
        X[[0, 1, 2, 3]], codes[[0, 1, 2, 3]], np.tile(np.eye(4, dtype=np.float32), (4, 1, 1))
    )
    whole = LabelledRows(X, codes, np.full(1_500, 1 / 1_500))
    blocks = RowBlocks(LocalSource(X, y, 400), lambda rows: rows, 4)
    assert prototypes.objective(blocks, 3.0) == pytest.approx(prototypes.objective(whole, 3.0), rel=1e-5)


@pytest.mark.parametrize("kind", [LMDL, LPD])
def test_files_teach_what_arrays_teach(kind, labelled):
    X, y = labelled
    learner = kind(n_prototypes=2, max_epochs=30, tol=1e-2, random_state=0)
    streamed = fit_prototypes(learner, ArrayRows(X), y, rows_per_block=400)
    whole = kind(n_prototypes=2, max_epochs=30, tol=1e-2, random_state=0).fit(X, y)
    assert streamed.score(X, y) > whole.score(X, y) - 0.01
    assert streamed.objective_ == pytest.approx(whole.objective_, rel=0.2)
    assert streamed.classes_.tolist() == ["ant", "bee", "cat"]


def test_the_estimator_takes_the_file(labelled, tmp_path):
    X, y = labelled
    np.save(tmp_path / "x.npy", X)
    rows = nearkin.open_rows(tmp_path / "x.npy")
    settings = {"n_prototypes": 1, "max_epochs": 12, "tol": 0.5, "random_state": 0}
    assert LMDL(**settings, euclid_share=0.0).fit(rows, y).score(X, y) > 0.9
    with pytest.raises(TypeError, match="early_stopping"):
        LMDL(early_stopping=True, **settings, euclid_share=0.0).fit(rows, y)


def test_progress_tells_of_every_pass_over_the_rows(labelled):
    seen = []

    def progress(done, total, stage):
        seen.append((done, total, stage))

    learner = LMDL(n_prototypes=1, max_epochs=12, tol=0.5, random_state=0)
    fit_prototypes(learner, ArrayRows(labelled[0]), labelled[1], rows_per_block=400, progress=progress)
    stages = [stage for _, _, stage in seen]
    assert (1_500, 1_500, "sample") in seen
    assert [done for done, _, stage in seen if stage == "epoch"][:4] == [400, 800, 1_200, 1_500]
    assert stages.count("epoch") >= 4 * learner.n_iter_


@pytest.mark.parametrize("learner", [LMDL(max_epochs=2), LPD(max_epochs=2)])
def test_a_row_that_is_not_finite_is_named(learner, labelled):
    X, y = labelled[0].copy(), labelled[1]
    X[1_234, 2] = np.nan
    with pytest.raises(ValueError, match=r"row 1234 \(counted from 0\) holds NaN"):
        learner.fit(ArrayRows(X), y)
