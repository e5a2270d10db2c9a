import gzip

import numpy as np
import pandas as pd
import pytest

from nearkin.datasets import DataError
from nearkin.datasets.blocks import BlockPolicy, read_blocks
from nearkin.datasets.columns import as_numbers
from nearkin.datasets.readers import read_table

SMALL = BlockPolicy(whole_below=10, rows=7)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    n = 30
    return pd.DataFrame(
        {"a": rng.normal(size=n).round(3), "word": rng.choice(["x", "two\nlines", 'a "q"'], n), "b": range(n)}
    )


@pytest.mark.parametrize(
    "kind", ["comma", "decimal-comma", "gzip", "utf-16", "parquet", "latin-1", "no-header"]
)
def test_blocks_together_are_the_table(tmp_path, table, kind):
    path = tmp_path / {"gzip": "t.csv.gz", "parquet": "t.parquet"}.get(kind, "t.csv")
    encoding = "latin-1" if kind == "latin-1" else "utf-8"
    if kind == "parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(path)
    else:
        table.loc[3, "word"] = "süß"
        text = table.to_csv(
            index=False,
            header=kind != "no-header",
            sep=";" if kind == "decimal-comma" else ",",
            decimal="," if kind == "decimal-comma" else ".",
        )
        raw = text.encode("utf-16" if kind == "utf-16" else encoding)
        path.write_bytes(gzip.compress(raw) if kind == "gzip" else raw)
    blocks = list(read_blocks(path, encoding=encoding, policy=SMALL))
    assert [len(block) for block in blocks] == [7, 7, 7, 7, 2]
    pd.testing.assert_frame_equal(pd.concat(blocks), read_table(path, encoding=encoding))
    assert len(list(read_blocks(path, encoding=encoding))) == 1


def test_errors_count_rows_from_the_start_of_the_file(tmp_path, table):
    path = tmp_path / "t.csv"
    table.astype({"b": object}).assign(b=[*range(19), "nineteen", *range(10)]).to_csv(path, index=False)
    blocks = list(read_blocks(path, policy=SMALL))
    with pytest.raises(DataError, match=r"'b' is numeric but row 20 holds 'nineteen'"):
        as_numbers(blocks[2]["b"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b\n" + "1,2\n" * 9 + "1,2,3\n", "cannot be read"),
        ("\n" * 300, "blank lines"),
        (b"a,b\n" + b"1,\xff\n" * 20, "not utf-8.*--encoding"),
    ],
)
def test_faults_in_a_stream_are_told(tmp_path, content, words):
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=words):
        list(read_blocks(path, policy=SMALL))
