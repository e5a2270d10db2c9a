"""Every reader gives what the .npy file gives, in the memory of a few blocks."""

from __future__ import annotations

import pickle
import tracemalloc
from time import monotonic, sleep

import numpy as np
import pytest

import nearkin
from nearkin.datasets import DataError
from nearkin.datasets.rows import open_rows

N, D = 1_003, 7
#: Parquet is unpacked page by page; pages of a MB, as usual, are more than the small blocks of these tests.
PAGES = {"use_dictionary": False, "data_page_size": 2**14}


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(N, D)).astype(np.float32)


def write_npy(X, folder):
    np.save(folder / "x.npy", X)
    return folder / "x.npy"


def write_fvecs(X, folder):
    lengths = np.full((len(X), 1), X.shape[1], dtype=np.int32).view(np.float32)
    np.hstack([lengths, X]).tofile(folder / "x.fvecs")
    return folder / "x.fvecs"


def write_parquet_columns(X, folder):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])})
    pq.write_table(table, folder / "x.parquet", **PAGES)
    return folder / "x.parquet"


def vectors(X):
    pa = pytest.importorskip("pyarrow")
    lists = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), X.shape[1])
    return pa.table({"vector": lists, "label": np.arange(len(X)) % 3})


def write_parquet_lists(X, folder):
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(vectors(X), folder / "x.parquet", **PAGES)
    return folder / "x.parquet"


def write_parquet_ragged_lists(X, folder):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(
        pa.table({"v": X.tolist()}, pa.schema([("v", pa.list_(pa.float32()))])),
        folder / "x.parquet",
        **PAGES,
    )
    return folder / "x.parquet"


def write_arrow_folder(X, folder):
    pa = pytest.importorskip("pyarrow")
    table, half = vectors(X), len(X) // 2
    with (
        pa.OSFile(str(folder / "data-0.arrow"), "wb") as sink,
        pa.ipc.new_stream(sink, table.schema) as writer,
    ):
        writer.write_table(table.slice(0, half), max_chunksize=max(1, len(X) // 10))
    with pa.OSFile(str(folder / "data-1.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.slice(half), max_chunksize=max(1, len(X) // 10))
    return folder


def write_hdf5(X, folder):
    h5py = pytest.importorskip("h5py")
    with h5py.File(folder / "x.h5", "w") as file:
        file.create_dataset("deep/vectors", data=X, chunks=(max(1, len(X) // 10), X.shape[1]))
        file.create_dataset("labels", data=np.arange(len(X)))
    return folder / "x.h5"


def write_zarr(X, folder):
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array(
        folder / "x.zarr", shape=X.shape, chunks=(max(1, len(X) // 20), X.shape[1]), dtype=X.dtype
    )
    array[:] = X
    return folder / "x.zarr"


WRITERS = [value for name, value in list(globals().items()) if name.startswith("write_")]


@pytest.mark.parametrize("write", WRITERS)
def test_every_reader_equals_the_array(write, X, tmp_path):
    rows = open_rows(write(X, tmp_path))
    assert rows.shape == (N, D)
    assert rows.dtype == np.float32
    assert len(rows) == N
    for size in (1, 100, 333, 5_000):
        blocks = list(rows.blocks(size))
        assert [len(block) for block in blocks] == [min(size, N - s) for s in range(0, N, size)]
        np.testing.assert_array_equal(np.concatenate(blocks), X)
    np.testing.assert_array_equal(np.concatenate(list(rows.blocks(50, start=230, stop=777))), X[230:777])
    np.testing.assert_array_equal(rows[150:720], X[150:720])
    np.testing.assert_array_equal(rows[::-3], X[::-3])
    np.testing.assert_array_equal(rows[[900, 3, 3, -1, 500]], X[[900, 3, 3, -1, 500]])
    np.testing.assert_array_equal(rows[X[:, 0] > 1], X[X[:, 0] > 1])
    np.testing.assert_array_equal(rows[7], X[7])
    assert rows[[]].shape == (0, D)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(rows))[10:20], X[10:20])


def wait_for_others(most):
    """Threads of Zarr hold what they have unpacked until their next turn, however long that takes."""
    end = monotonic() + 2
    while tracemalloc.get_traced_memory()[0] > most and monotonic() < end:
        sleep(0.001)


@pytest.mark.parametrize("write", WRITERS)
def test_memory_is_a_few_blocks(write, tmp_path):
    X = np.random.default_rng(1).normal(size=(80_000, 32)).astype(np.float32)
    pyarrow = pytest.importorskip("pyarrow")
    path, total = write(X, tmp_path), 0.0
    size = 8_000
    of_block = size * X[0].nbytes
    for _ in open_rows(path).blocks(size):  # what readers load once is not the point
        pass
    arrow, before = 0, pyarrow.total_allocated_bytes()
    tracemalloc.start()
    try:
        for block in open_rows(path).blocks(size):
            total += float(block.sum(dtype=np.float64))
            # tracemalloc does not see Arrow, which has its buffers between blocks too.
            arrow = max(arrow, pyarrow.total_allocated_bytes() - before)
            wait_for_others(2 * of_block)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total == pytest.approx(float(X.sum(dtype=np.float64)), rel=1e-6)
    assert peak + arrow < 8 * of_block


@pytest.mark.parametrize(
    ("stored", "computed"),
    [
        ("f2", "f4"),
        ("i1", "f4"),
        ("u1", "f4"),
        ("i2", "f4"),
        ("f4", "f4"),
        ("i4", "f8"),
        ("i8", "f8"),
        ("f8", "f8"),
    ],
)
def test_narrow_numbers_are_computed_in_float32(stored, computed, tmp_path):
    X = np.arange(12).reshape(6, 2).astype(stored)
    rows = nearkin.open_rows(write_npy(X, tmp_path))
    assert rows.dtype == np.dtype(computed)
    assert next(rows.blocks()).dtype == np.dtype(computed)
    np.testing.assert_array_equal(rows[:], X.astype(computed))


def test_bvecs(tmp_path):
    X = np.arange(24, dtype=np.uint8).reshape(6, 4)
    lengths = np.full((6, 1), 4, dtype="<i4").view(np.uint8)
    np.hstack([lengths, X]).tofile(tmp_path / "x.bvecs")
    np.testing.assert_array_equal(open_rows(tmp_path / "x.bvecs")[:], X.astype(np.float32))


def test_fortran_order_is_read_right(X, tmp_path):
    np.testing.assert_array_equal(open_rows(write_npy(np.asfortranarray(X), tmp_path))[5:9], X[5:9])


def test_labels_stand_beside_vectors(X, tmp_path):
    for write in (write_parquet_lists, write_arrow_folder):
        folder = tmp_path / write.__name__
        folder.mkdir()
        rows = open_rows(write(X, folder))
        np.testing.assert_array_equal(rows.column("label"), np.arange(N) % 3)
        with pytest.raises(DataError, match="no column 'lable'; the file has 'vector', 'label'"):
            rows.column("lable")


def test_what_cannot_be_read_is_named(X, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.npy"):
        open_rows(tmp_path / "nothing.npy")
    (tmp_path / "x.csv").write_text("1,2\n")
    with pytest.raises(DataError, match=r"rows are read from \.npy"):
        open_rows(tmp_path / "x.csv")
    (tmp_path / "bad.npy").write_bytes(b"no array")
    with pytest.raises(DataError, match="not a sound"):
        open_rows(tmp_path / "bad.npy")
    np.save(tmp_path / "flat.npy", np.arange(3))
    with pytest.raises(DataError, match="2-d"):
        open_rows(tmp_path / "flat.npy")
    np.save(tmp_path / "words.npy", np.array([["a"]]))
    with pytest.raises(DataError, match="must hold numbers"):
        open_rows(tmp_path / "words.npy")
    whole = write_fvecs(X, tmp_path).read_bytes()
    (tmp_path / "cut.fvecs").write_bytes(whole[:-3])
    with pytest.raises(DataError, match="cut short"):
        open_rows(tmp_path / "cut.fvecs")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="holds no Parquet or Arrow file"):
        open_rows(tmp_path / "empty")


def test_wrong_row_numbers_are_refused(X):
    rows = open_rows(X)
    for wrong in ([N], [-N - 1], [[0, 1]], [0.5], np.ones(3, dtype=bool)):
        with pytest.raises(IndexError):
            _ = rows[wrong]
    with pytest.raises(ValueError, match="at least 1"):
        next(rows.blocks(0))


def test_missing_values_and_ragged_lists_are_refused(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"a": [1.0, None]}), tmp_path / "holes.parquet")
    with pytest.raises(DataError, match="missing values"):
        open_rows(tmp_path / "holes.parquet")[:]
    pq.write_table(pa.table({"v": [[1.0], [1.0, 2.0]]}), tmp_path / "ragged.parquet")
    with pytest.raises(DataError, match="different lengths"):
        open_rows(tmp_path / "ragged.parquet")[:]
    with pytest.raises(DataError, match="no column 'w'"):
        open_rows(tmp_path / "ragged.parquet", key="w")
