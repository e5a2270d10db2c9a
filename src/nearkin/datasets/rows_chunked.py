"""Rows of HDF5 and Zarr arrays, which are stored in chunks; they need h5py and zarr."""

from __future__ import annotations

import numpy as np

from nearkin.datasets.errors import DataError, shortened
from nearkin.datasets.rows import ArrayRows


class ChunkedRows(ArrayRows):
    """Rows of an array that is read by slices; the file opens again wherever it is sent."""

    def _taken(self, numbers):
        # Taking scattered rows one by one unpacks a chunk for each: slices unpack every chunk once.
        return super(ArrayRows, self)._taken(numbers)


def open_hdf5(path: str, key: str | None) -> ChunkedRows:
    """Rows of an array in an HDF5 file."""
    try:
        import h5py
    except ImportError as error:
        raise DataError(f"reading {path} needs h5py: pip install h5py.") from error
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise DataError(f"{path} is not a sound HDF5 file: {error}") from error
    found: dict[str, object] = {}
    file.visititems(lambda name, item: found.__setitem__(name, item) if hasattr(item, "chunks") else None)
    return ChunkedRows(_chosen(found, key, path), reopen=(path, key))


def open_zarr(path: str, key: str | None) -> ChunkedRows:
    """Rows of a Zarr array, or of one in a group."""
    try:
        import zarr
    except ImportError as error:
        raise DataError(f"reading {path} needs zarr: pip install zarr.") from error
    opened = zarr.open(path, mode="r")
    if hasattr(opened, "shape"):
        return ChunkedRows(opened, reopen=(path, key))
    return ChunkedRows(_chosen(dict(opened.arrays()), key, path), reopen=(path, key))


def _chosen(found: dict, key: str | None, path: str):
    tables = [name for name, array in found.items() if len(array.shape) == 2]
    if key is None and len(tables) != 1:
        what = f"several tables, {shortened(tables)}" if tables else "no table (2-d array)"
        raise DataError(f"{path} holds {what}; name the array by key=.")
    name = tables[0] if key is None else key.strip("/")
    if name not in found:
        raise DataError(f"{path} has no array {name!r}; it has {shortened(found)}.")
    if np.dtype(found[name].dtype).kind not in "fiub":
        raise DataError(f"{path}: the array {name!r} holds {found[name].dtype}, not numbers.")
    return found[name]
