"""The learned map as an ONNX graph, for services that run no Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from nearkin._types import Estimator, FilePath
from nearkin.distances import EmbeddedDistance
from nearkin.files import replacing
from nearkin.predictors.learned_distance import learned_distance
from nearkin.predictors.raw_rows import RawRows, before_last

#: Old enough for every runtime in use, and sufficient for the graph.
OPSET, IR_VERSION = 13, 8
SIDES = ("references", "queries")


def to_onnx(model: Estimator, path: FilePath | None = None, *, side: str = "references") -> bytes:
    """The map of raw rows into the learned space as an ONNX graph, scaler and projection included.

    Parameters
    ----------
    model : fitted learner, transformer or predictor, or a Pipeline that ends with one
        Its steps and its embedding must be affine maps of the rows; a `Normalizer` may come first.
    path : str or Path, optional
        Where to write the graph; an existing file is replaced once the new one is complete.
    side : {"references", "queries"}
        Which rows the graph is for. With Move-labeled, "references" moves the stored rows and queries need
        no graph; for most learners both are the same.

    Returns
    -------
    graph : bytes
        One input ``rows`` (float32, n x d) and one output ``embedded`` (float32, n x e).

    Raises
    ------
    TypeError
        If the map is not affine: kernels, gates, hub corrections of references, prototypes.

    Notes
    -----
    One matrix product. Matrix and constant are combined in float64 and rounded to float32 once.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin import MoveLabeled, to_onnx
    >>> learner = MoveLabeled().fit(*load_iris(return_X_y=True))
    >>> graph = to_onnx(learner)  # doctest: +SKIP
    >>> onnxruntime.InferenceSession(graph).run(None, {"rows": new_rows})[0]  # doctest: +SKIP
    """
    if side not in SIDES:
        raise ValueError(f"side={side!r}: expected 'references' or 'queries'.")
    rows = _map_of(model, side)
    graph = _graph(rows, f"{side} of {type(model).__name__}")
    if path is not None:
        with replacing(path) as file:
            file.write(graph)
    return graph


def _map_of(model: Estimator, side: str) -> RawRows:
    check_is_fitted(model)
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    distance = learned_distance(last)
    if not isinstance(distance, EmbeddedDistance):
        raise TypeError(f"{type(distance).__name__} is not an embedding, so there is no map to export.")
    embedding = getattr(distance, side)
    if not hasattr(embedding, "affine"):
        raise TypeError(
            f"{side} are embedded by {type(embedding).__name__}, which is not an affine map of the rows."
        )
    if not isinstance(model, Pipeline):
        # The two sides of a distance may have different widths.
        width = getattr(embedding, "n_features_in", None) or model.n_features_in_
        return RawRows(*embedding.affine(width))
    before = before_last(model)
    return before.then(*embedding.affine(len(before.matrix)))


def _graph(rows: RawRows, name: str) -> bytes:
    onnx = _load_onnx()
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    width_out, width_in = rows.matrix.shape
    nodes, last = [], "rows"
    if rows.normalised:
        nodes.append(helper.make_node("LpNormalization", ["rows"], ["unit"], axis=1, p=2))
        last = "unit"
    nodes.append(helper.make_node("Gemm", [last, "matrix", "constant"], ["embedded"], transB=1))
    kept = {"matrix": rows.matrix, "constant": rows.constant}
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("rows", onnx.TensorProto.FLOAT, ["n", width_in])],
        [helper.make_tensor_value_info("embedded", onnx.TensorProto.FLOAT, ["n", width_out])],
        [numpy_helper.from_array(np.ascontiguousarray(v, dtype=np.float32), k) for k, v in kept.items()],
    )
    whole = helper.make_model(
        graph,
        producer_name="nearkin",
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    onnx.checker.check_model(whole)
    return whole.SerializeToString()


def _load_onnx() -> Any:
    try:
        import onnx
        import onnx.checker
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise ImportError("ONNX is not installed: pip install 'nearkin[onnx]'.") from error
    return onnx
