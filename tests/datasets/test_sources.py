import bz2
import gzip
import io
import lzma
import os
import sys
import threading
import zipfile

import pytest

from nearkin.datasets import DataError, DataNotice, load_dataset
from nearkin.datasets.readers import read_table

GOOD = b"a,b,kind\n1,2.5,x\n3,4.5,y\n5,6.5,x\n"
JSON = b"""{"a": 1, "b": 2.5, "kind": "x"}

{"a": 3, "b": 4.5, "kind": "y"}
{"kind": "x", "a": 5, "b": 6.5}
"""
ARFF = b"""@RELATION t
@attribute a real
@attribute b real
@attribute kind {x,y}
@data
1,2.5,x
3,4.5,y
5,6.5,x
"""


def gzipped(content):
    return gzip.compress(content, mtime=0)


def zipped(*members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def is_good(table):
    return table.to_dict("list") == {"a": [1, 3, 5], "b": [2.5, 4.5, 6.5], "kind": ["x", "y", "x"]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv.gz", gzipped(GOOD)),
        ("t.csv.bz2", bz2.compress(GOOD)),
        ("t.csv.xz", lzma.compress(GOOD)),
        ("t.gz", gzipped(GOOD)),
        ("t.zip", zipped(("folder/t.csv", GOOD), ("__MACOSX/._t.csv", b"?"))),
        ("T.JSONL.GZ", gzipped(JSON)),
    ],
)
def test_packed_tables(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.warns(DataNotice, match=rf"{name} is read as: packed as"):
        assert is_good(read_table(tmp_path / name))
    with pytest.warns(DataNotice, match="packed"):
        assert load_dataset(tmp_path / name, target="kind").name in ("t", "T")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv.gz", gzipped(GOOD)[:-9], "cannot be unpacked"),
        ("t.csv.gz", GOOD, "cannot be unpacked"),
        ("t.csv.bz2", bz2.compress(GOOD)[:30], "cannot be unpacked"),
        ("t.csv.xz", lzma.compress(GOOD)[:40], "cannot be unpacked"),
        ("t.zip", GOOD, "cannot be unpacked"),
        ("t.zip", zipped(("a.csv", GOOD), ("b.csv", GOOD)), "holds 2 files .'a.csv', 'b.csv'.*unpack it"),
        ("t.zip", zipped(), "holds 0 files"),
        ("t.csv.gz", gzipped(b""), "is empty"),
        ("t.xlsx.gz", gzipped(b"PK"), "cannot tell the format from the suffix '.xlsx'"),
    ],
)
def test_what_cannot_be_unpacked(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=words):
        load_dataset(tmp_path / name, target="kind")


@pytest.mark.parametrize("content", [GOOD, JSON, ARFF], ids=["csv", "jsonl", "arff"])
def test_standard_input_and_pipes_are_told_by_their_first_bytes(monkeypatch, tmp_path, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    with pytest.warns(DataNotice, match=r"standard input is read as: format"):
        data = load_dataset("-", target="kind")
    assert (data.name, data.n_samples, data.source) == ("standard input", 3, "standard input")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    with pytest.warns(DataNotice, match="format"):
        assert is_good(read_table(pipe))
    writer.join()


def test_arrow_files_and_streams(tmp_path):
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": [1, 3, 5], "b": [2.5, 4.5, 6.5], "kind": ["x", "y", "x"]})
    for name, writer in (("t.feather", pa.ipc.new_file), ("t.arrow", pa.ipc.new_stream)):
        with writer(tmp_path / name, table.schema) as sink:
            sink.write_table(table)
        assert is_good(read_table(tmp_path / name))
    damaged = tmp_path / "d.feather"
    damaged.write_bytes((tmp_path / "t.feather").read_bytes()[:-20])
    with pytest.raises(DataError, match=r"not a sound Arrow file"):
        read_table(damaged)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (JSON[:-5], "line 4 is not JSON"),
        (b"[1, 2]", "entry 1 is not an object"),
        (b'{"a": [1, 2]}\n', "line 1 holds a list or object under 'a'"),
        (b'{"a": {"b": 1}}\n', "line 1 holds a list or object under 'a'"),
        (b"[]", "no data"),
    ],
)
def test_json_that_is_no_table(tmp_path, content, words):
    (tmp_path / "t.jsonl").write_bytes(content)
    with pytest.raises(DataError, match=words):
        read_table(tmp_path / "t.jsonl")


def test_json_lists_and_absent_keys(tmp_path):
    (tmp_path / "t.json").write_text('[{"a": 1, "kind": "x"}, {"kind": "y"}]')
    assert read_table(tmp_path / "t.json")["a"].isna().tolist() == [False, True]


def test_encodings(tmp_path):
    (tmp_path / "t.csv").write_bytes("größe,kind\n1,süß\n2,sauer\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"not utf-8: line 1 holds the byte 0xf6.*--encoding latin-1"):
        load_dataset(tmp_path / "t.csv", target="kind")
    data = load_dataset(tmp_path / "t.csv", target="kind", encoding="latin-1")
    assert (data.feature_names, data.class_names) == (("größe",), ("sauer", "süß"))
    with pytest.raises(DataError, match=r"no encoding called 'klingon'"):
        load_dataset(tmp_path / "t.csv", target="kind", encoding="klingon")
