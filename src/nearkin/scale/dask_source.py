"""Blocks that are chunks of Dask collections, processed by the workers of the current client.

Each pass is one graph of pure functions, of which only the total is sent back. Nothing is pinned to a worker
and no worker waits for another: if one is lost, Dask computes its chunks again elsewhere.
"""

from __future__ import annotations

import warnings
from functools import reduce
from typing import Any
from uuid import uuid4

import numpy as np

from nearkin.datasets.rows import as_float, float_dtype, open_rows
from nearkin.numerics.threads import blas_threads
from nearkin.rows_in_blocks import is_lazy
from nearkin.scale.allocation import kept_memory
from nearkin.scale.shuffling import buckets_of, joined
from nearkin.scale.source import Source, block_of, counted_labels, joined_counts
from nearkin.scale.statistics import Block
from nearkin.scale.sums import added_up


class DaskSource(Source):
    """Rows and labels of Dask collections, or rows of one and labels in memory.

    Parameters
    ----------
    rows : Dask array (n x d) or data frame
    labels : Dask array or series with the same chunks, or an array
    """

    def __init__(self, rows, labels):
        self.row_chunks = _chunks_of_rows(rows)
        self.n_features = int(rows.shape[1])
        dtypes = list(rows.dtypes) if hasattr(rows, "columns") else [rows.dtype]
        self.dtype = np.result_type(*(float_dtype(dtype) for dtype in dtypes))
        if hasattr(rows, "columns") and all(isinstance(name, str) for name in rows.columns):
            self.names = list(rows.columns)
        self.label_chunks = _chunks_of_labels(labels, rows)
        if len(self.row_chunks) != len(self.label_chunks):
            raise ValueError(
                f"rows come in {len(self.row_chunks)} chunks, labels in {len(self.label_chunks)}; "
                "repartition them."
            )
        counted = _counted(self.label_chunks, labels)
        self.classes, self.sizes = reduce(joined_counts, counted)
        ends = np.cumsum([int(sizes.sum()) for _, sizes in counted])
        self.starts = [0, *ends[:-1].tolist()]

    def total(self, statistic, add, stage):
        import dask

        # As a node of the graph the statistic, with its candidates, is sent once and survives lost workers.
        statistic = dask.delayed(statistic, pure=False, traverse=False)
        classes = dask.delayed(self.classes, pure=False, traverse=False)
        run, joined = dask.delayed(_result, pure=False), dask.delayed(add, pure=False)
        parts = [
            run(statistic, X, labels, classes, start, self.dtype)
            for X, labels, start in zip(self.row_chunks, self.label_chunks, self.starts)
        ]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Sending large graph", category=UserWarning)
            return added_up(parts, joined).compute()

    def total_by_class(self, statistic, add, n_buckets, stage):
        import dask

        statistic = dask.delayed(statistic, pure=False, traverse=False)
        classes = dask.delayed(self.classes, pure=False, traverse=False)
        split = dask.delayed(_split, pure=False, nout=n_buckets)
        gathered, added = dask.delayed(_of_bucket, pure=False), dask.delayed(_added, pure=False)
        parts = [
            split(X, labels, classes, start, self.dtype, n_buckets)
            for X, labels, start in zip(self.row_chunks, self.label_chunks, self.starts)
        ]
        buckets = [gathered(statistic, [part[number] for part in parts]) for number in range(n_buckets)]
        return added_up(buckets, lambda a, b: added(add, a, b)).compute()


def _split(X, labels, classes, start: int, dtype, n_buckets: int) -> list[Block]:
    return buckets_of(block_of(as_float(np.asarray(X), dtype), labels, classes, start), n_buckets)


def _of_bucket(statistic, parts: list[Block]):
    bucket = joined(parts)
    if not len(bucket.codes):
        return None
    with blas_threads(), kept_memory:
        return statistic(bucket)


def _added(add, a, b):
    """The sum of two results; None is the result of an empty bucket."""
    if a is None or b is None:
        return b if a is None else a
    return add(a, b)


def _result(statistic, X, labels, classes, start: int, dtype):
    # One BLAS thread, as for local files: the same block then gives the same bits, and the threads of a
    # worker do not compete for cores.
    with blas_threads(), kept_memory:
        return statistic(block_of(as_float(np.asarray(X), dtype), labels, classes, start))


def _chunks_of_rows(rows) -> list:
    if rows.ndim != 2:
        raise ValueError(f"rows must be a table (2-d), but they have {rows.ndim} dimension(s).")
    if hasattr(rows, "numblocks") and rows.numblocks[1] > 1:
        rows = rows.rechunk({1: -1})
    return np.ravel(np.array(rows.to_delayed(), dtype=object)).tolist()


def _counted(chunks: list, labels) -> list:
    """Labels of each chunk and how often they occur; labels in memory are counted in this process."""
    import dask

    count = dask.delayed(counted_labels, pure=False)
    scheduler = {} if is_lazy(labels) else {"scheduler": "sync"}
    return dask.compute(*[count(part) for part in chunks], **scheduler)


def _chunks_of_labels(labels, rows) -> list:
    import dask

    lengths = rows.chunks[0] if hasattr(rows, "chunks") else (np.nan,)
    known = not np.isnan(lengths).any()
    if not is_lazy(labels):
        if not known:
            raise TypeError(
                "rows whose chunks are of unknown length need labels as a Dask collection as well."
            )
        if len(labels) != sum(lengths):
            raise ValueError(f"there are {sum(lengths)} rows but {len(labels)} labels.")
        return [
            dask.delayed(part, pure=False, traverse=False)
            for part in np.split(np.asarray(labels), np.cumsum(lengths)[:-1])
        ]
    if labels.ndim != 1:
        raise ValueError(f"labels must be 1-d, but they have {labels.ndim} dimensions.")
    if known and hasattr(labels, "chunks") and not np.isnan(labels.chunks[0]).any():
        if sum(labels.chunks[0]) != sum(lengths):
            raise ValueError(f"there are {sum(lengths)} rows but {sum(labels.chunks[0])} labels.")
        labels = labels.rechunk((lengths,))
    return np.ravel(np.array(labels.to_delayed(), dtype=object)).tolist()


def answered_lazily(answer, rows):
    """`answer` applied to the rows chunk by chunk, as a lazy Dask array; only tried on a row of zeros."""
    import dask.array

    if hasattr(rows, "columns"):
        example = np.asarray(answer(rows._meta_nonempty.iloc[:1]))
        answered = rows.map_partitions(answer, meta=example[:0])
        chunks = ((np.nan,) * rows.npartitions, *((size,) for size in example.shape[1:]))
        return dask.array.Array(answered.dask, answered.__dask_layers__()[0], chunks, meta=example[:0])
    if rows.numblocks[1] > 1:
        rows = rows.rechunk({1: -1})
    dtype = float_dtype(rows.dtype)
    example = np.asarray(answer(np.zeros((1, rows.shape[1]), dtype)))
    return rows.map_blocks(
        _answer,
        answer,
        dtype,
        chunks=(rows.chunks[0], *((size,) for size in example.shape[1:])),
        drop_axis=1 if example.ndim == 1 else (),
        dtype=example.dtype,
        meta=example[:0],
        name=f"nearkin-{uuid4().hex}",
    )


def _answer(X, answer, dtype):
    return answer(as_float(np.asarray(X), dtype))


def dask_rows(rows: Any, *, key: str | None = None, rows_per_chunk: int | None = None) -> Any:
    """A file of rows as a Dask array whose chunks are read by the workers that need them.

    Parameters
    ----------
    rows : path or Rows
        As for `open_rows`; the path must lead to the same file on every worker.
    key : str, optional
        As for `open_rows`.
    rows_per_chunk : int, optional
        About 16 MB of rows by default, as in a fit from blocks.

    Returns
    -------
    dask.array.Array

    Notes
    -----
    `dask.array.from_array` of a mapped file would send the whole file through the scheduler.
    """
    import dask
    import dask.array

    rows = open_rows(rows, key)
    size = rows_per_chunk or rows.block_rows
    opened = dask.delayed(rows, pure=False, traverse=False)
    read = dask.delayed(_read, pure=False)
    width = rows.shape[1]
    return dask.array.concatenate(
        [
            dask.array.from_delayed(
                read(opened, start, min(start + size, len(rows))),
                shape=(min(size, len(rows) - start), width),
                meta=np.empty((0, width), rows.dtype),
            )
            for start in range(0, len(rows), size)
        ]
    )


def _read(rows, start: int, stop: int) -> np.ndarray:
    return rows[start:stop]
