"""Files of vectors moved block by block into a new file, which appears once it is complete."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nearkin._types import Estimator
from nearkin.datasets.errors import DataError
from nearkin.datasets.rows import HDF5_SUFFIXES, ZARR_SUFFIXES, open_rows
from nearkin.datasets.vectors import arrow_array, as_floats, is_list_type, open_vectors
from nearkin.distances.folding import ROOM, TooLongError, longest_lifted
from nearkin.files import replacing
from nearkin.stores.base import StoreError
from nearkin.stores.mover import Mover

PARQUET = (".parquet", ".pq")
OUT_SUFFIXES = (".npy", *PARQUET)


@dataclass(frozen=True)
class FilePolicy:
    """How files are cut.

    Attributes
    ----------
    rows : int
        Rows of a block; a Parquet file is cut by its own row groups.
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
    cosine, whose last values are larger than float16 can tell apart.
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
        unfinished = _Unfinished(out, _identity(source, vectors, blocks, mover))
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


def _move(blocks, out: Path, mover: Mover, unfinished: _Unfinished, progress) -> FileMove:
    to_parquet = out.suffix.lower() in PARQUET
    row_bytes = blocks.width * blocks.dtype.itemsize
    total, done, resumed = blocks.n_rows * row_bytes, 0, 0
    kept_type = np.float16 if blocks.dtype == np.float16 and mover.metric == "l2" else np.float32
    for number in range(len(blocks)):
        part = unfinished.folder / f"{number:08d}{'.parquet' if to_parquet else '.npy'}"
        if part.exists():
            resumed += blocks.sizes[number]
        else:
            moved, table = _moved_block(blocks, number, mover)
            moved = moved.astype(kept_type, copy=False)
            with replacing(part) as file:
                _write_parquet(file, moved, table, blocks.name) if to_parquet else np.save(file, moved)
        done += blocks.sizes[number] * row_bytes
        if progress is not None:
            progress(done, total)
    with replacing(out) as file:
        (_join_parquet if to_parquet else _join_npy)(file, unfinished.parts(), blocks)
    unfinished.remove()
    return FileMove(blocks.n_rows, total, resumed, out)


def _moved_block(blocks, number: int, mover: Mover) -> tuple[np.ndarray, Any]:
    rows, table = blocks.read(number)
    try:
        return mover(rows), table
    except TooLongError as error:
        row = sum(blocks.sizes[:number]) + error.row + 1
        raise StoreError(
            f"{blocks.file}: row {row} is too long for vectors of length {mover.radius}; move all vectors "
            "of the index anew, without a radius, so that there is room for it."
        ) from None


class _Unfinished:
    """The folder of finished blocks beside the result; what another source or model left there is removed."""

    def __init__(self, out: Path, identity: dict):
        self.folder = out.parent / f".{out.name}.unfinished"
        note = self.folder / "move.json"
        if self.folder.exists() and (not note.exists() or json.loads(note.read_text()) != identity):
            self.remove()
        self.folder.mkdir(exist_ok=True)
        if not note.exists():
            with replacing(note, "w", encoding="utf-8") as file:
                file.write(json.dumps(identity))

    def parts(self) -> list[Path]:
        return sorted(path for path in self.folder.iterdir() if path.name[0].isdigit())

    def remove(self) -> None:
        shutil.rmtree(self.folder)


def _identity(source: Path, vectors: str | None, blocks, mover: Mover) -> dict:
    """Whether a stopped move may go on: the same file, cut alike, and the same model."""
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
    if source.suffix.lower() in PARQUET and source.is_file():
        return _ParquetBlocks(source, vectors)
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
    """The rows as an array that is mapped, or, of files in chunks, as `Rows` that are read slice by slice."""
    if source.suffix.lower() in (*HDF5_SUFFIXES, *ZARR_SUFFIXES) or source.is_dir():
        return open_rows(source, vectors)
    return open_vectors(source, vectors)


class _ParquetBlocks(_Blocks):
    def __init__(self, source: Path, vectors: str | None):
        try:
            import pyarrow.parquet as parquet
        except ImportError as error:
            raise StoreError(f"reading {source.name} needs pyarrow: pip install 'nearkin[data]'.") from error
        # Buffering ahead would hold more than a row group.
        self.parquet, self.file = parquet.ParquetFile(source, pre_buffer=False), source.name
        about = self.parquet.metadata
        self.sizes = [about.row_group(at).num_rows for at in range(about.num_row_groups)]
        self.n_rows, self.name = about.num_rows, vectors or self._only_list()
        if not self.n_rows:
            raise StoreError(f"{source.name} has no rows.")
        first = arrow_array(self.parquet.read_row_group(0, columns=[self.name]), self.name, self.file)
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
        table = self.parquet.read_row_group(number)
        rows = arrow_array(table, self.name, self.file, first_row=sum(self.sizes[:number]) + 1)
        return self._floats(rows, number, self.file), table


def _write_parquet(file, moved: np.ndarray, table, name: str) -> None:
    import pyarrow
    import pyarrow.parquet

    column = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(moved.ravel()), moved.shape[1])
    table = pyarrow.table({}) if table is None else table
    place = f"{name}_moved"
    if place in table.column_names:
        raise StoreError(f"there is a column {place!r} already; rename it, or move its source only once.")
    pyarrow.parquet.write_table(table.append_column(place, column), file)


def _join_parquet(file, parts: list[Path], blocks) -> None:
    import pyarrow.parquet as parquet

    with parquet.ParquetWriter(file, parquet.read_schema(parts[0])) as writer:
        for part in parts:
            writer.write_table(parquet.read_table(part))


def _join_npy(file, parts: list[Path], blocks) -> None:
    first = np.load(parts[0], mmap_mode="r")
    header = {"descr": first.dtype.str, "fortran_order": False, "shape": (blocks.n_rows, first.shape[1])}
    np.lib.format.write_array_header_1_0(file, header)
    for part in parts:
        file.write(np.load(part).tobytes())
