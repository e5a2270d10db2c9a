"""Rows of Parquet and Arrow files, a row group or record batch at a time; they need pyarrow."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import numpy as np

from nearkin.datasets.errors import DataError, shortened
from nearkin.datasets.formats import PARQUET_SUFFIXES
from nearkin.datasets.rows import Rows, float_dtype
from nearkin.datasets.vectors import is_list_type


class ArrowRows(Rows):
    """Rows of one or more files, in their order.

    Parameters
    ----------
    files : list of str
    key : str or None
        The column of vectors; None for the only one of lists, or all columns of numbers.
    reopen : tuple
        What `open_rows` needs to open them again.
    """

    def __init__(self, files: list[str], key: str | None, reopen: tuple):
        try:
            self._parts = [part for file in files for part in _parts_of(file)]
        except ImportError as error:
            raise DataError(f"reading {files[0]} needs pyarrow: pip install 'nearkin[data]'.") from error
        except (OSError, ValueError) as error:
            raise DataError(f"{files[0]}: not sound Parquet or Arrow files: {error}") from error
        self._reopen = reopen
        self._ends = list(accumulate(part.n_rows for part in self._parts))
        if not self._parts or not self._ends[-1]:
            raise DataError(f"{files[0]} holds no rows.")
        schema = self._parts[0].schema
        self._columns = _vector_columns(schema, key, files[0])
        first = next(self._pieces(0, 1, 1))
        self.shape = (self._ends[-1], first.shape[1])
        self.dtype = float_dtype(first.dtype)

    def __reduce__(self):
        from nearkin.datasets.rows import open_rows

        return open_rows, self._reopen

    def column(self, name: str) -> np.ndarray:
        """Another column of the table, such as the labels, whole."""
        if name not in (names := self._parts[0].schema.names):
            raise DataError(f"there is no column {name!r}; the file has {shortened(names)}.")
        return np.concatenate(
            [
                batch.column(0).to_numpy(zero_copy_only=False)
                for part in self._parts
                for batch in part.read([name])
            ]
        )

    def _pieces(self, start: int, stop: int, most: int) -> Iterator[np.ndarray]:
        at = bisect_right(self._ends, start)
        while start < stop:
            skip = start - (self._ends[at] - self._parts[at].n_rows)
            for batch in self._parts[at].read(self._columns, most):
                if skip >= len(batch):
                    skip -= len(batch)
                    continue
                upto = min(len(batch), skip + stop - start)
                for first in range(skip, upto, most):
                    piece = _numbers(batch.slice(first, min(most, upto - first)))
                    start += len(piece)
                    yield piece
                skip = 0
                if start >= stop:
                    return
            at += 1


class _RowGroup:
    """A row group of a Parquet file."""

    def __init__(self, file, number: int):
        self._file, self._number = file, number
        self.n_rows, self.schema = file.metadata.row_group(number).num_rows, file.schema_arrow

    def read(self, columns: list[str], most: int = 65_536) -> Iterator[Any]:
        # Pages are decoded on demand, so a row group is never in memory as a whole. A batch takes several
        # times its size while it is made, hence batches of a quarter of the rows wanted.
        size = max(1, most // 4)
        return self._file.iter_batches(size, row_groups=[self._number], columns=columns, use_threads=False)


class _Batch:
    """A record batch of an Arrow file; mapped unless it is compressed."""

    def __init__(self, batch):
        self._batch, self.n_rows, self.schema = batch, batch.num_rows, batch.schema

    def read(self, columns: list[str], most: int = 0) -> Iterator[Any]:
        yield self._batch.select(columns)


def parquet_file(path) -> Any:
    """A Parquet file of which only the pages in use are in memory.

    Buffering ahead would hold whole row groups. So would reading without a memory map, which takes a column
    of a row group at once: 512 MB where pyarrow wrote a million vectors of 128 values.
    """
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(path, pre_buffer=False, memory_map=True)


def _parts_of(file: str) -> list:
    import pyarrow

    if file.lower().endswith(PARQUET_SUFFIXES):
        opened = parquet_file(file)
        return [_RowGroup(opened, number) for number in range(opened.metadata.num_row_groups)]
    with open(file, "rb") as head:
        is_file = head.read(6) == b"ARROW1"
    source = pyarrow.memory_map(file)
    if not is_file:
        return [_Batch(batch) for batch in pyarrow.ipc.open_stream(source)]
    reader = pyarrow.ipc.open_file(source)
    return [_Batch(reader.get_batch(number)) for number in range(reader.num_record_batches)]


def _vector_columns(schema, key: str | None, file: str) -> list[str]:
    import pyarrow.types as kinds

    if key is not None:
        if key not in schema.names:
            raise DataError(f"{file} has no column {key!r}; it has {shortened(schema.names)}.")
        return [key]
    lists = [field.name for field in schema if is_list_type(field.type)]
    numbers = [f.name for f in schema if kinds.is_integer(f.type) or kinds.is_floating(f.type)]
    if len(lists) > 1:
        raise DataError(f"{file} has several columns of lists, {shortened(lists)}; name one by key=.")
    if not lists and not numbers:
        raise DataError(f"{file} has no column of numbers or of lists of numbers.")
    return lists or numbers


def _numbers(batch) -> np.ndarray:
    """The rows of a batch: its only column of lists, or one value from each column."""
    import pyarrow.types as kinds

    if any(column.null_count for column in batch.columns):
        raise DataError("rows have missing values; fill them or leave these rows out.")
    kind = batch.schema.field(0).type
    if batch.num_columns == 1 and not (kinds.is_integer(kind) or kinds.is_floating(kind)):
        column = batch.column(0)
        values = column.flatten().to_numpy(zero_copy_only=False)
        if not kinds.is_fixed_size_list(kind) and len(np.unique(column.value_lengths().to_numpy())) > 1:
            raise DataError("the lists of a column have different lengths, so they are not rows of a table.")
        return values.reshape(len(column), -1)
    return np.column_stack([column.to_numpy(zero_copy_only=False) for column in batch.columns])
