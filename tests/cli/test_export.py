"""`nearkin export`: what was fitted at the command line runs elsewhere, on raw rows."""

import numpy as np
import pytest

from nearkin import load
from nearkin.datasets.synthetic import make_mixture


@pytest.fixture(scope="module")
def rows():
    X, y = make_mixture(150, 8, 3, random_state=0, dtype=np.float32)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("scale", ["auto", "standard"])
def test_a_fitted_model_becomes_an_index_for_raw_queries(rows, scale, tmp_path, nearkin):
    faiss = pytest.importorskip("faiss")
    X, y = rows
    np.save(tmp_path / "v.npy", X[:120])
    np.save(tmp_path / "y.npy", y[:120])
    called = nearkin(
        "fit", tmp_path / "v.npy", "--labels", tmp_path / "y.npy", "--learner", "MoveLabeled",
        "--scale", scale, "--out", tmp_path / "m.nearkin",
    )  # fmt: skip
    assert called.code == 0, called.err
    model = load(tmp_path / "m.nearkin")
    scaler = model[0]
    asked = X[120:] if scaler == "passthrough" else scaler.transform(X[120:])
    expected = model[-1].kneighbors(asked, 5, return_distance=False)
    for metric in ("l2", "ip", "cosine"):
        path = tmp_path / f"{metric}.faiss"
        called = nearkin("export", tmp_path / "m.nearkin", "--faiss", path, "--metric", metric, "--json")
        assert called.code == 0, called.err
        assert "120 references" in called.json()["faiss"]
        found = faiss.read_index(str(path)).search(X[120:], 5)[1]
        assert np.mean(np.sort(found) == np.sort(expected)) > 0.99


def test_a_fitted_model_becomes_a_graph(rows, tmp_path, nearkin):
    onnx = pytest.importorskip("onnx")
    evaluator = pytest.importorskip("onnx.reference").ReferenceEvaluator
    X, y = rows
    np.save(tmp_path / "v.npy", X)
    np.save(tmp_path / "y.npy", y)
    nearkin(
        "fit", tmp_path / "v.npy", "--labels", tmp_path / "y.npy", "--learner", "MoveLabeled",
        "--out", tmp_path / "m.nearkin",
    )  # fmt: skip
    called = nearkin("export", tmp_path / "m.nearkin", "--onnx", tmp_path / "m.onnx")
    assert called.code == 0, called.err
    graph = onnx.load(str(tmp_path / "m.onnx"))
    found = evaluator(graph).run(None, {"rows": X[:3]})[0]
    expected = load(tmp_path / "m.nearkin")[-1].learner_.move(X[:3])
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_what_cannot_be_exported_says_why(rows, tmp_path, nearkin):
    X, y = rows
    np.save(tmp_path / "v.npy", X)
    np.save(tmp_path / "y.npy", y)
    nearkin(
        "fit", tmp_path / "v.npy", "--labels", tmp_path / "y.npy", "--learner", "LMDL",
        "--out", tmp_path / "m.nearkin",
    )  # fmt: skip
    called = nearkin("export", tmp_path / "m.nearkin", "--onnx", tmp_path / "m.onnx")
    assert called.code == 1
    assert "not an embedding" in called.err
    assert nearkin("export", tmp_path / "m.nearkin").code == 1
    assert not (tmp_path / "m.onnx").exists()
