"""`nearkin move`: moved vectors written beside the raw ones, in a file or a vector database."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import typer

from nearkin.cli.errors import CommandError, speaks_plainly
from nearkin.cli.options import JsonOption, LabelsOption, TargetOption, VectorsOption, as_path, output_path
from nearkin.cli.output import bytes_bar, print_facts, to_stderr


@speaks_plainly
def move(
    data: Annotated[
        str | None,
        typer.Argument(metavar="[DATA]", help="A file of vectors: npy, npz, Parquet, Arrow, HDF5, fvecs ..."),
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="File of moved vectors to write: .npy or .parquet.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="A model of MoveLabeled, fitted to unscaled vectors; else one is fitted."
        ),
    ] = None,
    save_model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Save the model that was fitted here.")
    ] = None,
    vectors: VectorsOption = None,
    labels: LabelsOption = None,
    target: TargetOption = None,
    metric: Annotated[
        str, typer.Option(metavar="METRIC", help="What the index of a file ranks by: l2, ip or cosine.")
    ] = "l2",
    radius: Annotated[
        float | None,
        typer.Option(metavar="R", help="Length of all vectors for cosine; as printed by the first move."),
    ] = None,
    pg: Annotated[str | None, typer.Option(metavar="URL", help="PostgreSQL with pgvector.")] = None,
    lance: Annotated[str | None, typer.Option(metavar="PATH", help="Folder of a LanceDB.")] = None,
    qdrant: Annotated[str | None, typer.Option(metavar="URL", help="Qdrant server, or folder.")] = None,
    table: Annotated[
        str | None,
        typer.Option("--table", "--collection", metavar="NAME", help="Table or collection to read."),
    ] = None,
    vector: Annotated[
        str | None, typer.Option(metavar="COL", help="Column (or name) of the raw vectors in the store.")
    ] = None,
    label: Annotated[str | None, typer.Option(metavar="COL", help="Column of labels in the store.")] = None,
    key: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Unique column; PostgreSQL: the primary key, LanceDB: id."),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Where moved vectors go: a new table, column or vector name."),
    ] = None,
    index: Annotated[
        bool, typer.Option("--index", help="Build the store's index of moved vectors too.")
    ] = False,
    use: Annotated[
        str | None, typer.Option(metavar="WHICH", help="Afterwards switch to moved, or back to raw.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Move nothing; say which rows are not moved. Exit code 1 if any.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Move stored vectors, so that raw queries find better neighbours by L2, inner product or cosine.

    Raw vectors are never changed. A stopped move continues when the command is repeated; rows that have
    been added to a store since then are moved by the model that the store remembers.
    """
    places = {"pg": pg, "lance": lance, "qdrant": qdrant}
    named = [name for name, place in places.items() if place is not None]
    if len(named) + (data is not None) != 1:
        raise CommandError("say what to move: a file (DATA), or one of --pg, --lance and --qdrant.")
    if data is not None:
        ranking = _Ranking(metric, radius)
        facts = _move_file(
            data, out, model, save_model, ranking, vectors=vectors, labels=labels, target=target
        )
    else:
        for_files = {"--out": out, "--vectors": vectors, "--labels": labels, "--target": target}
        _refuse(named[0], for_files | {"--radius": radius, "--metric": metric != "l2"})
        fitted = None if model is None else _load(model)
        with _open_store(named[0], places[named[0]], table, vector, label, key, into) as store:
            facts = _check(store) if check else _move_store(store, fitted, save_model, index, use)
    print_facts("move", facts, as_json=as_json)
    if check and not facts["sound"]:
        raise typer.Exit(1)


def _load(path: str):
    from nearkin.persistence import load

    return load(as_path(path))


def _refuse(store: str, given: dict[str, Any]) -> None:
    for option, value in given.items():
        if value:
            raise CommandError(f"{option} is for files; with --{store} use --vector, --label and --into.")


def _open_store(kind: str, place, table, vector, label, key, into) -> Any:
    from nearkin.stores import LanceStore, PgVectorStore, QdrantStore

    for option, value in {"--table": table, "--vector": vector, "--into": into}.items():
        if value is None:
            raise CommandError(f"--{kind} needs {option}.")
    if kind == "pg":
        return PgVectorStore(place, table, vector, into=into, label=label, key=key)
    if kind == "lance":
        return LanceStore(as_path(place), table, vector, into=into, label=label, key=key or "id")
    if key is not None:
        raise CommandError("points of Qdrant have ids of their own; leave out --key.")
    return QdrantStore(place, table, vector, into=into, label=label)


def _move_store(store, fitted, save_model: str | None, index: bool, use: str | None) -> dict[str, Any]:
    from nearkin.stores import move_rows

    with bytes_bar(f"moving {store.source}", unit="rows") as progress:
        report = move_rows(store, fitted, progress=progress)
    if save_model is not None:
        as_path(save_model).write_bytes(store.remembered()[1])
    if index:
        store.build_index()
    if use is not None:
        store.use(use)
    record = report.record
    return {
        "from": f"{record.source}, {record.vector}",
        "into": record.into,
        "moved now": report.moved,
        "rows": report.total,
        "model": f"{record.learner} {record.fingerprint[:12]}, first used {record.created}",
        "search": f"by L2 with raw queries; the application uses {store.current} vectors",
    }


def _check(store) -> dict[str, Any]:
    from nearkin.datasets.errors import shortened
    from nearkin.stores import check_moved

    report = check_moved(store)
    return {
        "sound": report.is_sound,
        "not moved": f"{len(report.missing)} {shortened(report.missing)}".strip(),
        "changed since": f"{len(report.changed)} {shortened(report.changed)}".strip(),
    }


class _Ranking(NamedTuple):
    """What the index of a file ranks by, and for cosine the length of its vectors if it is known."""

    metric: str
    radius: float | None

    def mover(self, learner, remembered, data, vectors) -> Any:
        """What moves the rows; the length for cosine is given, the model's, or computed from the file."""
        from nearkin.stores import Mover, radius_of

        radius = self.radius
        if self.metric == "cosine" and radius is None:
            radius = remembered or radius_of(as_path(data), learner, vectors=vectors)
        return Mover(learner, self.metric, radius)


SEARCH = {"l2": "L2 with raw queries q", "ip": "inner product with (q, 1)", "cosine": "cosine with (q, 1, 0)"}


def _move_file(data, out, model, save_model, ranking: _Ranking, **columns) -> dict[str, Any]:
    from nearkin.persistence import read_metadata, save
    from nearkin.stores import move_file

    if out is None:
        raise CommandError("say where moved vectors go: --out moved.npy or --out moved.parquet.")
    if ranking.metric not in SEARCH:
        raise CommandError(f"--metric {ranking.metric}: expected one of {', '.join(SEARCH)}.")
    path = output_path(out)
    vectors = columns["vectors"]
    if model is None:
        learner = _fitted_on_file(data, save_model, **columns)
        mover = ranking.mover(learner, None, data, vectors)
        save(learner, as_path(save_model), metadata={"radius": mover.radius} if mover.radius else None)
        to_stderr(f"model: {save_model} (move new vectors by it too)")
    else:
        remembered = read_metadata(as_path(model))["metadata"].get("radius")
        mover = ranking.mover(_load(model), remembered, data, vectors)
    with bytes_bar(f"moving {data}", unit="bytes") as progress:
        done = move_file(as_path(data), path, mover, vectors=vectors, progress=progress)
    facts = {
        "from": data,
        "into": str(done.out),
        "rows": done.rows,
        "model": f"{mover.name} {mover.fingerprint[:12]}",
        "search": f"by {SEARCH[mover.metric]}",
    }
    if mover.radius is not None:
        facts["radius"] = mover.radius
    return facts | ({"done before": f"{done.resumed} of {done.rows} rows"} if done.resumed else {})


def _fitted_on_file(data, save_model: str | None, *, vectors, labels, target):
    """A MoveLabeled fitted to the file's labels; it must be saved, to move later vectors alike."""
    from nearkin.datasets import load_dataset
    from nearkin.learners.closed_form.move import MoveLabeled

    if save_model is None:
        raise CommandError(
            "give --model, or --save-model to keep the one that is fitted: vectors that come later must be "
            "moved by the same model."
        )
    output_path(save_model)
    requested = target[0] if target else None
    found = load_dataset(
        as_path(data), vectors=vectors, labels=labels, target=requested, task="classification"
    )
    return MoveLabeled().fit(found.X, found.y)
