"""Vectors made block by block, and every format that they can be written in."""

from __future__ import annotations

from pathlib import Path

import numpy as np

N_CLASSES = 10
ROWS_AT_ONCE = 50_000


def make_file(path: Path, n: int, d: int) -> None:
    """Rows written block by block, the same ones every time; row i is of class i modulo ten."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(N_CLASSES, d)).astype(np.float32)
    out = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n, d))
    for start in range(0, n, ROWS_AT_ONCE):
        stop = min(n, start + ROWS_AT_ONCE)
        noise = rng.standard_normal((stop - start, d), dtype=np.float32)
        out[start:stop] = noise + centres[np.arange(start, stop) % N_CLASSES]
    out.flush()


def labels_of(n: int) -> np.ndarray:
    return (np.arange(n) % N_CLASSES).astype(np.int8)


def write_npy(X, folder: Path) -> Path:
    np.save(folder / "x.npy", X)
    return folder / "x.npy"


def write_fvecs(X, folder: Path) -> Path:
    with open(folder / "x.fvecs", "wb") as file:
        for start in range(0, len(X), ROWS_AT_ONCE):
            part = np.asarray(X[start : start + ROWS_AT_ONCE])
            widths = np.full((len(part), 1), X.shape[1], dtype=np.int32).view(np.float32)
            np.hstack([widths, part]).tofile(file)
    return folder / "x.fvecs"


def _table(X):
    import pyarrow as pa

    lists = pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(X).ravel()), X.shape[1])
    return pa.table({"vector": lists})


def write_parquet(X, folder: Path) -> Path:
    import pyarrow.parquet as pq

    pq.write_table(_table(X), folder / "x.parquet")
    return folder / "x.parquet"


def write_arrow(X, folder: Path) -> Path:
    import pyarrow as pa

    inside = folder / "arrow"
    inside.mkdir(exist_ok=True)
    for number, part in enumerate(np.array_split(np.arange(len(X)), 3)):
        table = _table(X[part[0] : part[-1] + 1])
        with (
            pa.OSFile(str(inside / f"data-{number}.arrow"), "wb") as sink,
            pa.ipc.new_stream(sink, table.schema) as writer,
        ):
            writer.write_table(table, max_chunksize=10_000)
    return inside


def write_hdf5(X, folder: Path) -> Path:
    import h5py

    with h5py.File(folder / "x.h5", "w") as file:
        file.create_dataset("vectors", data=X, chunks=(4_096, X.shape[1]))
    return folder / "x.h5"


def write_zarr(X, folder: Path) -> Path:
    import zarr

    array = zarr.create_array(folder / "x.zarr", shape=X.shape, chunks=(4_096, X.shape[1]), dtype=X.dtype)
    array[:] = X
    return folder / "x.zarr"


WRITERS = {
    "npy": write_npy,
    "Parquet": write_parquet,
    "HDF5": write_hdf5,
    "Zarr": write_zarr,
    "Arrow folder": write_arrow,
    "fvecs": write_fvecs,
}
