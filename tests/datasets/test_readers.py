import contextlib
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.datasets import DataError, DataNotice, load_dataset
from nearkin.datasets.readers import read_table

GOOD = "a,b,kind\n1,2.5,x\n3,4.5,y\n5,6.5,x\n"


def write(tmp_path, content, name="data.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (GOOD, "data.csv"),
        (GOOD.replace(",", ";"), "data.csv"),
        (GOOD.replace(",", "\t"), "data.tsv"),
        (GOOD.replace(",", "\t"), "data.txt"),
        (GOOD.replace(",", "|"), "data.csv"),
        (GOOD.replace(",", ";").replace(".", ","), "data.csv"),
        ("\ufeff" + GOOD, "data.csv"),
        (GOOD.replace("\n", "\r\n"), "data.csv"),
        (GOOD.rstrip("\n"), "data.csv"),
        ("\n\n" + GOOD, "data.csv"),
        (GOOD.replace(",", ", "), "data.csv"),
        (GOOD.replace("x", '"x"'), "data.csv"),
    ],
    ids=[
        "comma",
        "semicolon",
        "tab",
        "txt",
        "bar",
        "decimal-comma",
        "bom",
        "crlf",
        "no-end",
        "blank",
        "space",
        "quote",
    ],
)
def test_dialects_of_csv_give_the_same_table(tmp_path, content, name):
    table = read_table(write(tmp_path, content, name))
    assert table.columns.tolist() == ["a", "b", "kind"]
    assert table["b"].tolist() == [2.5, 4.5, 6.5]
    assert table["kind"].tolist() == ["x", "y", "x"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"  \n \n", "empty"),
        (b"a,b,y\n", "no data"),
        (GOOD[:-6], "line 4 has 2 fields, but 3 are expected.*cut short"),
        (GOOD[:-7], "line 4 has 1 fields, but 3 are expected.*cut short"),
        (GOOD + "7,8,9,10\n", "line 5 has 4 fields"),
        (GOOD.replace("3,4.5,y", "3,4.5,y,8"), "line 3 has 4 fields"),
        ("a,b,y\n1,2,3,4\n5,6,7,8\n", "line 2 has 4 fields"),
        (GOOD + '7,8,"x\n', "never closed|cut short"),
        ("a,b,a\n1,2,3\n", "more than one column named 'a'"),
        ("a,b,größe\n1,2,x\n".encode("latin-1"), "not utf-8: line 1 holds the byte 0xf6.*encoding="),
        (b"PK\x03\x04\x00\x00\x00", "zero bytes"),
    ],
)
def test_broken_csv_is_explained(tmp_path, content, message):
    with pytest.raises(DataError, match=message):
        read_table(write(tmp_path, content))


def test_other_encodings_can_be_named(tmp_path):
    path = write(tmp_path, "a,größe\n1,x\n2,y\n".encode("latin-1"))
    assert read_table(path, encoding="latin-1").columns.tolist() == ["a", "größe"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_unicode_text_of_spreadsheets_is_read(tmp_path, encoding):
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    path = write(tmp_path, mark + "größe\ty\n1\tä\n2\tb\n".encode(encoding))
    table = read_table(path)
    assert table.columns.tolist() == ["größe", "y"]
    assert table["y"].tolist() == ["ä", "b"]


def test_a_file_without_header_gets_names_and_a_notice(tmp_path):
    with pytest.warns(DataNotice, match=r"no line of column names"):
        table = read_table(write(tmp_path, "5.1,3.5,Iris-setosa\n4.9,3.0,Iris-setosa\n", "iris.data"))
    assert table.shape == (2, 3)
    assert table.columns.tolist() == ["column_1", "column_2", "column_3"]


def test_a_header_of_counted_columns_is_still_a_header(tmp_path):
    table = read_table(write(tmp_path, "0,1,2,kind\n5.5,6.5,7.5,x\n"))
    assert table.columns.tolist() == ["0", "1", "2", "kind"]


def test_header_can_be_told(tmp_path):
    path = write(tmp_path, "2001,2002,kind\n5.5,6.5,x\n7.5,8.5,y\n")
    assert load_dataset(path, header=True, target="kind").feature_names == ("2001", "2002")


def test_a_nameless_row_counter_is_left_out(tmp_path):
    with pytest.warns(DataNotice, match=r"counts the rows"):
        table = read_table(write(tmp_path, ",a,y\n0,5,x\n1,6,y\n"))
    assert table.columns.tolist() == ["a", "y"]


def test_missing_folder_and_suffix(tmp_path):
    with pytest.raises(DataError, match=r"there is no file"):
        read_table(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match=r"is a folder"):
        read_table(tmp_path)
    with pytest.raises(DataError, match=r"suffix '\.xlsx'"):
        read_table(write(tmp_path, GOOD, "data.xlsx"))


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("a,b,y\n1,2,x\n12abc,3,y\n4,5,x\n", {}, "'a' is numeric but row 2 holds '12abc'"),
        ("a,b,y\n1,2,x\n,3,y\n?,5,x\n", {}, r"missing values in column\(s\) 'a' \(2\).*impute"),
        ("a,b,y\n1,2,x\ninf,3,y\n", {}, "'a' holds 1 infinite value.*row 2"),
        ("a,b,y\n1,2,x\n2,3,\n3,4,x\n", {}, "target column 'y' has 1 missing.*row 2"),
        (GOOD, {"target": "knd"}, "no target column 'knd'. Did you mean 'kind'.*'a', 'b', 'kind'"),
        (GOOD, {"target": "Z*"}, r"no target column 'Z\*'"),
        (GOOD, {"drop": ["c"]}, "cannot drop 'c'"),
        (GOOD, {"target": "a,kind"}, "'a', 'kind' have 3 combinations in 3 rows"),
        (GOOD, {"target": "kind", "task": "regression"}, "'kind' is not numeric"),
        (GOOD, {"target": "a,b", "task": "classification"}, "'b' has 3 different fractions"),
        (GOOD, {"target": "a", "task": "guess"}, "'guess'"),
        ("y\n1\n2\n", {}, "no feature columns"),
        ("# of May\na,b,y\n1,2,x\n", {}, "'# of May', names the columns; if it is a title, remove it"),
        ("a,b,y\n,2,x\n,3,y\n", {}, r"nothing but missing values in column\(s\) 'a'; drop them"),
    ],
)
def test_tables_that_cannot_be_used_are_explained(tmp_path, content, options, message):
    with pytest.raises(DataError, match=message):
        load_dataset(write(tmp_path, content), **options)


def test_constant_columns_are_fine(tmp_path):
    data = load_dataset(write(tmp_path, "a,b,y\n1,2,x\n1,3,z\n"))
    assert data.X.tolist() == [[1, 2], [1, 3]]


def test_imputing_a_csv(tmp_path):
    path = write(tmp_path, "a,b,y\n1,red,x\n,blue,y\n3,?,x\n8,blue,y\n")
    data = load_dataset(path, impute="median")
    assert data.encoded().X[:, 0].tolist() == [1, 3, 3, 8]
    assert data.encoded().X[2].tolist() == [3, 1, 0]


@pytest.fixture
def parquet(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "data.parquet"
    pd.DataFrame(
        {"a": [1.0, 2.0], "c": pd.Categorical(["u", "v"]), "ok": [True, False], "y": ["p", "q"]}
    ).to_parquet(path)
    return path


def test_parquet(parquet):
    data = load_dataset(parquet)
    assert data.encoded().feature_names == ("a", "c=u", "c=v", "ok")
    assert data.encoded().X.tolist() == [[1, 1, 0, 1], [2, 0, 1, 0]]
    assert data.y.tolist() == ["p", "q"]


def test_damaged_parquet(parquet):
    raw = parquet.read_bytes()
    parquet.write_bytes(raw[: len(raw) // 2])
    with pytest.raises(DataError, match=r"not a sound Parquet file"):
        read_table(parquet)


def test_parquet_without_pyarrow_names_the_extra(parquet, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"pip install 'nearkin\[data\]'"):
        read_table(parquet)


NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=20), separator=st.sampled_from(",;\t|")
)
def test_numbers_written_by_pandas_come_back(tmp_path_factory, rows, separator):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    table = pd.DataFrame(rows, columns=["a", "b"])
    table.to_csv(path, sep=separator, index=False)
    np.testing.assert_allclose(read_table(path).to_numpy(), table.to_numpy(), rtol=1e-14)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([".csv", ".arff", ".npz", ".tsv"]))
def test_rubbish_never_gives_anything_but_data_errors(tmp_path_factory, raw, suffix):
    path = tmp_path_factory.mktemp("rubbish") / f"t{suffix}"
    path.write_bytes(raw)
    data = None
    with contextlib.suppress(DataError):
        data = load_dataset(path)
    assert data is None or data.n_samples >= 1
