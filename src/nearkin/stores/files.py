"""Files of vectors moved block by block into a new file, which appears once it is complete."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nearkin._types import Estimator
from nearkin.datasets.errors import DataError
from nearkin.datasets.formats import HDF5_SUFFIXES, PARQUET_SUFFIXES, ZARR_SUFFIXES
from nearkin.datasets.rows import open_rows
from nearkin.datasets.rows_arrow import parquet_file
from nearkin.datasets.vectors import arrow_array, as_floats, is_list_type, open_vectors
from nearkin.distances.folding import ROOM, TooLongError, longest_lifted
from nearkin.files import GrowingNpy, Unfinished, put_in_place, replacing, saying_no_room
from nearkin.stores.base import StoreError
from nearkin.stores.mover import Mover

OUT_SUFFIXES = (".npy", *PARQUET_SUFFIXES)


@dataclass(frozen=True)
class FilePolicy:
    """How files are split into blocks.

    Attributes
    ----------
    rows : int
        Rows of a block; a larger row group of a Parquet file is split into such blocks.
    """

    rows: int = 65_536


@dataclass(frozen=True)
class FileMove:
    """What `move_file` did: rows and bytes of vectors, and how many rows an earlier, stopped run had done."""

    rows: int
    bytes: int
    resumed: int
    out: Path


def move_file(
    source: str | Path,
    out: str | Path,
    model: Estimator | None,
    *,
    vectors: str | None = None,
    policy: FilePolicy | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> FileMove:
    """Move the vectors of a file into a new one.

    Parameters
    ----------
    source : path
        Anything that `datasets.vectors.open_vectors` reads.
    out : path
        ``.npy`` for the moved vectors alone; ``.parquet`` for the moved vectors in a column
        ``<vectors>_moved`` beside all columns of a Parquet source.
    model : fitted estimator or Mover
        ``Mover(model, "ip")`` or ``Mover(model, "cosine", radius_of(source, model))`` for an index that ranks
        by inner product or cosine.
    vectors : str, optional
        The array, column or field; needed where there are several.
    policy : FilePolicy, optional
    progress : callable, optional
        Called after each block with bytes of vectors done and in all.

    Returns
    -------
    FileMove

    Notes
    -----
    What a stopped run has finished is kept in ``.<out>.unfinished`` and used by the next run, if source and
    model are still the same; `out` itself is replaced in one step at the end. Memory is one block. float16
    vectors stay float16 in the new file, all others become float32, and so do those for inner product or
    cosine, whose last values need more precision than float16 has.
    """
    source, out = Path(source), Path(out)
    mover = model if isinstance(model, Mover) else Mover(model)
    if out.suffix.lower() not in OUT_SUFFIXES:
        raise StoreError(f"{out.name}: moved vectors are written to {' or '.join(OUT_SUFFIXES)} files.")
    if out.exists() and source.exists() and out.samefile(source):
        raise StoreError(
            "moved vectors would replace the raw ones, which cannot be undone; give another file."
        )
    try:
        blocks = _opened(source, vectors, policy or FilePolicy())
        _check_width(source, blocks, mover)
        unfinished = Unfinished(out, _identity(source, vectors, blocks, mover))
        return _move(blocks, out, mover, unfinished, progress)
    except DataError as error:
        raise StoreError(str(error)) from error


def radius_of(
    source: str | Path, model: Any, *, vectors: str | None = None, policy: FilePolicy | None = None
) -> float:
    """The length for all moved vectors of a file in an index by cosine, with room for longer ones to come.

    Reads the file once, block by block; parameters as for `move_file`.
    """
    mover = Mover(model)
    try:
        blocks = _opened(Path(source), vectors, policy or FilePolicy())
        _check_width(Path(source), blocks, mover)
        longest = max(longest_lifted(mover(blocks.read(number)[0])) for number in range(len(blocks)))
    except DataError as error:
        raise StoreError(str(error)) from error
    return float(ROOM * longest) ** 0.5 or 1.0


def _move(blocks, out: Path, mover: Mover, unfinished: Unfinished, progress) -> FileMove:
    row_bytes = blocks.width * blocks.dtype.itemsize
    kept_type = np.float16 if blocks.dtype == np.float16 and mover.metric == "l2" else np.float32
    written = (_ParquetOut if out.suffix.lower() in PARQUET_SUFFIXES else _NpyOut)(unfinished.folder, blocks)
    before = sum(blocks.sizes[: written.blocks_done])
    done, total = before * row_bytes, blocks.n_rows * row_bytes
    if progress is not None and before:
        progress(done, total)
    with saying_no_room(out):
        for number in range(written.blocks_done, len(blocks)):
            moved, table = _moved_block(blocks, number, mover)
            written.put(number, moved.astype(kept_type, copy=False), table)
            done += blocks.sizes[number] * row_bytes
            if progress is not None:
                progress(done, total)
        put_in_place(written.whole(), out)
    unfinished.remove()
    return FileMove(blocks.n_rows, total, before, out)


def _moved_block(blocks, number: int, mover: Mover) -> tuple[np.ndarray, Any]:
    rows, table = blocks.read(number)
    try:
        return mover(rows), table
    except TooLongError as error:
        row = sum(blocks.sizes[:number]) + error.row + 1
        raise StoreError(
            f"{blocks.file}: row {row} is too long for vectors of length {mover.radius}; move all vectors "
            "of the index again, without a radius, so that there is room for it."
        ) from None


def _identity(source: Path, vectors: str | None, blocks, mover: Mover) -> dict:
    """What must be the same for a stopped move to continue: the file, its blocks and the model."""
    about = os.stat(source)
    return {
        "source": str(source.resolve()),
        "size": about.st_size,
        "changed": about.st_mtime_ns,
        "vectors": vectors,
        "blocks": blocks.sizes,
        "model": mover.fingerprint,
    }


def _check_width(source: Path, blocks, mover: Mover) -> None:
    if blocks.width != mover.width:
        raise StoreError(
            f"the vectors of {source.name} have {blocks.width} values, but the model was fitted on "
            f"{mover.width}."
        )


def _opened(source: Path, vectors: str | None, policy: FilePolicy):
    if source.suffix.lower() in PARQUET_SUFFIXES and source.is_file():
        return _ParquetBlocks(source, vectors, policy.rows)
    return _ArrayBlocks(source, vectors, policy.rows)


class _Blocks:
    """Rows of a file cut into blocks that stay the same from run to run."""

    n_rows: int
    width: int
    dtype: np.dtype
    sizes: list[int]
    name: str
    file: str

    def __len__(self) -> int:
        return len(self.sizes)

    def read(self, number: int) -> tuple[np.ndarray, Any]:
        """Rows as floats, and the table around them if there is one."""
        raise NotImplementedError

    def _floats(self, rows, number: int, file: str) -> np.ndarray:
        first = sum(self.sizes[:number])
        return as_floats(rows, lambda at: f"{file}: row {first + at + 1}", self.width)


class _ArrayBlocks(_Blocks):
    def __init__(self, source: Path, vectors: str | None, rows: int):
        self.array, self.file = _opened_rows(source, vectors), source.name
        self.n_rows, self.width = self.array.shape
        self.dtype, self.name = self.array.dtype, vectors or "vector"
        self.sizes = [min(rows, self.n_rows - first) for first in range(0, self.n_rows, rows)]

    def read(self, number: int) -> tuple[np.ndarray, Any]:
        first = sum(self.sizes[:number])
        return self._floats(self.array[first : first + self.sizes[number]], number, self.file), None


def _opened_rows(source: Path, vectors: str | None) -> Any:
    """The rows as a mapped array or, for files in chunks, as `Rows` that are read slice by slice."""
    if source.suffix.lower() in (*HDF5_SUFFIXES, *ZARR_SUFFIXES) or source.is_dir():
        return open_rows(source, vectors)
    return open_vectors(source, vectors)


class _ParquetBlocks(_Blocks):
    """Row groups, large ones in parts that are unpacked one after the other."""

    def __init__(self, source: Path, vectors: str | None, rows: int):
        try:
            self.parquet, self.file = parquet_file(source), source.name
        except ImportError as error:
            raise StoreError(f"reading {source.name} needs pyarrow: pip install 'nearkin[data]'.") from error
        about = self.parquet.metadata
        self.n_rows, self.name, self.rows = about.num_rows, vectors or self._only_list(), rows
        if not self.n_rows:
            raise StoreError(f"{source.name} has no rows.")
        groups = [(at, about.row_group(at).num_rows) for at in range(about.num_row_groups)]
        cuts = [(at, first, min(rows, n - first)) for at, n in groups for first in range(0, n, rows)]
        self.sizes, self._groups = [size for *_, size in cuts], [at for at, *_ in cuts]
        self._next = -1
        self._tables: Iterator[Any] = iter(())
        first = arrow_array(self._read_table(0), self.name, self.file)
        if first.ndim != 2:
            raise StoreError(f"{source.name}: column {self.name!r} does not hold lists of numbers.")
        self.width, self.dtype = first.shape[1], first.dtype

    def _only_list(self) -> str:
        lists = [field.name for field in self.parquet.schema_arrow if is_list_type(field.type)]
        if len(lists) != 1:
            raise StoreError(
                f"{self.file} has {len(lists)} columns of lists; say which one holds the vectors "
                "(vectors=..., on the command line --vectors)."
            )
        return lists[0]

    def read(self, number: int) -> tuple[np.ndarray, Any]:
        table = self._read_table(number)
        rows = arrow_array(table, self.name, self.file, first_row=sum(self.sizes[:number]) + 1)
        return self._floats(rows, number, self.file), table

    def _read_table(self, number: int) -> Any:
        """A block with all its columns; the parts of a row group before it are unpacked too, and dropped."""
        group = self._groups[number]
        if number != self._next or number == self._groups.index(group):
            self._next, self._tables = self._groups.index(group), self._tables_of(group)
        for table in self._tables:
            self._next += 1
            if self._next > number:
                return table
        raise StoreError(f"{self.file} ends too early: it is damaged.")

    def _tables_of(self, group: int) -> Iterator[Any]:
        """The rows of a row group in tables of `rows` each; batches may be shorter than asked for."""
        import pyarrow

        schema = self.parquet.schema_arrow
        waiting: list[Any] = []
        size = max(1, self.rows // 4)
        for batch in self.parquet.iter_batches(size, row_groups=[group], use_threads=False):
            while (more := sum(part.num_rows for part in waiting) + len(batch) - self.rows) >= 0:
                yield pyarrow.Table.from_batches([*waiting, batch.slice(0, len(batch) - more)], schema)
                # Keep nothing of a batch that is done: even an empty slice would hold its memory.
                waiting, batch = [], batch.slice(len(batch) - more)
                if not more:
                    break
            else:
                waiting.append(batch)
        if waiting:
            yield pyarrow.Table.from_batches(waiting, schema)


class _NpyOut(GrowingNpy):
    """A .npy file that grows, and how many blocks of it are done."""

    def __init__(self, folder: Path, blocks: _Blocks):
        super().__init__(folder, blocks.n_rows)
        ends = np.cumsum(blocks.sizes)
        self.blocks_done = int(np.searchsorted(ends, self.done, side="right"))
        self.done = sum(blocks.sizes[: self.blocks_done])

    def put(self, number: int, moved: np.ndarray, table: Any) -> None:
        self.append(moved)

    def whole(self) -> Path:
        return self.path


class _ParquetOut:
    """A file per block, which appears once it is complete, and at the end one file of them all."""

    def __init__(self, folder: Path, blocks: _Blocks):
        self._folder, self._blocks = folder, blocks
        self.blocks_done = next(at for at in range(len(blocks) + 1) if not self._part(at).exists())

    def _part(self, number: int) -> Path:
        return self._folder / f"{number:08d}.parquet"

    def put(self, number: int, moved: np.ndarray, table: Any) -> None:
        import pyarrow
        import pyarrow.parquet

        column = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(moved.ravel()), moved.shape[1])
        place = f"{self._blocks.name}_moved"
        if table is not None and place in table.column_names:
            raise StoreError(f"there is a column {place!r} already; rename it, or move its source only once.")
        alone = pyarrow.table({place: column})
        with replacing(self._part(number)) as file:
            pyarrow.parquet.write_table(alone if table is None else table.append_column(place, column), file)

    def whole(self) -> Path:
        import pyarrow.parquet as parquet

        joined, parts = self._folder / "whole.parquet", [self._part(at) for at in range(len(self._blocks))]
        with open(joined, "wb") as file:
            with parquet.ParquetWriter(file, parquet.read_schema(parts[0])) as writer:
                for part in parts:
                    writer.write_table(parquet.read_table(part))
            file.flush()
            os.fsync(file.fileno())
        return joined
