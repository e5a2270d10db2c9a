"""Vectors on disk as one matrix: npy, npz, fvecs, HDF5, list columns of Parquet, Arrow and JSON lines.

Formats that allow it are memory-mapped, and narrow types (float16, bfloat16, int8) stay narrow until
`as_floats` widens the rows that are about to be used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nearkin.datasets.errors import DataError, close_matches, shortened
from nearkin.datasets.formats import (
    ARROW_SUFFIXES,
    HDF5_SUFFIXES,
    JSON_SUFFIXES,
    NPY_SUFFIX,
    NPZ_SUFFIX,
    PARQUET_SUFFIXES,
    VECS_DTYPES,
    map_npy,
    map_vecs,
)
from nearkin.datasets.npz import load_arrays
from nearkin.datasets.sources import existing_file

#: Files that hold nothing but arrays, so that they are always read as vectors.
VECTOR_SUFFIXES = (NPY_SUFFIX, *VECS_DTYPES, *HDF5_SUFFIXES)
_COLUMN_SUFFIXES = PARQUET_SUFFIXES + ARROW_SUFFIXES
_ROWS_CHECKED_AT_ONCE = 65_536


def is_vector_source(path: Path) -> bool:
    """Whether a path is a file of arrays, by its suffix, or a folder that Hugging Face `datasets` saved."""
    return path.suffix.lower() in VECTOR_SUFFIXES or (path.is_dir() and any(path.glob("*.arrow")))


def open_vectors(path: str | Path, name: str | None = None) -> np.ndarray:
    """The rows of a file as a matrix of whatever numbers it holds.

    Parameters
    ----------
    path : str or Path
        .npy, .npz, .fvecs, .bvecs, .ivecs, .h5, .parquet, .arrow, .feather, .jsonl, or a folder with
        the Arrow files of a Hugging Face data set.
    name : str, optional
        Of the array, column or field; needed where there are several to choose from.

    Returns
    -------
    ndarray of shape (n_rows, width)
        Memory-mapped for npy and fvecs files. Not checked for missing values; see `as_floats`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "v.npy"
    >>> np.save(path, np.eye(3, dtype=np.float16))
    >>> open_vectors(path).dtype
    dtype('float16')
    """
    found = open_array(path, name)
    if found.ndim != 2 or 0 in found.shape:
        what = f" {name!r}" if name else ""
        raise DataError(
            f"{Path(path).name}: the vectors{what} must be a table of rows (2-d), but their shape is "
            f"{found.shape}."
        )
    if not is_number_type(found.dtype):
        raise DataError(f"{Path(path).name}: vectors must be numbers, but these are {found.dtype}.")
    return found


def open_array(path: str | Path, name: str | None = None) -> np.ndarray:
    """An array, column or field of a file, as it is: vectors (2-d) or labels (1-d)."""
    path = Path(path)
    if path.is_dir():
        return arrow_array(_hugging_face_table(path), name, path.name)
    suffix = existing_file(path).suffix.lower()
    if suffix == NPY_SUFFIX:
        return map_npy(path)
    if suffix in VECS_DTYPES:
        return _checked_vecs(path)
    if suffix in HDF5_SUFFIXES:
        return _read_hdf5(path, name)
    if suffix == NPZ_SUFFIX:
        arrays = load_arrays(path)
        return arrays[_chosen(name, {key: value.ndim for key, value in arrays.items()}, path.name)]
    if suffix in _COLUMN_SUFFIXES:
        return arrow_array(_arrow_table(path), name, path.name)
    if suffix in JSON_SUFFIXES:
        return _read_lines(path, name)
    known = (*VECTOR_SUFFIXES, NPZ_SUFFIX, *_COLUMN_SUFFIXES, *JSON_SUFFIXES)
    raise DataError(
        f"{path.name}: vectors are read from {', '.join(known)}, not from {suffix or 'files without suffix'}."
    )


def is_number_type(dtype: np.dtype) -> bool:
    return dtype.kind in "fiub" or _is_bfloat16(dtype)


def as_floats(rows, row_name: Callable[[int], str], width: int | None = None) -> np.ndarray:
    """Rows as floats: float32 and float64 unchanged, everything narrower as float32.

    Parameters
    ----------
    rows : array-like of shape (n_rows, width), or a list of rows
    row_name : callable
        What to call row i (from 0) in an error.
    width : int, optional
        The width that every row must have.

    Raises
    ------
    DataError
        Rows of another width or with missing or infinite values, named by `row_name`.

    Examples
    --------
    >>> as_floats(np.array([[1, 2]], dtype=np.int8), str).dtype
    dtype('float32')
    """
    X = rows if isinstance(rows, np.ndarray) and rows.dtype != object else _stacked(rows, row_name, width)
    if X.ndim != 2:
        raise DataError(f"vectors must be a table of rows (2-d), but their shape is {X.shape}.")
    if width is not None and X.shape[1] != width and len(X):
        raise DataError(f"{row_name(0)} has {X.shape[1]} values, but {width} are expected.")
    if not is_number_type(X.dtype):
        raise DataError(f"{row_name(0)} holds {X.dtype}, but vectors must be numbers.")
    X = _widened(X)
    for first in range(0, len(X), _ROWS_CHECKED_AT_ONCE):
        sound = np.isfinite(X[first : first + _ROWS_CHECKED_AT_ONCE]).all(axis=1)
        if not sound.all():
            at = first + int(np.argmin(sound))
            raise DataError(f"{row_name(at)} holds missing or infinite values; mend the row or take it out.")
    return X


def _stacked(rows: Sequence[Any], row_name, width: int | None) -> np.ndarray:
    """A matrix from a list of rows; the first row of another width or without numbers is named."""
    arrays = []
    for at, row in enumerate(rows):
        try:
            array = np.asarray(row)
            array = array.astype(np.float64) if array.dtype == object else array
        except (TypeError, ValueError):
            array = np.empty(0, dtype=object)
        if array.ndim != 1 or not is_number_type(array.dtype):
            raise DataError(f"{row_name(at)} is not a list of numbers.")
        width = len(array) if width is None else width
        if len(array) != width:
            raise DataError(f"{row_name(at)} has {len(array)} values, but {width} are expected.")
        arrays.append(array)
    return np.stack(arrays) if arrays else np.empty((0, width or 0), dtype=np.float32)


def _is_bfloat16(dtype: np.dtype) -> bool:
    # NumPy has no such type: ml_dtypes calls it bfloat16, and a file keeps two bytes without a name.
    return dtype.name == "bfloat16" or dtype == np.dtype("V2")


def _widened(X: np.ndarray) -> np.ndarray:
    if X.dtype in (np.float32, np.float64):
        return X
    if _is_bfloat16(X.dtype):
        # bfloat16 is the upper half of a float32.
        return (np.ascontiguousarray(X).view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return X.astype(np.float32 if X.dtype.itemsize <= 2 else np.float64)


def _checked_vecs(path: Path) -> np.ndarray:
    """The rows, after a check that all have one width, which reads every page of the file."""
    mapped = map_vecs(path)
    wrong = np.flatnonzero(mapped["width"] != mapped["width"][0])
    if wrong.size:
        raise DataError(
            f"{path.name}: row {wrong[0] + 1} says it has {mapped['width'][wrong[0]]} values, but "
            f"{mapped['width'][0]} are expected."
        )
    return mapped["values"]


def _read_hdf5(path: Path, name: str | None) -> np.ndarray:
    try:
        import h5py
    except ImportError as error:
        raise DataError(f"reading {path.name} needs h5py: pip install h5py, or save it as npy.") from error
    try:
        with h5py.File(path, "r") as file:
            found: dict[str, int] = {}
            file.visititems(
                lambda key, item: found.update({key: item.ndim}) if isinstance(item, h5py.Dataset) else None
            )
            values = file[_chosen(name, found, path.name)][()]
    except OSError as error:
        raise DataError(f"{path.name} is not a sound HDF5 file (damaged or cut short): {error}") from error
    return np.array(list(values)) if values.dtype == object else values  # text of any length is bytes


def _chosen(name: str | None, dimensions: dict[str, int], file: str) -> str:
    """The name of the array to use: as given, or that of the only table among several arrays."""
    if name is not None:
        if name not in dimensions:
            raise DataError(
                f"{file} holds nothing called {name!r}.{close_matches(name, dimensions)} It has "
                f"{shortened(dimensions)}."
            )
        return name
    tables = [key for key, n in dimensions.items() if n == 2]
    if len(tables) == 1 or "X" in tables:
        return "X" if "X" in tables else tables[0]
    raise DataError(
        f"{file} holds {shortened(dimensions) or 'nothing'}; say which one the vectors are (vectors=..., on "
        "the command line --vectors)."
    )


def _arrow_table(path: Path):
    pyarrow = _pyarrow(path.name)
    try:
        if path.suffix.lower() in PARQUET_SUFFIXES:
            from pyarrow import parquet

            return parquet.read_table(path, memory_map=True)
        source = pyarrow.memory_map(str(path))
        with path.open("rb") as file:
            is_file = file.read(6) == b"ARROW1"
        # Streams are what Hugging Face writes.
        return (pyarrow.ipc.open_file if is_file else pyarrow.ipc.open_stream)(source).read_all()
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(f"{path.name} is not sound (damaged or cut short): {error}") from error


def _hugging_face_table(folder: Path):
    import json

    pyarrow = _pyarrow(folder.name)
    state = folder / "state.json"
    parts = (
        [folder / part["filename"] for part in json.loads(state.read_text())["_data_files"]]
        if (state.exists())
        else sorted(folder.glob("*.arrow"))
    )
    if not parts:
        splits = sorted(part.name for part in folder.iterdir() if part.is_dir() and any(part.glob("*.arrow")))
        hint = f"; name one of its parts: {shortened(splits)}" if splits else ""
        raise DataError(f"the folder {folder.name} holds no Arrow files{hint}.")
    return pyarrow.concat_tables([_arrow_table(part) for part in parts])


def _pyarrow(name: str):
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError as error:
        raise DataError(f"reading {name} needs pyarrow: pip install 'nearkin[data]'.") from error
    return pyarrow


def is_list_type(kind) -> bool:
    """Whether an Arrow type is that of lists, of one length or of any."""
    import pyarrow.types as kinds

    return kinds.is_fixed_size_list(kind) or kinds.is_list(kind) or kinds.is_large_list(kind)


def arrow_array(table, name: str | None, file: str, first_row: int = 1) -> np.ndarray:
    """A column of an Arrow table: lists of numbers as a matrix, anything else as a plain array.

    `first_row` is the number of the table's first row, for errors.
    """
    import pyarrow.types as kinds

    dimensions = {field.name: 2 if is_list_type(field.type) else 1 for field in table.schema}
    column = table.column(_chosen(name, dimensions, file)).combine_chunks()
    column = column.chunk(0) if hasattr(column, "chunk") else column
    if not is_list_type(column.type):
        return column.to_numpy(zero_copy_only=False)
    if column.null_count:
        at = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise DataError(f"{file}: row {first_row + at} has no vector; fill it or take the row out.")
    values = column.flatten().to_numpy(zero_copy_only=False)
    width = len(values) // max(1, len(column))
    if not kinds.is_fixed_size_list(column.type):
        lengths = column.value_lengths().to_numpy(zero_copy_only=False)
        if len(lengths) and (lengths != lengths[0]).any():
            at = int(np.argmax(lengths != lengths[0]))
            raise DataError(
                f"{file}: row {first_row + at} has {lengths[at]} values, but {lengths[0]} are expected."
            )
    return values.reshape(len(column), width)


def _read_lines(path: Path, name: str | None) -> np.ndarray:
    import json

    text = path.read_text(encoding="utf-8").strip()
    try:
        records = (
            json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
        )
    except ValueError as error:
        raise DataError(f"{path.name} is not JSON lines (damaged or cut short): {error}") from error
    if not records or not all(isinstance(record, dict) for record in records):
        raise DataError(f'{path.name}: every line must be an object such as {{"vector": [0.1, 0.2]}}.')
    first = records[0]
    field = _chosen(
        name, {key: 2 if isinstance(value, list) else 1 for key, value in first.items()}, path.name
    )
    lacking = next((at for at, record in enumerate(records) if record.get(field) is None), None)
    if lacking is not None:
        raise DataError(f"{path.name}: line {lacking + 1} has no {field!r}.")
    values = [record[field] for record in records]
    if not isinstance(values[0], list):
        return np.array(values)
    return _stacked(values, lambda at: f"{path.name}: line {at + 1}", None)
