"""FAISS kinds against exact search; skipped where FAISS is not installed."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.base import clone

from nearkin.search import ExactIndex, FaissIndex


@pytest.fixture(scope="module")
def rows():
    pytest.importorskip("faiss")
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((20, 16)) * 3
    return (centres[rng.integers(0, 20, 2_000)] + rng.standard_normal((2_000, 16))).astype(np.float32)


def recall(found, expected):
    return np.mean([len(np.intersect1d(a, b)) / len(b) for a, b in zip(found, expected)])


def test_flat_is_exact(rows):
    index = FaissIndex().build(rows.astype(np.float64))
    assert index.exact
    assert index.faiss_index.ntotal == 2_000
    found, indices = index.query(rows[:100], 5)
    expected, expected_indices = ExactIndex().build(rows).query(rows[:100], 5)
    np.testing.assert_array_equal(indices, expected_indices)
    np.testing.assert_allclose(found, expected, atol=1e-3)
    assert (found >= 0).all()


@pytest.mark.parametrize("kind", ["ivf", "hnsw"])
def test_approximate_kinds_find_nearly_all(rows, kind):
    index = FaissIndex(kind).build(rows)
    assert not index.exact
    _, indices = index.query(rows[:200], 10)
    _, expected = ExactIndex().build(rows).query(rows[:200], 10)
    assert recall(indices, expected) > 0.95


@pytest.mark.parametrize("kind", ["flat", "ivf", "hnsw"])
def test_all_references_can_be_asked_for(rows, kind):
    """Too few candidates in the lists or on the walk must not leave holes."""
    some = rows[:300]
    found, indices = FaissIndex(kind, n_probe=1).build(some).query(some[:5], 300)
    np.testing.assert_array_equal(np.sort(indices, axis=1), np.tile(np.arange(300), (5, 1)))
    assert (np.diff(found, axis=1) >= 0).all()


def test_tiny_sets_and_duplicates(rows):
    for kind in ("flat", "ivf", "hnsw"):
        found, indices = FaissIndex(kind).build(np.zeros((3, 2))).query(np.zeros((1, 2)), 3)
        np.testing.assert_array_equal(indices, [[0, 1, 2]])
        np.testing.assert_array_equal(found, [[0, 0, 0]])


def test_errors_are_clear(rows, monkeypatch):
    with pytest.raises(ValueError, match="hnsw"):
        FaissIndex("pq").build(rows)
    with pytest.raises(ValueError, match="n_lists=9"):
        FaissIndex("ivf", n_lists=9).build(rows[:5])
    with pytest.raises(ValueError, match="between 1 and 5"):
        FaissIndex().build(rows[:5]).query(rows, 6)
    with pytest.raises(ValueError, match="float32"):
        FaissIndex().build(np.array([[1e300]]))


def test_missing_faiss_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(ImportError, match=r"nearkin\[search\]"):
        FaissIndex().build(np.eye(2))


def test_parameters_are_plain_values():
    index = FaissIndex("hnsw", n_links=8)
    assert clone(index).get_params() == index.get_params()
