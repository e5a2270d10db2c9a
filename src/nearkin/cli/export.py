"""`nearkin export`: a saved model as files that other programs run, an ONNX graph or a FAISS index."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from nearkin.cli.errors import CommandError, speaks_plainly
from nearkin.cli.options import JsonOption, as_path, output_path, require_choice
from nearkin.cli.output import print_facts

SIDES = ["references", "queries"]
KINDS = ["flat", "ivf", "hnsw"]
METRICS = ["l2", "ip", "cosine"]


@speaks_plainly
def export(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A saved model (nearkin fit, compare, move).")
    ],
    onnx: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the learned map of raw rows as an ONNX graph.")
    ] = None,
    side: Annotated[
        str,
        typer.Option(metavar="SIDE", help="Rows that the graph embeds: references (stored) or queries."),
    ] = "references",
    faiss: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write a FAISS index of the references, searched with raw queries."
        ),
    ] = None,
    kind: Annotated[str, typer.Option(metavar="KIND", help="Of the index: flat, ivf or hnsw.")] = "flat",
    metric: Annotated[
        str, typer.Option(metavar="METRIC", help="What the index ranks by: l2, ip or cosine.")
    ] = "l2",
    as_json: JsonOption = False,
) -> None:
    """Write a saved model as an ONNX graph or a FAISS index; both take raw rows, scaling included."""
    require_choice("--side", side, SIDES)
    require_choice("--kind", kind, KINDS)
    require_choice("--metric", metric, METRICS)
    if onnx is None and faiss is None:
        raise CommandError("say what to write: --onnx map.onnx, --faiss rows.faiss, or both.")
    output_path(onnx)
    output_path(faiss)
    from nearkin.persistence import load

    fitted, facts = load(as_path(model)), {}
    try:
        if onnx is not None:
            facts["onnx"] = _write_onnx(fitted, onnx, side)
        if faiss is not None:
            facts["faiss"] = _write_faiss(fitted, faiss, kind, metric)
    except TypeError as error:  # the model has no form as a graph or index
        raise CommandError(f"{model}: {error}") from error
    print_facts("wrote", facts, as_json=as_json)


def _write_onnx(fitted: Any, place: str, side: str) -> str:
    from nearkin.predictors import to_onnx

    to_onnx(fitted, as_path(place), side=side)
    return f"{place}: float32 rows in, {side} as the learned distance places them out"


def _write_faiss(fitted: Any, place: str, kind: str, metric: str) -> str:
    from nearkin.files import replacing
    from nearkin.predictors import to_faiss
    from nearkin.search.faiss import load_faiss

    index = to_faiss(fitted, kind, metric)
    with replacing(as_path(place)) as file:
        file.write(load_faiss().serialize_index(index).tobytes())
    return f"{place}: {index.ntotal} references, {kind}, {metric}, raw queries of {index.d} values"
