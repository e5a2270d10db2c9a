"""Embedding all rows with a fitted learner, block by block, from file to file."""

from __future__ import annotations

import hashlib
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nearkin._types import Estimator, FilePath
from nearkin.datasets.rows import Rows, open_rows
from nearkin.distances import EmbeddedDistance
from nearkin.files import GrowingNpy, Unfinished, put_in_place, saying_no_room
from nearkin.rows_in_blocks import is_lazy
from nearkin.scale.source import Progress


def transform_rows(
    learner: Estimator,
    rows: Any,
    out: FilePath | None = None,
    *,
    rows_per_block: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """``learner.transform`` of all rows, block by block.

    Parameters
    ----------
    learner : fitted estimator with `transform`
        A learner, or a pipeline.
    rows : path, Rows, array, Dask array or Dask data frame
    out : path of a .npy file, optional
        File to write; without it, an array in memory is returned. If an earlier call was interrupted, the
        same call resumes where it ended.
    rows_per_block : int, optional
        About 16 MB of rows by default.
    progress : callable, optional
        Called with the rows done, the rows in all and "rows".

    Returns
    -------
    embedded : ndarray, read-only memory map of `out`, or Dask array for Dask rows
        A Dask array is lazy: nothing is computed yet.

    Notes
    -----
    Memory of a few blocks. The file appears under its name only when it is complete; until then finished
    rows are in the folder ``.<out>.unfinished``.
    """
    if not hasattr(learner, "transform"):
        raise TypeError(f"{type(learner).__name__} has no transform; use move_rows to move references.")
    return answers(learner, "transform", rows, out, rows_per_block=rows_per_block, progress=progress)


def move_rows(
    learner: Estimator,
    rows: Any,
    out: FilePath | None = None,
    *,
    rows_per_block: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """All rows embedded as references, to be stored in an index.

    Parameters and returned value are those of `transform_rows`; `learner` is any fitted learner whose
    distance embeds references, such as MoveLabeled.

    See Also
    --------
    nearkin.stores.move_rows : Moves the vectors of a database and writes them beside the raw ones.

    Examples
    --------
    >>> import nearkin, tempfile
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = nearkin.MoveLabeled(n_targets=1, alpha=1.0).fit(X, y)
    >>> moved = move_rows(learner, X, out=Path(tempfile.mkdtemp()) / "moved.npy", rows_per_block=64)
    >>> bool(np.allclose(moved, learner.distance_.embed_references(X)))
    True
    """
    return answers(learner, "move", rows, out, rows_per_block=rows_per_block, progress=progress)


def answers(
    model,
    method: str,
    rows,
    out=None,
    *,
    rows_per_block: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """The results of a method of a fitted model for all rows, block by block.

    Parameters
    ----------
    model : fitted estimator
    method : str
        "transform", "predict", ...; "move" embeds rows as references.
    rows, out, rows_per_block, progress
        As for `transform_rows`.
    """
    check_is_fitted(model)
    answer = _Mover(model) if method == "move" else getattr(model, method)
    if is_lazy(rows):
        if out is not None:
            raise TypeError("Dask rows give a Dask array; write that by its to_zarr or to_npy_stack.")
        from nearkin.scale.dask_source import answered_lazily

        return answered_lazily(answer, rows)
    rows = open_rows(rows if isinstance(rows, Rows | str | os.PathLike) else np.asarray(rows))
    first = np.asarray(answer(rows[: min(1, len(rows))]))
    shape, dtype = (len(rows), *first.shape[1:]), first.dtype
    size = rows_per_block or rows.block_rows
    if out is None:
        whole, done = np.empty(shape, dtype), 0
        for X in rows.blocks(size):
            whole[done : done + len(X)] = answer(X)
            done += len(X)
            if progress is not None:
                progress(done, len(rows), "rows")
        return whole
    out = Path(out)
    if out.suffix != ".npy":
        raise ValueError(f"out={str(out)!r}: rows are written to a .npy file.")
    origin = {"shape": list(shape), "dtype": dtype.str, "made from": _fingerprint(model, rows)}
    _write(answer, rows, out, origin, size, progress)
    return np.load(out, mmap_mode="r")


class _Mover:
    """Embeds rows as references; a class, so that it can be pickled."""

    def __init__(self, learner):
        if not isinstance(getattr(learner, "distance_", None), EmbeddedDistance):
            raise TypeError(
                f"this {type(learner).__name__} has no embedding of references, so rows cannot be moved; "
                "fit a learner of an embedding, without a kernel or on dense rows."
            )
        self.learner = learner

    def __call__(self, X) -> np.ndarray:
        return self.learner.distance_.embed_references(self.learner._validate_new(X))


def _fingerprint(learner, rows: Rows) -> str:
    """Identifies rows and learner: an interrupted file may only be continued by the same."""
    sample = rows[np.unique(np.linspace(0, len(rows) - 1, 16).astype(int))]
    return hashlib.sha256(pickle.dumps((learner, rows.shape, rows.dtype.str, sample.tobytes()))).hexdigest()


def _write(embed, rows: Rows, out: Path, origin: dict, size: int, progress) -> None:
    unfinished = Unfinished(out, origin)
    file = GrowingNpy(unfinished.folder, len(rows))
    # Whole blocks only: products of other sizes may round differently, and an interruption must not show.
    file.done -= file.done % size if file.done < len(rows) else 0
    with saying_no_room(out):
        for X in rows.blocks(size, start=file.done):
            file.append(np.asarray(embed(X), dtype=origin["dtype"]))
            if progress is not None:
                progress(file.done, len(rows), "rows")
        put_in_place(file.path, out)
    unfinished.remove()
