"""An ONNX graph gives what the model gives, from raw rows, in ONNX's own evaluator and in a runtime."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, QuantileTransformer, StandardScaler

from nearkin import LFDA, RCA, KNNClassifier, MoveItems, MoveLabeled, to_onnx
from nearkin.datasets.synthetic import make_mixture

onnx = pytest.importorskip("onnx")
X, y = make_mixture(200, 12, 4, random_state=0, dtype=np.float32)
new = make_mixture(20, 12, 4, random_state=1, dtype=np.float32)[0]


def evaluated(graph, rows):
    from onnx.reference import ReferenceEvaluator

    return ReferenceEvaluator(onnx.load_from_string(graph)).run(None, {"rows": rows})[0]


@pytest.mark.parametrize(
    "model",
    [
        MoveLabeled(),
        RCA(),
        LFDA(n_components=3),
        KNNClassifier(MoveLabeled()),
        KNNClassifier(LinearDiscriminantAnalysis()),
        LinearDiscriminantAnalysis(),
        make_pipeline(StandardScaler(), KNNClassifier(MoveLabeled())),
        make_pipeline(Normalizer(), RCA()),
        make_pipeline("passthrough", KNNClassifier(RCA())),
    ],
    ids=str,
)
@pytest.mark.parametrize("side", ["references", "queries"])
def test_the_graph_places_raw_rows_where_the_model_does(model, side):
    model.fit(X, y)
    steps = [step for _, step in getattr(model, "steps", [("", model)])]
    rows = new
    for step in steps[:-1]:
        rows = rows if step == "passthrough" else step.transform(rows)
    last = steps[-1]
    expected = (
        getattr(last.distance_, f"embed_{side}")(rows) if hasattr(last, "distance_") else last.transform(rows)
    )
    found = evaluated(to_onnx(model, side=side), new)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())


def test_sides_of_different_width():
    rng = np.random.default_rng(0)
    queries, items = rng.normal(size=(60, 5)), rng.normal(size=(60, 8)).astype(np.float32)
    model = MoveItems(alpha=1.0).fit(queries, items, np.stack([np.arange(60)] * 2, axis=1))
    np.testing.assert_allclose(evaluated(to_onnx(model), items), model.move(items), atol=1e-5)
    assert evaluated(to_onnx(model, side="queries"), queries.astype(np.float32)).shape == (60, 5)


def test_a_runtime_reads_the_file(tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    learner = MoveLabeled().fit(X, y)
    path = tmp_path / "move.onnx"
    assert to_onnx(learner, path) == path.read_bytes()
    session = runtime.InferenceSession(str(path))
    for rows in (new, new[:1]):
        np.testing.assert_allclose(session.run(None, {"rows": rows})[0], learner.move(rows), atol=1e-5)


def test_what_is_no_affine_map_is_refused():
    with pytest.raises(TypeError, match="ChainedEmbedding, which is not an affine map"):
        to_onnx(LFDA(kernel="rbf", euclid_share=0.0).fit(X, y))
    with pytest.raises(TypeError, match="not an embedding"):
        to_onnx(MoveLabeled(kernel="rbf", alpha=1.0).fit(X, y))
    with pytest.raises(TypeError, match="QuantileTransformer"):
        to_onnx(make_pipeline(QuantileTransformer(n_quantiles=50), RCA()).fit(X, y))
    with pytest.raises(TypeError, match="QuantileTransformer is not an affine map"):
        to_onnx(KNNClassifier(QuantileTransformer(n_quantiles=50)).fit(X, y))
    with pytest.raises(TypeError, match="not an affine map"):
        to_onnx(KNNClassifier(MoveLabeled(), hubs="csls").fit(X, y))
    with pytest.raises(ValueError, match="side='items'"):
        to_onnx(RCA().fit(X, y), side="items")
