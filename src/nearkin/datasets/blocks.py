"""Tables larger than memory, read block by block."""

from __future__ import annotations

import codecs
import io
import itertools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nearkin.datasets.delimited import delimited_options, has_decimal_commas
from nearkin.datasets.errors import DataError
from nearkin.datasets.formats import CSV_SUFFIXES, PARQUET_SUFFIXES
from nearkin.datasets.readers import column_names, likeliest_separator, read_table
from nearkin.datasets.sources import STANDARD_INPUT, Source, find_source

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class BlockPolicy:
    """When a table is read in blocks, and how large they are.

    Attributes
    ----------
    whole_below : int
        Bytes of a file up to which it is read at once, with a full check of its lines; in memory a
        table takes several times its size on disk.
    rows : int
        Rows of a block.
    """

    whole_below: int = 64_000_000
    rows: int = 50_000


def read_blocks(
    path: str | Path, *, encoding: str = "utf-8", policy: BlockPolicy | None = None
) -> Iterator[pd.DataFrame]:
    """The rows of a table in blocks whose index counts the rows of the file from 0.

    CSV files (also packed) and Parquet files above ``policy.whole_below`` are streamed; all others
    come as one block.

    Notes
    -----
    Memory is one block, and for Parquet one row group. In a streamed CSV file a line with too few
    fields is filled up with missing cells; lines with too many are an error.
    """
    policy = policy or BlockPolicy()
    if str(path) == STANDARD_INPUT or Path(path).stat().st_size <= policy.whole_below:
        return iter([read_table(path, encoding=encoding)])
    source = find_source(path)
    if source.suffix in CSV_SUFFIXES:
        return _csv_blocks(source, encoding, policy.rows)
    if source.suffix in PARQUET_SUFFIXES and not source.packing:
        return _parquet_blocks(source, policy.rows)
    return iter([read_table(path, encoding=encoding)])


def _csv_blocks(source: Source, encoding: str, rows: int) -> Iterator[pd.DataFrame]:
    import pandas as pd

    try:
        with _text_stream(source, encoding) as stream:
            head = list(itertools.islice(stream, 200))
        first = next((at for at, line in enumerate(head) if line.strip()), None)
        if first is None:
            raise DataError(f"{source.name} begins with nothing but blank lines.")
        separator = "\t" if source.suffix == ".tsv" else likeliest_separator(head[first].strip("\r\n"))
        columns, header, _ = column_names(head[first].strip("\r\n"), source.name, separator, None)
        options = delimited_options(columns, separator, decimal_comma=has_decimal_commas("".join(head)))
        with _text_stream(source, encoding) as stream, warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            yield from pd.read_csv(stream, chunksize=rows, skiprows=first + header, **options)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{source.name} is not {encoding}; give its encoding (--encoding latin-1 is a common one)."
        ) from error
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        raise DataError(f"{source.name} cannot be read: {error}") from error


def _text_stream(source: Source, encoding: str) -> io.TextIOWrapper:
    with source.open() as raw:
        start = raw.read(2)
    if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        encoding = "utf-16"
    name = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
    return io.TextIOWrapper(source.open(), encoding=name, newline="")


def _parquet_blocks(source: Source, rows: int) -> Iterator[pd.DataFrame]:
    import pyarrow
    import pyarrow.parquet

    start = 0
    try:
        for batch in pyarrow.parquet.ParquetFile(source.path).iter_batches(batch_size=rows):
            block = batch.to_pandas().reset_index(drop=True).rename(columns=str)
            block.index += start
            start += len(block)
            yield block
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(
            f"{source.name} is not a sound Parquet file (damaged or cut short): {error}"
        ) from error
