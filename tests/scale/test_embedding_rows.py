"""Rows embedded from file to file, and a stopped one that goes on."""

from __future__ import annotations

import numpy as np
import pytest

import nearkin
from nearkin import RCA, MoveLabeled
from nearkin.scale import move_rows, transform_rows


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 500)
    X = (rng.normal(size=(500, 6)) + y[:, None]).astype(np.float32)
    return X, MoveLabeled(n_targets=1, alpha=1.0).fit(X, y), RCA(n_components=2, euclid_share=0.0).fit(X, y)


def test_moved_and_transformed_rows_equal_the_whole(fitted, tmp_path):
    X, move, rca = fitted
    np.save(tmp_path / "x.npy", X)
    moved = move_rows(move, tmp_path / "x.npy", tmp_path / "moved.npy", rows_per_block=64)
    np.testing.assert_allclose(moved, move.distance_.embed_references(X), rtol=1e-5, atol=1e-6)
    assert moved.dtype == np.float32
    assert isinstance(moved, np.memmap)
    embedded = transform_rows(rca, nearkin.open_rows(tmp_path / "x.npy"), rows_per_block=64)
    np.testing.assert_allclose(embedded, rca.transform(X), rtol=1e-5, atol=1e-6)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["moved.npy", "x.npy"]


class Stopped(Exception):
    pass


def stop_at(limit):
    def progress(done, total, stage):
        if done >= limit:
            raise Stopped

    return progress


def test_a_stopped_move_goes_on_where_it_was(fitted, tmp_path):
    X, move, _ = fitted
    out = tmp_path / "moved.npy"
    with pytest.raises(Stopped):
        move_rows(move, X, out, rows_per_block=50, progress=stop_at(200))
    assert not out.exists()
    with open(tmp_path / ".moved.npy.unfinished" / "whole.npy", "ab") as file:
        file.write(b"half a row")
    seen = []
    moved = move_rows(move, X, out, rows_per_block=50, progress=lambda done, total, stage: seen.append(done))
    assert seen == [250, 300, 350, 400, 450, 500]
    np.testing.assert_array_equal(moved, move_rows(move, X, rows_per_block=50))


def test_what_another_learner_left_is_not_continued(fitted, tmp_path):
    X, move, _ = fitted
    out = tmp_path / "moved.npy"
    with pytest.raises(Stopped):
        move_rows(move, X, out, rows_per_block=50, progress=stop_at(200))
    other = MoveLabeled(n_targets=1, alpha=100.0).fit(X, np.arange(500) % 3)
    moved = move_rows(other, X, out, rows_per_block=50)
    np.testing.assert_array_equal(moved, move_rows(other, X, rows_per_block=50))


def test_wrong_uses_are_named(fitted, tmp_path):
    X, move, rca = fitted
    with pytest.raises(TypeError, match="move_rows"):
        transform_rows(move, X)
    with pytest.raises(ValueError, match=r"\.npy"):
        transform_rows(rca, X, tmp_path / "x.csv")
    with pytest.raises(TypeError, match="no embedding of references"):
        move_rows(MoveLabeled(n_targets=1, alpha=1.0, kernel="rbf").fit(X[:50], np.arange(50) % 2), X)
    with pytest.raises(ValueError, match="6 features"):
        transform_rows(rca, X[:, :4])
