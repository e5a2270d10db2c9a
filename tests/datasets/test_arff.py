import numpy as np
import pytest

from nearkin.datasets import DataError, load_dataset
from nearkin.datasets.arff import read_arff, split_fields

HEADER = "% comment\n@RELATION 'a set'\n@attribute size NUMERIC\n@attribute 'the colour' {red, 'dark blue'}\n"


def test_dense_with_quotes_and_missing():
    table = read_arff(
        HEADER + "@attribute class {1,2}\n@DATA\n% note\n1.5, 'dark blue', 1\n?, red, 2\n", "t.arff"
    )
    assert table.columns.tolist() == ["size", "the colour", "class"]
    assert table["the colour"].tolist() == ["dark blue", "red"]
    assert np.isnan(table["size"][1])


def test_unquoted_rows_take_the_fast_way_and_agree():
    body = "1.5,red,1\n?,red,2\n"
    fast = read_arff(HEADER + "@attribute class {1,2}\n@data\n" + body, "t")
    slow = read_arff(HEADER + "@attribute class {1,2}\n@data\n" + body.replace("red", "'red'"), "t")
    assert fast.equals(slow)


def test_sparse_rows_default_to_zero_and_first_category():
    text = HEADER + "@attribute n real\n@data\n{0 2.5, 1 'dark blue'}\n{2 7}\n{}\n"
    table = read_arff(text, "t.arff")
    assert table["size"].tolist() == [2.5, 0, 0]
    assert table["the colour"].tolist() == ["dark blue", "red", "red"]
    assert table["n"].tolist() == [0, 7, 0]


def test_keel_dialect(tmp_path):
    path = tmp_path / "t.dat"
    path.write_text(
        "@relation t\n@attribute Kind {a, b}\n@attribute Len integer[0,3]\n"
        "@inputs Len\n@outputs Kind\n@data\na,1\nb,2\n"
    )
    data = load_dataset(path)
    assert data.feature_names == ("Len",)
    assert data.y.tolist() == ["a", "b"]


def test_nominal_features_become_one_hot(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text(HEADER + "@attribute class {1,2}\n@data\n1,red,1\n2,'dark blue',2\n")
    data = load_dataset(path)
    assert data.encoded().feature_names == ("size", "the colour=dark blue", "the colour=red")
    assert data.task == "classification"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2,3\n", "not an ARFF file"),
        (HEADER, "no @data"),
        (HEADER + "@data\n", "nothing follows @data"),
        ("@relation t\n@data\n1\n", "no attributes"),
        ("@attribute a\n@data\n1\n", "attribute line"),
        ("@attribute a weird\n@data\n1\n", "unknown type 'weird'"),
        ("@attribute a real\n@attribute a real\n@data\n1,2\n", "more than one attribute named 'a'"),
        (HEADER + "@data\n1,green\n", "'the colour' has 'green' in data row 1"),
        (HEADER + "@data\n1,red\n2\n", "data row 2 has 1 fields"),
        (HEADER + "@data\n1,'red'\n2\n", "data row 2 has 1 fields"),
        (HEADER + "@data\n1,'red\n", "quote"),
        (HEADER + "@data\n1x,'red'\n", "'size' is numeric but row 1 holds '1x'"),
        (HEADER + "@data\n{7 1}\n", "outside the table"),
    ],
)
def test_broken_files_are_explained(text, message):
    with pytest.raises(DataError, match=message):
        read_arff(text, "t.arff")


def test_fields_keep_commas_inside_quotes():
    assert split_fields("""1, "a, b", 'c\\'d', e""") == ["1", "a, b", "c'd", "e"]
