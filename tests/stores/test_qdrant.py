"""What only Qdrant has: vectors without a name, and cosine that scales queries."""

import numpy as np
import pytest

from nearkin import MoveLabeled
from nearkin.stores import Mover, QdrantStore, StoreError, move_rows

client_package = pytest.importorskip("qdrant_client")
models = client_package.models


def filled(client, vectors, name="", distance="Cosine"):
    params = models.VectorParams(size=vectors.shape[1], distance=distance)
    client.create_collection("items", vectors_config={name: params} if name else params)
    points = [
        models.PointStruct(id=at, vector={name: row.tolist()} if name else row.tolist())
        for at, row in enumerate(vectors)
    ]
    client.upsert("items", points)
    return client


def test_under_cosine_queries_are_scaled_as_the_collection_scales_them(rows):
    X, y = rows
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    learner = MoveLabeled(n_targets=5, alpha=1.0).fit(units[:100], y[:100])
    store = QdrantStore(
        filled(client_package.QdrantClient(":memory:"), X[:100], "v"), "items", "v", into="moved"
    )
    move_rows(store, learner)
    moved = Mover(learner)(units[:100])
    for at in range(100, 110):
        expected = np.argsort(((moved - units[at]) ** 2).sum(axis=1))[:10]
        assert set(store.search(7.0 * X[at], 10)) == set(expected.tolist())


def test_a_collection_without_names_is_only_touched_if_allowed(rows, learner):
    X, _ = rows
    client = filled(client_package.QdrantClient(":memory:"), X[:20], distance="Euclid")
    with pytest.raises(StoreError, match="bare list"):
        QdrantStore(client, "items", "", into="moved")
    store = QdrantStore(client, "items", "", into="moved", allow_unnamed=True)
    assert move_rows(store, learner).moved == 20
    # An upsert replaces the whole point, so its moved vector is gone and made anew.
    client.upsert("items", [models.PointStruct(id=3, vector={"": X[30].tolist()})])
    assert store.count(pending=True) == 1
    move_rows(store)
    np.testing.assert_allclose(store.moved_vectors([3])[3], Mover(learner)(X[30:31])[0], rtol=1e-6)


def test_a_move_outlives_the_process(tmp_path, rows, learner):
    X, _ = rows
    filled(client_package.QdrantClient(path=str(tmp_path)), X[:20], "v", "Euclid").close()
    with QdrantStore(tmp_path, "items", "v", into="moved") as store:
        move_rows(store, learner)
    with QdrantStore(tmp_path, "items", "v", into="moved") as store:
        assert store.remembered()[0].fingerprint == Mover(learner).fingerprint
        assert store.count(pending=True) == 0


def test_names_that_do_not_exist(rows):
    X, _ = rows
    client = filled(client_package.QdrantClient(":memory:"), X[:5], "v")
    with pytest.raises(StoreError, match=r"Did you mean 'items'"):
        QdrantStore(client, "item", "v", into="moved")
    with pytest.raises(StoreError, match="no vectors called 'w'"):
        QdrantStore(client, "items", "w", into="moved")
