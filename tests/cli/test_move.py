"""`nearkin move` on files and stores, as someone with a vector index would type it."""

import numpy as np
import pytest

from nearkin import KNNClassifier, MoveLabeled, load, save
from nearkin.datasets.synthetic import make_mixture
from nearkin.stores import Mover


@pytest.fixture(scope="module")
def rows():
    X, y = make_mixture(120, 8, 3, random_state=0, dtype=np.float32)
    return X, np.array(["a", "b", "c"])[y]


@pytest.fixture
def folder(tmp_path, rows):
    X, y = rows
    np.save(tmp_path / "v.npy", X)
    np.save(tmp_path / "y.npy", y)
    return tmp_path


def test_a_file_is_moved_by_a_model_fitted_on_its_labels(folder, rows, nearkin):
    X, _ = rows
    called = nearkin(
        "move", folder / "v.npy", "--labels", folder / "y.npy", "--save-model", folder / "m.nearkin",
        "--out", folder / "moved.npy", "--json",
    )  # fmt: skip
    assert called.code == 0, called.err
    assert called.json()["rows"] == len(X)
    model = load(folder / "m.nearkin")
    np.testing.assert_array_equal(np.load(folder / "moved.npy"), Mover(model)(X))
    again = nearkin("move", folder / "v.npy", "--model", folder / "m.nearkin", "--out", folder / "2.npy")
    assert again.code == 0
    assert (folder / "2.npy").read_bytes() == (folder / "moved.npy").read_bytes()


def test_fit_and_predict_on_vectors(folder, rows, nearkin):
    X, y = rows
    called = nearkin(
        "fit", folder / "v.npy", "--labels", folder / "y.npy", "--learner", "MoveLabeled", "--scale", "none",
        "--out", folder / "knn.nearkin",
    )  # fmt: skip
    assert called.code == 0, called.err
    found = nearkin("predict", folder / "knn.nearkin", folder / "v.npy", "--json").json()
    expected = KNNClassifier(MoveLabeled()).fit(X, y).predict(X)
    assert [row["label"] for row in found] == expected.tolist()
    moved = nearkin("move", folder / "v.npy", "--model", folder / "knn.nearkin", "--out", folder / "m.npy")
    assert moved.code == 0, moved.err


def test_a_model_that_scales_is_refused_and_says_why(folder, nearkin):
    nearkin(
        "fit", folder / "v.npy", "--labels", folder / "y.npy", "--learner", "MoveLabeled",
        "--scale", "standard", "--out", folder / "knn.nearkin",
    )  # fmt: skip
    called = nearkin("move", folder / "v.npy", "--model", folder / "knn.nearkin", "--out", folder / "m.npy")
    assert called.code == 1
    assert "--scale none" in called.err
    assert not (folder / "m.npy").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["v.npy"], "--out"),
        (["v.npy", "--out", "m.npy"], "--save-model"),
        (["v.npy", "--pg", "postgresql:///x", "--out", "m.npy"], "say what to move"),
        ([], "say what to move"),
        (["--lance", "db", "--table", "t", "--into", "m"], "--vector"),
        (["--lance", "db", "--table", "t", "--vector", "v", "--into", "m", "--out", "m.npy"], "is for files"),
    ],
)
def test_what_is_missing_is_said(folder, monkeypatch, nearkin, arguments, said):
    monkeypatch.chdir(folder)
    called = nearkin("move", *arguments)
    assert called.code == 1
    assert said in called.err


def test_a_store_is_moved_checked_and_switched(tmp_path, rows, nearkin):
    lancedb = pytest.importorskip("lancedb")
    import pyarrow

    def table(first, X, y):
        vectors = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(X.ravel()), X.shape[1])
        return pyarrow.table({"id": list(range(first, first + len(X))), "v": vectors, "kind": y.tolist()})

    X, y = rows
    database = lancedb.connect(str(tmp_path))
    database.create_table("items", table(0, X[:100], y[:100]))
    command = [
        "move",
        "--lance",
        tmp_path,
        "--table",
        "items",
        "--vector",
        "v",
        "--label",
        "kind",
        "--into",
        "moved",
    ]
    first = nearkin(*command, "--use", "moved", "--json")
    assert first.code == 0, first.err
    assert (first.json()["moved now"], first.json()["rows"]) == (100, 100)
    assert nearkin(*command, "--check").code == 0

    late = table(100, X[100:], y[100:])
    kind = database.open_table("items").schema.field("moved").type
    database.open_table("items").add(late.append_column("moved", pyarrow.nulls(20, type=kind)))
    forgotten = nearkin(*command, "--check", "--json")
    assert forgotten.code == 1
    assert forgotten.json()["not moved"].startswith("20 ")
    assert nearkin(*command, "--json").json()["moved now"] == 20
    assert nearkin(*command, "--check").code == 0


def test_a_store_takes_a_model_and_gives_it_back(tmp_path, rows, nearkin):
    qdrant_client = pytest.importorskip("qdrant_client")
    models = qdrant_client.models
    X, y = rows
    client = qdrant_client.QdrantClient(path=str(tmp_path / "db"))
    client.create_collection("items", vectors_config={"v": models.VectorParams(size=8, distance="Euclid")})
    client.upsert("items", [models.PointStruct(id=at, vector={"v": X[at].tolist()}) for at in range(15)])
    client.close()
    learner = MoveLabeled(alpha=1.0).fit(X, y)
    save(learner, tmp_path / "m.nearkin")
    command = [
        "move",
        "--qdrant",
        tmp_path / "db",
        "--collection",
        "items",
        "--vector",
        "v",
        "--into",
        "moved",
    ]
    called = nearkin(*command, "--model", tmp_path / "m.nearkin", "--save-model", tmp_path / "back.nearkin")
    assert called.code == 0, called.err
    assert Mover(load(tmp_path / "back.nearkin")).fingerprint == Mover(learner).fingerprint


def ranked(queries, stored, metric):
    ones = np.ones((len(queries), 1), dtype=np.float32)
    if metric == "ip":
        return np.argsort(-np.hstack([queries, ones]) @ stored.T, axis=1)
    return np.argsort(
        -np.hstack([queries, ones, 0 * ones]) @ (stored / np.linalg.norm(stored, axis=1)[:, None]).T
    )


@pytest.mark.parametrize("metric", ["ip", "cosine"])
def test_an_index_of_another_metric_finds_what_l2_finds(folder, rows, nearkin, metric):
    X, _ = rows
    told = nearkin(
        "move", folder / "v.npy", "--labels", folder / "y.npy", "--save-model", folder / "m.nearkin",
        "--metric", metric, "--out", folder / "moved.npy", "--json",
    )  # fmt: skip
    assert told.code == 0, told.err
    stored, plain = np.load(folder / "moved.npy"), Mover(load(folder / "m.nearkin"))(X)
    assert stored.shape[1] == 8 + {"ip": 1, "cosine": 2}[metric]
    nearest = ((X[:, None] - plain[None]) ** 2).sum(axis=2).argsort(axis=1)
    np.testing.assert_array_equal(ranked(X, stored, metric)[:, :5], nearest[:, :5])

    # What comes later gets the length that the model file remembers, or the one that was printed.
    np.save(folder / "late.npy", X[:10] / 2)
    late = ["move", folder / "late.npy", "--model", folder / "m.nearkin", "--metric", metric, "--json"]
    assert nearkin(*late, "--out", folder / "late_moved.npy").code == 0
    save(load(folder / "m.nearkin"), folder / "bare.nearkin")
    if metric == "cosine":
        lengths = np.linalg.norm(np.load(folder / "late_moved.npy"), axis=1)
        np.testing.assert_allclose(lengths, told.json()["radius"], rtol=1e-6)
        late[3] = folder / "bare.nearkin"
        nearkin(*late, "--radius", told.json()["radius"], "--out", folder / "2.npy")
        assert (folder / "2.npy").read_bytes() == (folder / "late_moved.npy").read_bytes()


def test_a_vector_too_long_for_the_radius_is_named(folder, rows, nearkin):
    X, y = rows
    save(MoveLabeled(alpha=1.0).fit(X, y), folder / "m.nearkin")
    command = ["move", folder / "v.npy", "--model", folder / "m.nearkin", "--out", folder / "m.npy"]
    called = nearkin(*command, "--metric", "cosine", "--radius", "0.001")
    assert called.code == 1
    assert "v.npy: row 1 " in called.err
    assert not (folder / "m.npy").exists()
    assert "cosine" in nearkin(*command, "--metric", "dot").err
    assert "radius" in nearkin(*command, "--radius", "2").err
