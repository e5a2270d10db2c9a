"""Rows of numbers in files larger than memory: opened without being read, then read block by block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from nearkin.datasets.errors import DataError
from nearkin.datasets.formats import (
    ARROW_SUFFIXES,
    HDF5_SUFFIXES,
    NPY_SUFFIX,
    PARQUET_SUFFIXES,
    VECS_DTYPES,
    ZARR_SUFFIXES,
    map_npy,
    map_vecs,
)

#: Bytes of a block, unless the caller says how many rows it has.
BLOCK_BYTES = 16 * 2**20


class Rows(ABC):
    """An n x d table of numbers that need not be in memory.

    Attributes
    ----------
    shape : tuple of int
    dtype : dtype
        What blocks come in: float64 and wide integers as float64, anything narrower as float32.

    Notes
    -----
    Rows can be pickled: another process opens the file again itself.
    """

    shape: tuple[int, int]
    dtype: np.dtype

    @abstractmethod
    def _pieces(self, start: int, stop: int, most: int) -> Iterator[np.ndarray]:
        """The rows from start to stop in order, in arrays of at most `most` rows and of any dtype."""

    def _taken(self, numbers: np.ndarray) -> np.ndarray:
        """The rows of these numbers, which are sorted; of any dtype."""
        out = np.empty((len(numbers), self.shape[1]), self.dtype)
        start, most = (int(numbers[0]), self.block_rows) if len(numbers) else (0, 1)
        done, end = 0, int(numbers[-1]) + 1 if len(numbers) else 0
        for piece in self._pieces(start, end, most):
            upto = int(np.searchsorted(numbers, start + len(piece)))
            out[done:upto] = piece[numbers[done:upto] - start]
            start, done = start + len(piece), upto
        return out

    @property
    def block_rows(self) -> int:
        """Rows of a block by default: some 16 MB of them."""
        return max(1, BLOCK_BYTES // (self.dtype.itemsize * max(1, self.shape[1])))

    def __len__(self) -> int:
        return self.shape[0]

    def blocks(
        self, rows_per_block: int | None = None, start: int = 0, stop: int | None = None
    ) -> Iterator[np.ndarray]:
        """Successive rows in blocks of `rows_per_block`; the last one may be shorter.

        Parameters
        ----------
        rows_per_block : int, optional
            `block_rows` by default.
        start, stop : int
            Only these rows.
        """
        size = self.block_rows if rows_per_block is None else int(rows_per_block)
        if size < 1:
            raise ValueError(f"rows_per_block={rows_per_block}: expected at least 1.")
        stop = len(self) if stop is None else min(stop, len(self))
        waiting: np.ndarray | None = None
        filled, left = 0, stop - start
        for piece in self._pieces(start, stop, size):
            # A piece that is already a whole block is passed on: blocks of a mapped file are not copied.
            if waiting is None and len(piece) == min(size, left):
                left -= len(piece)
                yield as_float(piece, self.dtype)
                continue
            while len(piece):
                if waiting is None:
                    waiting, filled = np.empty((min(size, left), self.shape[1]), self.dtype), 0
                part = min(len(waiting) - filled, len(piece))
                waiting[filled : filled + part] = piece[:part]
                piece, filled = piece[part:], filled + part
                if filled == len(waiting):
                    left -= filled
                    yield waiting
                    waiting = None

    def __getitem__(self, rows: Any) -> np.ndarray:
        """Rows by number: an integer, a slice, or an array of integers or of booleans."""
        if isinstance(rows, slice):
            start, stop, step = rows.indices(len(self))
            if step != 1:
                return self[np.arange(start, stop, step)]
            out = np.empty((max(0, stop - start), self.shape[1]), self.dtype)
            done = 0
            for piece in self._pieces(start, max(start, stop), self.block_rows):
                out[done : done + len(piece)] = piece
                done += len(piece)
            return out
        numbers = np.asarray(rows)
        if numbers.dtype == bool:
            if numbers.shape != (len(self),):
                raise IndexError(f"a mask of shape {numbers.shape} does not fit {len(self)} rows.")
            numbers = np.flatnonzero(numbers)
        if numbers.ndim > 1 or (numbers.size and numbers.dtype.kind not in "iu"):
            raise IndexError("rows are taken by an integer, a slice, or an array of integers or booleans.")
        if numbers.size and not (-len(self) <= numbers.min() and numbers.max() < len(self)):
            raise IndexError(f"row numbers run from {numbers.min()} to {numbers.max()} of {len(self)} rows.")
        wanted = np.atleast_1d(numbers).astype(np.intp)
        unique, places = np.unique(np.where(wanted < 0, wanted + len(self), wanted), return_inverse=True)
        taken = as_float(self._taken(unique), self.dtype)[places]
        return taken if numbers.ndim else taken[0]


def float_dtype(stored) -> np.dtype:
    """The dtype in which numbers of a stored dtype are computed with.

    >>> float_dtype(np.int8), float_dtype(np.float64)
    (dtype('float32'), dtype('float64'))
    """
    stored = np.dtype(stored)
    if stored.kind not in "fiub":
        raise DataError(f"rows must hold numbers, but these hold {stored}.")
    narrow = stored.itemsize <= 2 or (stored.kind == "f" and stored.itemsize == 4)
    return np.dtype(np.float32 if narrow else np.float64)


def as_float(piece: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The piece in this dtype and C order, without a copy if it is so already."""
    return np.ascontiguousarray(piece, dtype=dtype)


class ArrayRows(Rows):
    """Rows of an array in memory, or mapped into it."""

    def __init__(self, array, reopen: tuple | None = None):
        if array.ndim != 2:
            raise DataError(f"rows must be a table (2-d), but the array has shape {array.shape}.")
        self._array, self._reopen = array, reopen
        self.shape, self.dtype = array.shape, float_dtype(array.dtype)

    def __reduce__(self):
        return (open_rows, self._reopen) if self._reopen else (ArrayRows, (self._array,))

    def _pieces(self, start, stop, most):
        # Zarr unpacks all chunks that it is asked for at once, beside what it returns: a few at a time.
        chunk = (getattr(self._array, "chunks", None) or (most,))[0]
        most = min(most, max(chunk, most // 8 // chunk * chunk))
        for first in range(start, stop, most):
            yield np.asarray(self._array[first : min(first + most, stop)])

    def _taken(self, numbers):
        return np.asarray(self._array[numbers])


def open_rows(path: Any, key: str | None = None) -> Rows:
    """Open a file or folder of rows without reading them.

    Parameters
    ----------
    path : str, Path, array or Rows
        ``.npy`` (memory-mapped), ``.fvecs``, ``.bvecs``, ``.ivecs``, Parquet (row group by row group), Arrow
        (``.arrow``, ``.feather``), HDF5, Zarr, or a folder of Parquet or Arrow files, in the order of their
        names. An array is taken as it is.
    key : str, optional
        Which array of an HDF5 or Zarr file, if it holds several. Of a Parquet or Arrow file, the column of
        vectors; without it, the only column of lists, or else all columns of numbers.

    Returns
    -------
    rows : Rows

    Notes
    -----
    Memory while reading is a few blocks, and of a compressed file one of its chunks; mapped files are read
    through the system's page cache, which gives their memory back when others need it.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "vectors.npy"
    >>> np.save(file, np.arange(10, dtype=np.int8).reshape(5, 2))
    >>> rows = open_rows(file)
    >>> rows.shape, rows.dtype
    ((5, 2), dtype('float32'))
    >>> [len(block) for block in rows.blocks(2)]
    [2, 2, 1]
    >>> rows[[4, 0]]
    array([[8., 9.],
           [0., 1.]], dtype=float32)
    """
    if isinstance(path, Rows):
        return path
    if isinstance(path, np.ndarray):
        return ArrayRows(path)
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {path}.")
    suffix, arguments = path.suffix.lower(), (str(path), key)
    if suffix in ZARR_SUFFIXES or (path.is_dir() and _is_zarr(path)):
        from nearkin.datasets.rows_chunked import open_zarr

        return open_zarr(*arguments)
    if suffix in HDF5_SUFFIXES:
        from nearkin.datasets.rows_chunked import open_hdf5

        return open_hdf5(*arguments)
    if path.is_dir() or suffix in (*PARQUET_SUFFIXES, *ARROW_SUFFIXES):
        from nearkin.datasets.rows_arrow import ArrowRows

        return ArrowRows(_files_of(path), key, reopen=arguments)
    if suffix == NPY_SUFFIX:
        return ArrayRows(map_npy(path), reopen=arguments)
    if suffix in VECS_DTYPES:
        return ArrayRows(map_vecs(path)["values"], reopen=arguments)
    known = (NPY_SUFFIX, *VECS_DTYPES, *PARQUET_SUFFIXES, *ARROW_SUFFIXES, *HDF5_SUFFIXES, *ZARR_SUFFIXES)
    raise DataError(
        f"{path.name}: rows are read from {', '.join(known)} or a folder of Parquet or Arrow files."
    )


def _is_zarr(folder: Path) -> bool:
    return any((folder / name).exists() for name in ("zarr.json", ".zarray", ".zgroup"))


def _files_of(path: Path) -> list[str]:
    if not path.is_dir():
        return [str(path)]
    known = (*PARQUET_SUFFIXES, *ARROW_SUFFIXES)
    files = sorted(str(file) for file in path.iterdir() if file.suffix.lower() in known)
    if not files:
        raise DataError(f"the folder {path} holds no Parquet or Arrow file.")
    return files
