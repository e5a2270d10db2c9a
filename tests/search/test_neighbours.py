"""Choosing an index and searching under a distance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nearkin.distances import AffineEmbedding, Distance, EmbeddedDistance
from nearkin.search import BoundIndex, ExactIndex, FaissIndex, NeighbourSearch, TreeIndex, choose_index


class CityBlock(Distance):
    """A distance that no embedding gives."""

    def bind(self, references):
        return lambda queries: np.abs(queries[:, None] - references[None]).sum(axis=2)


@pytest.mark.parametrize(
    ("name", "kind", "settings"),
    [
        ("auto", ExactIndex, {}),
        ("exact", ExactIndex, {}),
        ("tree", TreeIndex, {}),
        ("faiss", FaissIndex, {"kind": "flat"}),
        ("faiss-ivf", FaissIndex, {"kind": "ivf"}),
        ("faiss-hnsw", FaissIndex, {"kind": "hnsw"}),
    ],
)
def test_names(name, kind, settings):
    index = choose_index(name, np.eye(10))
    assert type(index) is kind
    assert settings.items() <= index.get_params().items()


def test_auto_takes_a_tree_only_in_few_dimensions():
    many = np.zeros((50_000, 2))
    assert isinstance(choose_index("auto", many), TreeIndex)
    assert isinstance(choose_index("auto", many[:100]), ExactIndex)
    assert isinstance(choose_index("auto", np.zeros((50_000, 20))), ExactIndex)
    assert isinstance(choose_index("auto", sparse.csr_array(many)), ExactIndex)


@pytest.mark.parametrize("wrong", ["annoy", None, 3])
def test_unknown_index_lists_the_known(wrong):
    with pytest.raises(ValueError, match="'faiss-hnsw'"):
        choose_index(wrong, np.eye(2))


def test_one_instance_serves_two_searches():
    shared = ExactIndex(memory_budget=12_345)
    first = NeighbourSearch(EmbeddedDistance(), shared).build(np.array([[0.0], [1.0]]))
    second = NeighbourSearch(EmbeddedDistance(), shared).build(np.array([[9.0], [8.0], [7.0]]))
    assert first.query(np.array([[0.9]]), 1)[1] == 1
    assert second.query(np.array([[0.9]]), 1)[1] == 2
    assert vars(shared) == vars(ExactIndex(memory_budget=12_345))


@pytest.mark.parametrize("index", ["exact", "tree", "auto"])
def test_queries_and_references_are_embedded_differently(index):
    rng = np.random.default_rng(0)
    X, Q = rng.standard_normal((200, 3)), rng.standard_normal((20, 3))
    distance = EmbeddedDistance(
        AffineEmbedding(rng.standard_normal((2, 3))), AffineEmbedding(rng.standard_normal((2, 3)))
    )
    found, rows = NeighbourSearch(distance, index).build(X).query(Q, 5)
    full = distance.pairwise(Q, X)
    np.testing.assert_array_equal(rows, np.argsort(full, axis=1)[:, :5])
    np.testing.assert_allclose(found, np.sort(full, axis=1)[:, :5], atol=1e-10)


def test_other_distances_are_evaluated_in_blocks():
    rng = np.random.default_rng(1)
    X, Q = rng.integers(0, 4, (60, 3)).astype(float), rng.integers(0, 4, (25, 3)).astype(float)
    expected = np.argsort(CityBlock().pairwise(Q, X), axis=1, kind="stable")[:, :6]
    np.testing.assert_array_equal(NeighbourSearch(CityBlock()).build(X).query(Q, 6)[1], expected)
    np.testing.assert_array_equal(BoundIndex(CityBlock(), 1_000).build(X).query(Q, 6)[1], expected)
    with pytest.raises(ValueError, match="between 1 and 60"):
        BoundIndex(CityBlock()).build(X).query(Q, 61)
    with pytest.raises(ValueError, match="CityBlock has no embedding"):
        NeighbourSearch(CityBlock(), "tree").build(X)
    with pytest.raises(ValueError, match="CityBlock has no embedding"):
        NeighbourSearch(CityBlock(), ExactIndex()).build(X)
