"""`nearkin fit` of a file of vectors that is read block by block: only the learner is saved."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

from nearkin.cli.errors import CommandError
from nearkin.cli.options import as_path
from nearkin.cli.output import bytes_bar

#: Files of vectors from this size on are streamed even without --stream.
STREAM_FROM_BYTES = 2 * 2**30


def should_stream(data: str, labels: str | None, asked: bool) -> bool:
    """Whether to read DATA block by block: if asked to, or if it is a large file of vectors with labels."""
    path = as_path(data)
    if asked:
        if labels is None:
            raise CommandError("--stream needs --labels: a file of labels, or a column of a Parquet file.")
        return True
    return labels is not None and path.exists() and _size(path) >= STREAM_FROM_BYTES


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size


def fit_streamed(learner, data: str, labels: str, vectors: str | None, out: Path) -> dict[str, Any]:
    """Fit the learner in a few passes, or to a sample if it needs all its rows at once, and save it."""
    from nearkin.datasets.rows import open_rows
    from nearkin.persistence import save
    from nearkin.scale import fit_sample
    from nearkin.scale.ways import way_of

    rows = open_rows(as_path(data), vectors)
    y = _labels(rows, as_path(data), labels)
    if len(y) != len(rows):
        raise CommandError(f"{labels} has {len(y)} labels, but {data} has {len(rows)} rows.")
    row_bytes = rows.shape[1] * rows.dtype.itemsize
    try:
        fit, learned_from = way_of(learner, rows), "all rows"
    except TypeError:
        fit, learned_from = fit_sample, "a sample of the rows"
    started = perf_counter()
    with bytes_bar(f"reading {data}", unit="bytes") as bar:

        def progress(done: int, total: int, stage: str) -> None:
            bar(done * row_bytes, total * row_bytes)

        fit(learner, rows, y, progress=progress)
    seconds = perf_counter() - started
    save(learner, out)
    return {
        "model": str(out),
        "learner": type(learner).__name__,
        "data": f"{data}: {len(rows):,} rows x {rows.shape[1]}, read block by block",
        "learned from": learned_from,
        "seconds": round(seconds, 3),
        # Others change queries too, so that moved rows alone would be of no use.
        **(
            {"next": f"nearkin move {data} --model {out} --out moved.npy"} if hasattr(learner, "move") else {}
        ),
    }


def _labels(rows, data: Path, labels: str):
    from nearkin.datasets.vector_sets import read_labels

    if hasattr(rows, "column") and not as_path(labels).is_file():
        return rows.column(labels)
    return read_labels(data, as_path(labels))[0]
