"""Vectors come out of every format as they went in, and unsound rows are named."""

import json
import struct

import numpy as np
import pytest

from nearkin.datasets import DataError, load_dataset, load_features
from nearkin.datasets.vectors import as_floats, open_vectors

X = np.random.default_rng(0).standard_normal((30, 4)).astype(np.float32)
Y = np.array(["a", "b", "c"])[np.arange(30) % 3]


def lists(kind="fixed"):
    pa = pytest.importorskip("pyarrow")
    flat = pa.array(X.ravel())
    if kind == "fixed":
        return pa.FixedSizeListArray.from_arrays(flat, 4)
    return pa.array(X.tolist(), type=pa.list_(pa.float32()))


def table(kind="fixed"):
    pa = pytest.importorskip("pyarrow")
    return pa.table({"text": [f"t{i}" for i in range(30)], "embedding": lists(kind), "kind": Y.tolist()})


def write(folder, suffix):
    path = folder / f"v{suffix}"
    if suffix == ".npy":
        np.save(path, X)
    elif suffix == ".npz":
        np.savez(path, emb=X, other=np.arange(30))
    elif suffix == ".fvecs":
        path.write_bytes(b"".join(struct.pack("<i", 4) + row.tobytes() for row in X))
    elif suffix == ".parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(table("lists"), path, row_group_size=7)
    elif suffix in (".arrow", ".stream.arrow"):
        pa = pytest.importorskip("pyarrow")
        new = pa.ipc.new_file if suffix == ".arrow" else pa.ipc.new_stream
        with pa.OSFile(str(path), "wb") as file, new(file, table().schema) as writer:
            writer.write_table(table(), max_chunksize=8)
    elif suffix == ".jsonl":
        path.write_text("\n".join(json.dumps({"v": row.tolist(), "kind": k}) for row, k in zip(X, Y)))
    elif suffix == ".h5":
        h5py = pytest.importorskip("h5py")
        with h5py.File(path, "w") as file:
            file["train/emb"], file["train/kind"] = X, [str(k) for k in Y]
    return path


SUFFIXES = [".npy", ".npz", ".fvecs", ".parquet", ".arrow", ".stream.arrow", ".jsonl", ".h5"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_gives_the_same_matrix(tmp_path, suffix):
    np.testing.assert_allclose(open_vectors(write(tmp_path, suffix)), X, rtol=1e-6)


WORDS = np.array(["käse", "brot", "öl"])[np.arange(30) % 3]


@pytest.mark.parametrize("form", ["one length", "any length", "a column"])
def test_labels_that_hdf5_keeps_as_bytes_are_words(tmp_path, form):
    h5py = pytest.importorskip("h5py")
    kept = np.char.encode(WORDS, "utf-8")
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["emb"] = X
        file["kind"] = {"one length": kept, "any length": WORDS.tolist(), "a column": kept[:, None]}[form]
    found = load_dataset(tmp_path / "v.h5", vectors="emb", labels="kind")
    assert found.y.dtype.kind == "U"
    assert found.y.tolist() == WORDS.tolist()
    assert (found.task, found.target_names) == ("classification", ("kind",))


@pytest.mark.parametrize("suffix", [".h5", ".npz"])
def test_labels_in_another_encoding_are_named_by_their_row(tmp_path, suffix):
    kept, path = np.char.encode(WORDS[1:].tolist() + ["öl"], "latin-1"), tmp_path / f"v{suffix}"
    if suffix == ".npz":
        np.savez(path, emb=X, kind=kept)
    else:
        h5py = pytest.importorskip("h5py")
        with h5py.File(path, "w") as file:
            file["emb"], file["kind"] = X, kept
    with pytest.raises(DataError, match=f"v{suffix}: the label of row 2 is not UTF-8"):
        load_dataset(path, vectors="emb", labels="kind")


@pytest.mark.parametrize(
    ("suffix", "options"),
    [
        (".npy", {"labels": "y.npy"}),
        (".fvecs", {"labels": "y.txt"}),
        (".npz", {"vectors": "emb", "labels": "y.npy"}),
        (".parquet", {"vectors": "embedding", "target": "kind"}),
        (".arrow", {"vectors": "embedding", "target": "kind"}),
        (".jsonl", {"vectors": "v", "target": "kind"}),
        (".h5", {"vectors": "train/emb", "labels": "train/kind"}),
    ],
)
def test_a_data_set_of_vectors_and_labels(tmp_path, monkeypatch, suffix, options):
    monkeypatch.chdir(tmp_path)
    np.save("y.npy", Y)
    (tmp_path / "y.txt").write_text("\n".join(Y) + "\n")
    data = load_dataset(write(tmp_path, suffix), **options)
    np.testing.assert_allclose(data.X, X, rtol=1e-6)
    assert data.y.tolist() == Y.tolist()
    assert (data.task, data.n_classes, data.encoder) == ("classification", 3, None)


def test_a_folder_of_hugging_face(tmp_path):
    pa = pytest.importorskip("pyarrow")
    folder = tmp_path / "saved"
    folder.mkdir()
    names = ["data-00001-of-00002.arrow", "data-00000-of-00002.arrow"]
    for name, part in zip(names, (table().slice(0, 20), table().slice(20))):
        with pa.OSFile(str(folder / name), "wb") as file, pa.ipc.new_stream(file, part.schema) as writer:
            writer.write_table(part)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name} for name in names]}))
    data = load_dataset(folder, vectors="embedding", target="kind")
    np.testing.assert_array_equal(data.X, X)
    assert data.y.tolist() == Y.tolist()


def test_npy_and_fvecs_are_mapped_not_read(tmp_path):
    for suffix in (".npy", ".fvecs"):
        array = open_vectors(write(tmp_path, suffix))
        while array.base is not None and not isinstance(array, np.memmap):
            array = array.base
        assert isinstance(array, np.memmap)


def test_bvecs_and_wrong_sizes(tmp_path):
    rows = np.arange(12, dtype=np.uint8).reshape(3, 4)
    whole = b"".join(struct.pack("<i", 4) + row.tobytes() for row in rows)
    (tmp_path / "v.bvecs").write_bytes(whole)
    assert open_vectors(tmp_path / "v.bvecs").tolist() == rows.tolist()
    (tmp_path / "cut.bvecs").write_bytes(whole[:-1])
    with pytest.raises(DataError, match="size does not fit"):
        open_vectors(tmp_path / "cut.bvecs")
    (tmp_path / "odd.bvecs").write_bytes(whole[:8] + struct.pack("<i", 5) + whole[12:])
    with pytest.raises(DataError, match="row 2 says it has 5 values"):
        open_vectors(tmp_path / "odd.bvecs")


def test_narrow_numbers_are_computed_in_float32():
    for kind in (np.float16, np.int8, np.uint8):
        rows = np.array([[1, 2], [3, 100]], dtype=kind)
        wide = as_floats(rows, str)
        assert wide.dtype == np.float32
        assert wide.tolist() == [[1, 2], [3, 100]]
    brain = (X.view(np.uint32) >> 16).astype(np.uint16).view("V2")
    np.testing.assert_allclose(as_floats(brain, str), X, rtol=2**-7)
    assert as_floats(X.astype(np.float64), str).dtype == np.float64


def test_unsound_rows_are_named(tmp_path):
    bad = X.copy()
    bad[17, 2] = np.nan
    np.save(tmp_path / "v.npy", bad)
    with pytest.raises(DataError, match=r"v\.npy: row 18 holds missing"):
        load_dataset(tmp_path / "v.npy", labels="kind")
    with pytest.raises(DataError, match="3 has 2 values, but 4"):
        as_floats([*X[:3].tolist(), [1.0, 2.0]], str)
    with pytest.raises(DataError, match="1 is not a list of numbers"):
        as_floats([[1.0], ["x"]], str)
    (tmp_path / "v.jsonl").write_text('{"v": [1, 2]}\n{"v": [1]}')
    with pytest.raises(DataError, match="line 2 has 1 values, but 2"):
        open_vectors(tmp_path / "v.jsonl")


def test_what_is_not_clear_is_asked_for(tmp_path):
    np.save(tmp_path / "v.npy", X)
    with pytest.raises(DataError, match="--labels"):
        load_dataset(tmp_path / "v.npy")
    np.savez(tmp_path / "two.npz", a=X, b=X)
    with pytest.raises(DataError, match="--vectors"):
        open_vectors(tmp_path / "two.npz")
    with pytest.raises(DataError, match="nothing called 'aa'"):
        open_vectors(tmp_path / "two.npz", "aa")
    np.save(tmp_path / "short.npy", Y[:7])
    with pytest.raises(DataError, match=r"30 vectors, but the labels of short\.npy have shape \(7,\)"):
        load_dataset(tmp_path / "v.npy", labels=tmp_path / "short.npy")
    np.save(tmp_path / "one.npy", X[0])
    with pytest.raises(DataError, match="2-d"):
        open_vectors(tmp_path / "one.npy")
    np.save(tmp_path / "objects.npy", np.array([{}, {}], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="pickled"):
        open_vectors(tmp_path / "objects.npy")


def test_features_of_an_npy_file_come_in_blocks(tmp_path):
    from nearkin.datasets.blocks import BlockPolicy

    np.save(tmp_path / "v.npy", X.astype(np.float16))
    blocks = list(load_features(tmp_path / "v.npy", policy=BlockPolicy(rows=8)))
    assert [len(block) for block in blocks] == [8, 8, 8, 6]
    assert blocks[0].dtype == np.float32
