"""What people bring: each table gives the right numbers, or an error that names problem and fix.

`READ` holds tables that must be understood; `REFUSED` those that must not, with the words that the
message must hold: where the fault is, and what to do about it.
"""

import gzip
import json
import warnings

import numpy as np
import pandas as pd
import pytest

from nearkin.datasets import DataError, DataNotice, load_dataset


def lines(*rows):
    return "\n".join(rows) + "\n"


def repeated(template, n=30, header="a,y"):
    return lines(header, *(template.format(i=i, half=i / 2, letter="xyz"[i % 3]) for i in range(n)))


PLAIN = lines("a,b,y", "1,2,p", "3,4,q", "5,6,p", "7,8,q")
FOUR = [[1, 2], [3, 4], [5, 6], [7, 8]]

# name: (file, content, options, features encoded, classes or None for regression)
READ = {
    "plain": ("t.csv", PLAIN, {}, FOUR, ["p", "q"]),
    "crlf": ("t.csv", PLAIN.replace("\n", "\r\n"), {}, FOUR, ["p", "q"]),
    "old mac line ends": ("t.csv", PLAIN.replace("\n", "\r"), {}, FOUR, ["p", "q"]),
    "no last line end": ("t.csv", PLAIN.strip(), {}, FOUR, ["p", "q"]),
    "blank lines": ("t.csv", PLAIN.replace("\n", "\n\n"), {}, FOUR, ["p", "q"]),
    "byte order mark": ("t.csv", "\ufeff" + PLAIN, {}, FOUR, ["p", "q"]),
    "utf-16": ("t.csv", PLAIN.encode("utf-16"), {}, FOUR, ["p", "q"]),
    "latin-1": (
        "t.csv",
        PLAIN.replace("p", "ö").encode("latin-1"),
        {"encoding": "latin-1"},
        FOUR,
        ["q", "ö"],
    ),
    "semicolons": ("t.csv", PLAIN.replace(",", ";"), {}, FOUR, ["p", "q"]),
    "tabs in txt": ("t.txt", PLAIN.replace(",", "\t"), {}, FOUR, ["p", "q"]),
    "bars": ("t.csv", PLAIN.replace(",", "|"), {}, FOUR, ["p", "q"]),
    "spaces after commas": ("t.csv", PLAIN.replace(",", ", "), {}, FOUR, ["p", "q"]),
    "decimal commas": ("t.csv", lines("a;y", "1,5;p", "2,5;q"), {}, [[1.5], [2.5]], ["p", "q"]),
    "exponents": ("t.csv", lines("a,y", "1e-3,p", "2E+2,q"), {}, [[1e-3], [200]], ["p", "q"]),
    "signs": ("t.csv", lines("a,y", "-1,p", "+2,q"), {}, [[-1], [2]], ["p", "q"]),
    "quoted cells": ("t.csv", lines('"a","b","y"', '"1","2","p"', '"3","4","q"'), {}, FOUR[:2], ["p", "q"]),
    "quoted line end": ("t.csv", 'a,y\n1,"p\nq"\n2,r\n', {}, [[1], [2]], ["p\nq", "r"]),
    "no header": ("t.csv", lines("1,2,p", "3,4,q"), {"header": False}, FOUR[:2], ["p", "q"]),
    "no header, found out": ("t.csv", lines("1,2,p", "3,4,q"), {}, FOUR[:2], ["p", "q"]),
    "years as header": (
        "t.csv",
        lines("2001,2002,y", "1,2,p", "3,4,q"),
        {"header": True},
        FOUR[:2],
        ["p", "q"],
    ),
    "unnamed row index": ("t.csv", lines(",a,y", "0,5,p", "1,7,q"), {}, [[5], [7]], ["p", "q"]),
    "target in the middle": ("t.csv", lines("a,y,b", "1,p,2", "3,q,4"), {}, FOUR[:2], ["p", "q"]),
    "target by name": ("t.csv", lines("kind,b", "p,2", "q,4"), {"target": "kind"}, [[2], [4]], ["p", "q"]),
    "spaces in names": (
        "t.csv",
        lines("a a,the y", "1,p", "2,q"),
        {"target": "the y"},
        [[1], [2]],
        ["p", "q"],
    ),
    "categories": ("t.csv", lines("c,y", "u,p", "v,q"), {}, [[1, 0], [0, 1]], ["p", "q"]),
    "one category": ("t.csv", lines("c,y", "u,p", "u,q"), {}, [[1], [1]], ["p", "q"]),
    "codes": ("t.csv", lines("c,y", "7,p", "3,q"), {"categorical": ["c"]}, [[0, 1], [1, 0]], ["p", "q"]),
    "true and false": ("t.csv", lines("c,y", "true,p", "False,q"), {}, [[1], [0]], ["p", "q"]),
    "blanks around categories": ("t.csv", lines("c,y", "u ,p", "u,q"), {}, [[1], [1]], ["p", "q"]),
    "non-latin text": ("t.csv", lines("色,y", "赤,好", "青,悪"), {}, [[1, 0], [0, 1]], ["好", "悪"]),
    "emoji": ("t.csv", lines("c,y", "😀,p", "😢,q"), {}, [[1, 0], [0, 1]], ["p", "q"]),
    "median": ("t.csv", lines("a,y", "1,p", ",q", "9,p"), {"impute": "median"}, [[1], [5], [9]], ["p", "q"]),
    "mean": (
        "t.csv",
        lines("a,y", "1,p", "?,q", "9,p", "2,q"),
        {"impute": "mean"},
        [[1], [4], [9], [2]],
        ["p", "q"],
    ),
    "most frequent": (
        "t.csv",
        lines("a,y", "1,p", "NA,q", "9,p", "9,q"),
        {"impute": "most-frequent"},
        [[1], [9], [9], [9]],
        ["p", "q"],
    ),
    "near rows": (
        "t.csv",
        lines("a,b,y", *(f"{i},{10 * i},p" for i in range(5)), "2,,q"),
        {"impute": "knn"},
        [*([i, 10 * i] for i in range(5)), [2, 20]],
        ["p", "q"],
    ),
    "missing category": (
        "t.csv",
        lines("c,y", "u,p", "null,q", "u,p", "v,q"),
        {"impute": "median"},
        [[1, 0], [1, 0], [1, 0], [0, 1]],
        ["p", "q"],
    ),
    "dates": (
        "t.csv",
        lines("d,y", "2024-02-29,p", "2023-01-01,q"),
        {},
        [[2024, 2, 29, 3], [2023, 1, 1, 6]],
        ["p", "q"],
    ),
    "dates with dots": (
        "t.csv",
        lines("d,y", "29.2.2024,p", "1.1.2023,q"),
        {},
        [[2024, 2, 29, 3], [2023, 1, 1, 6]],
        ["p", "q"],
    ),
    "times": (
        "t.csv",
        lines("d,y", "2024-02-29T06:30:00Z,p", "2023-01-01 00:00,q"),
        {},
        [[2024, 2, 29, 3, 6.5], [2023, 1, 1, 6, 0]],
        ["p", "q"],
    ),
    "constant column": ("t.csv", lines("a,b,y", "1,2,p", "1,4,q"), {}, [[1, 2], [1, 4]], ["p", "q"]),
    "repeated rows": ("t.csv", lines("a,y", "1,p", "1,p", "1,q"), {}, [[1], [1], [1]], ["p", "q"]),
    "tiny and large": (
        "t.csv",
        lines("a,b,y", "1e-9,1e9,p", "2e-9,2e9,q"),
        {},
        [[1e-9, 1e9], [2e-9, 2e9]],
        ["p", "q"],
    ),
    "an id dropped": ("t.csv", lines("id,a,y", "u1,1,p", "u2,2,q"), {"drop": ["id"]}, [[1], [2]], ["p", "q"]),
    "json lines": ("t.jsonl", '{"a": 1, "y": "p"}\n{"y": "q", "a": 2}\n', {}, [[1], [2]], ["p", "q"]),
    "json list": ("t.json", json.dumps([{"a": 1, "y": "p"}, {"a": 2, "y": "q"}]), {}, [[1], [2]], ["p", "q"]),
    "json with nulls": (
        "t.jsonl",
        '{"a": 1, "y": "p"}\n{"y": "q", "a": null}\n{"y": "q"}\n{"a": 5, "y": "p"}\n',
        {"impute": "median"},
        [[1], [3], [3], [5]],
        ["p", "q"],
    ),
    "packed": ("t.csv.gz", gzip.compress(PLAIN.encode(), mtime=0), {}, FOUR, ["p", "q"]),
    "arff": (
        "t.arff",
        "@relation t\n@attribute a real\n@attribute y {p,q}\n@data\n1,p\n2,q\n",
        {},
        [[1], [2]],
        ["p", "q"],
    ),
    "whole numbers as classes": ("t.csv", lines("a,y", "1,0", "2,1", "3,1"), {}, [[1], [2], [3]], ["0", "1"]),
    "numbers like labels": (
        "t.csv",
        lines("a,y", *(f"{i},{i % 25}" for i in range(90))),
        {},
        None,
        [str(i) for i in range(25)],
    ),
    "prices": ("t.csv", lines("a,y", *(f"{i % 7},{300 + 7 * (i // 3)}" for i in range(90))), {}, None, None),
    "fractions": ("t.csv", lines("a,y", "1,0.5", "2,1.5"), {}, [[1], [2]], None),
    "grades": (
        "t.csv",
        lines("a,y", *["1,1.5", "2,2.5"] * 3),
        {"task": "classification"},
        None,
        ["1.5", "2.5"],
    ),
    "several targets": ("t.csv", lines("a,Y1,Y2", "1,2,3", "4,5,6"), {"target": "Y*"}, [[1], [4]], None),
    "several targets of text": (
        "t.csv",
        lines("a,Y1,Y2", *["1,2,p", "4,5,q"] * 3),
        {"target": "Y*"},
        [[1], [4]] * 3,
        ["2 & p", "5 & q"],
    ),
    "booleans to predict": ("t.csv", lines("a,y", "1,True", "2,False"), {}, [[1], [2]], ["False", "True"]),
    "a comma in a name": ("t.csv", lines('"a,b",y', "1,p", "2,q"), {}, [[1], [2]], ["p", "q"]),
}

# name: (file, content, options, words of the message)
REFUSED = {
    "several targets of text, all different": (
        "t.csv",
        lines("a,Y1,Y2", "1,2,p", "4,5,q"),
        {"target": "Y*"},
        "2 combinations in 2 rows, too few rows of each.*one target at a time, as in --target Y1",
    ),
    "targets of text and of measurements": (
        "t.csv",
        lines("a,Y1,Y2", *["1,0.5,p", "4,2.5,q"] * 3),
        {"target": "Y*"},
        "some hold text, but 'Y1' holds measurements; predict the ones or the others",
    ),
    "labels with the sign that joins them": (
        "t.csv",
        lines("a,Y1,Y2", *["1,r & d,p", "4,x,q"] * 3),
        {"target": "Y*"},
        "'r & d' holds ' & ', which joins labels",
    ),
    "empty": ("t.csv", "", {}, r"t.csv is empty \(0 bytes\)"),
    "blank": ("t.csv", " \n\n ", {}, "nothing but blanks"),
    "header only": ("t.csv", "a,b,y\n", {}, "no data"),
    "target only": ("t.csv", lines("y", "p", "q"), {}, "no feature columns besides the target"),
    "too many fields": ("t.csv", PLAIN + "1,2,3,4\n", {}, "line 6 has 4 fields, but 3 are expected.*Repair"),
    "too few fields": ("t.csv", PLAIN + "1,2\n", {}, "line 6 has 2 fields.*cut short"),
    "open quote": ("t.csv", PLAIN + '"1,2,p\n', {}, "never closed|line 6"),
    "same name twice": ("t.csv", lines("a,a,y", "1,2,p"), {}, "more than one column named 'a'"),
    "latin-1 unannounced": (
        "t.csv",
        PLAIN.replace("p", "ö").encode("latin-1"),
        {},
        "line 2 holds the byte 0xf6.*--encoding",
    ),
    "binary": ("t.csv", b"a,y\n\0\0\0\1", {}, "not a text file.*suffix"),
    "spreadsheet": ("t.xlsx", b"PK\3\4", {}, "suffix '.xlsx'|has none of the suffixes"),
    "missing numbers": ("t.csv", lines("a,y", "1,p", ",q"), {}, r"'a' \(1\).*--impute median"),
    "missing categories": ("t.csv", lines("c,y", "u,p", "N/A,q"), {}, r"'c' \(1\).*--impute"),
    "missing dates": ("t.csv", lines("d,y", "2024-01-01,p", ",q"), {}, r"'d' \(1\).*--impute"),
    "column of nothing": (
        "t.csv",
        lines("a,b,y", ",1,p", ",2,q"),
        {"impute": "median"},
        "nothing but missing.*'a'.*drop",
    ),
    "missing target": (
        "t.csv",
        lines("a,y", "1,p", "2,"),
        {},
        "target column 'y' has 1 missing.*row 2.*remove",
    ),
    "a letter among numbers": (
        "t.csv",
        lines("a,y", "1,p", "2,q", "3x,p", "4,q"),
        {},
        "'a' is numeric but row 3 holds '3x'.*Correct",
    ),
    "infinity": ("t.csv", lines("a,y", "1,p", "inf,q"), {}, "'a' holds 1 infinite.*row 2.*replace"),
    "too large": ("t.csv", lines("a,y", "1,p", "1e300,q"), {}, "'a' holds values up to 1e.300.*larger unit"),
    "names of people": ("t.csv", repeated("person {i},{letter}"), {}, "'a' has 30 different texts.*--drop a"),
    "prices with signs": (
        "t.csv",
        repeated("€{i}.50,{letter}"),
        {},
        "'a' holds numbers with signs.*plain numbers",
    ),
    "dates with slashes": (
        "t.csv",
        repeated("3/{i}/2024,{letter}", 9),
        {},
        "'a' holds dates such as.*2024-12-31",
    ),
    "an impossible date": (
        "t.csv",
        lines("d,y", "2024-02-30,p", "2024-01-01,q"),
        {},
        "row 1 holds '2024-02-30'.*Correct",
    ),
    "unknown target": ("t.csv", PLAIN, {"target": "yy"}, "no target column 'yy'.*Did you mean 'y'"),
    "unknown drop": ("t.csv", PLAIN, {"drop": ["bb"]}, "cannot drop 'bb'.*'b'"),
    "unknown categorical": ("t.csv", PLAIN, {"categorical": ["bb"]}, "no column named 'bb'.*'b'"),
    "unknown imputation": ("t.csv", PLAIN, {"impute": "magic"}, "'magic'.*median"),
    "unknown task": ("t.csv", PLAIN, {"task": "guess"}, "'guess'.*classification"),
    "text to regress": ("t.csv", PLAIN, {"task": "regression"}, "'y' is not numeric"),
    "measurements as classes": (
        "t.csv",
        repeated("{letter},{half}"),
        {"task": "classification"},
        "different fractions.*regression",
    ),
    "two class columns": (
        "t.csv",
        PLAIN,
        {"target": "b,y", "task": "classification"},
        "4 combinations in 4 rows.*one target at a time, as in --target b",
    ),
    "json cut short": ("t.jsonl", '{"a": 1, "y": "p"}\n{"a": 2, "y"', {}, "line 2 is not JSON"),
    "json in json": ("t.jsonl", '{"a": {"b": 1}, "y": "p"}\n', {}, "line 1 holds a list or object under 'a'"),
    "packed, cut short": (
        "t.csv.gz",
        gzip.compress(PLAIN.encode() * 9, mtime=0)[:-12],
        {},
        "cannot be unpacked",
    ),
    "arff without data": ("t.arff", "@relation t\n@attribute a real\n", {}, "no @data"),
    "arff, unknown value": (
        "t.arff",
        "@relation t\n@attribute a real\n@attribute y {p,q}\n@data\n1,r\n",
        {},
        "'r' in data row 1",
    ),
    "parquet in name only": ("t.parquet", PLAIN, {}, "not a sound Parquet file"),
    "feather in name only": ("t.feather", PLAIN, {}, "not a sound Arrow file"),
    "npz in name only": ("t.npz", PLAIN, {}, "pickled Python objects.*Save plain"),
    "no encoding": ("t.csv", PLAIN, {"encoding": "latin-99"}, "no encoding called 'latin-99'"),
}


def write(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def load(path, options):
    with warnings.catch_warnings():
        # Choices made for the user are tested where they are made; nothing else may be warned of.
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DataNotice)
        return load_dataset(path, **options)


@pytest.mark.parametrize("case", READ)
def test_understood(tmp_path, case):
    name, content, options, expected, classes = READ[case]
    data = load(write(tmp_path, name, content), options)
    X = data.encoded().X
    assert np.isfinite(X).all()
    if expected is not None:
        np.testing.assert_allclose(X, expected)
    if classes is None:
        assert data.task == "regression"
    else:
        assert list(data.class_names) == classes


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_problem_and_fix(tmp_path, case):
    name, content, options, words = REFUSED[case]
    if name.endswith((".parquet", ".feather")):
        pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match=rf"(?s){words}"):
        load(write(tmp_path, name, content), options)


def test_typed_columns(tmp_path):
    """What a file with types of its own may hold, beyond what text can say."""
    pytest.importorskip("pyarrow")
    table = pd.DataFrame(
        {
            "small": np.array([1, 2], dtype=np.int8),
            "nullable": pd.array([1, None], dtype="Int64"),
            "single": np.array([1.5, 2.5], dtype=np.float32),
            "flag": pd.array([True, None], dtype="boolean"),
            "word": pd.Categorical(["v", "u"], categories=["u", "v", "never"]),
            "when": pd.to_datetime(["2024-02-29", None]).tz_localize("Europe/Berlin"),
            "span": pd.to_timedelta([36, 12], unit="h"),
            "y": ["p", "q"],
        }
    )
    for name in ("t.parquet", "t.feather"):
        getattr(table, "to_" + name.split(".")[1])(tmp_path / name)
        with pytest.raises(DataError, match=r"'nullable' \(1\), 'flag' \(1\), 'when' \(1\)"):
            load(tmp_path / name, {})
        data = load(tmp_path / name, {"impute": "median"}).encoded()
        found = dict(zip(data.feature_names, data.X.T.tolist()))
        assert found["nullable"] == [1, 1]
        assert found["flag"] == [1, 1]
        assert (found["word=u"], found["word=v"]) == ([0, 1], [1, 0])
        assert "word=never" not in found
        assert found["when.day"] == [28, 28]  # midnight in Berlin is the evening before in UTC
        assert found["span"] == [1.5, 0.5]


def test_there_are_enough():
    assert len(READ) + len(REFUSED) >= 60
