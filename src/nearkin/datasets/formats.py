"""Which suffix stands for which format, and the formats that are mapped into memory instead of being read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from nearkin.datasets.errors import DataError

CSV_SUFFIXES = (".csv", ".tsv", ".txt", ".data")
JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
PARQUET_SUFFIXES = (".parquet", ".pq")
ARROW_SUFFIXES = (".feather", ".arrow", ".ipc")
ARFF_SUFFIXES = (".arff", ".dat")
TABLE_SUFFIXES = CSV_SUFFIXES + JSON_SUFFIXES + PARQUET_SUFFIXES + ARROW_SUFFIXES + ARFF_SUFFIXES
NPZ_SUFFIX, NPY_SUFFIX = ".npz", ".npy"
HDF5_SUFFIXES = (".h5", ".hdf5", ".hdf")
ZARR_SUFFIXES = (".zarr",)
#: Formats of the TEXMEX sets: each row is its width (a 32-bit integer) and that many values.
VECS_DTYPES = {".fvecs": "<f4", ".bvecs": "u1", ".ivecs": "<i4"}


def map_npy(path: Path) -> np.ndarray:
    """The array of an npy file, mapped; pickled objects are refused, never loaded."""
    try:
        array: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        with path.open("rb") as file:
            is_npy = file.read(6) == b"\x93NUMPY"
        # NumPy takes whatever does not begin like an npy file for a pickle.
        if is_npy and "object" in str(error).lower():
            raise DataError(
                f"{path.name} holds pickled Python objects, which could run code when loaded; save numbers."
            ) from error
        raise DataError(f"{path.name} is not a sound npy file (damaged or cut short): {error}") from error
    return array


def map_vecs(path: Path) -> np.ndarray:
    """The rows of an fvecs, bvecs or ivecs file, mapped, as records of `width` and `values`."""
    size = path.stat().st_size
    width = int(np.fromfile(path, dtype="<i4", count=1)[0]) if size >= 4 else 0
    row = np.dtype([("width", "<i4"), ("values", VECS_DTYPES[path.suffix.lower()], (max(width, 0),))])
    if width <= 0 or size % row.itemsize:
        raise DataError(
            f"{path.name} is not a sound {path.suffix} file (damaged or cut short): its size does not fit "
            "its first row."
        )
    return np.memmap(path, dtype=row, mode="r")
