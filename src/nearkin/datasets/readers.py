"""Files into pandas tables: CSV (and relatives), Parquet; ARFF has its own module."""

from __future__ import annotations

import codecs
import csv
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nearkin.datasets.arff import read_arff
from nearkin.datasets.delimited import parse_delimited
from nearkin.datasets.errors import DataError, DataNotice, shortened

if TYPE_CHECKING:
    import pandas as pd

CSV_SUFFIXES = (".csv", ".tsv", ".txt", ".data")
PARQUET_SUFFIXES = (".parquet", ".pq")
ARFF_SUFFIXES = (".arff", ".dat")
TABLE_SUFFIXES = CSV_SUFFIXES + PARQUET_SUFFIXES + ARFF_SUFFIXES
_SEPARATORS = (",", ";", "\t", "|")


def read_table(
    path: str | Path, *, encoding: str = "utf-8", separator: str | None = None, header: bool | None = None
) -> pd.DataFrame:
    """Read a CSV, TSV, Parquet or ARFF file, chosen by its suffix.

    Parameters
    ----------
    path : str or Path
    encoding : str
        Of text files.
    separator : str, optional
        Of CSV files; found from the first line if not given (comma, semicolon, tab or bar).
        Semicolon files with decimal commas are understood.
    header : bool, optional
        Whether a CSV file begins with column names. If not given, a first line made mostly of
        numbers is taken for data, with a `DataNotice`, and columns are called ``column_1`` ...

    Returns
    -------
    pandas.DataFrame
        With unique text column names and at least one row. ``attrs["targets"]`` names the target
        columns if the file format tells them (KEEL).

    Raises
    ------
    DataError
        Empty, truncated, ragged, damaged or wrongly encoded files, duplicated column names.
    """
    path = existing_file(path)
    suffix = path.suffix.lower()
    if suffix in PARQUET_SUFFIXES:
        table = _read_parquet(path)
    elif suffix in ARFF_SUFFIXES:
        table = read_arff(_read_text(path, encoding), path.name)
    elif suffix in CSV_SUFFIXES:
        table = _read_csv(_read_text(path, encoding), path, separator, header)
    else:
        raise DataError(
            f"{path.name}: cannot tell the format from the suffix {suffix!r}; known are "
            f"{', '.join((*TABLE_SUFFIXES, '.npz'))}."
        )
    if table.empty:
        raise DataError(f"{path.name} has no data: {len(table)} rows and {table.shape[1]} columns.")
    return table


def existing_file(path: str | Path) -> Path:
    """The path, if there is a file with something in it."""
    path = Path(path)
    if not path.exists():
        raise DataError(f"there is no file {str(path)!r}.")
    if path.is_dir():
        raise DataError(f"{str(path)!r} is a folder, not a data file.")
    if path.stat().st_size == 0:
        raise DataError(f"{path.name} is empty (0 bytes).")
    return path


def _read_text(path: Path, encoding: str) -> str:
    raw = path.read_bytes()
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # What spreadsheets call Unicode text; its first two bytes leave no doubt.
        encoding = "utf-16"
    if b"\0" in raw[:4096] and not encoding.lower().startswith(("utf-16", "utf-32", "utf_16", "utf_32")):
        raise DataError(f"{path.name} is not a text file (it holds zero bytes); is the suffix right?")
    try:
        text = raw.decode("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise DataError(
            f"{path.name} is not {encoding}: line {line} holds the byte 0x{raw[error.start]:02x}. Save it "
            "as UTF-8 or, in Python, give its encoding (encoding='latin-1' is a common one)."
        ) from error
    if not text.strip():
        raise DataError(f"{path.name} is empty: it holds nothing but blanks.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _read_csv(text: str, path: Path, separator: str | None, header: bool | None) -> pd.DataFrame:
    first_line = next(line for line in text.split("\n") if line.strip())
    separator = separator or ("\t" if path.suffix.lower() == ".tsv" else _likeliest_separator(first_line))
    first = _split_line(first_line, separator)
    if header is None:
        header = not _looks_like_data(first)
        if not header:
            _notice(f"{path.name} seems to have no line of column names; they become column_1, column_2, ...")
    names = [cell.strip() for cell in first] if header else [""] * len(first)
    _refuse_duplicates([name for name in names if name], path.name)
    # A private name for nameless columns keeps pandas from inventing and mangling its own.
    columns = [name or f"column_{i + 1}" for i, name in enumerate(names)]
    table = parse_delimited(text, path.name, columns, separator, skip_first=header)
    if header and not names[0] and _is_row_index(table[columns[0]]):
        _notice(f"{path.name}: the first column has no name and counts the rows; it is left out.")
        table = table.drop(columns=columns[0])
    return table


def _likeliest_separator(line: str) -> str:
    counts = {separator: len(_split_line(line, separator)) for separator in _SEPARATORS}
    return max(_SEPARATORS, key=lambda separator: counts[separator])


def _split_line(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True))
    except csv.Error as error:
        raise DataError(f"the first line cannot be split into columns: {error}.") from error


def _looks_like_data(cells: list[str]) -> bool:
    numbers = [cell.strip() for cell in cells if _is_number(cell)]
    # Tables that pandas saved without names of their own have a header 0, 1, 2, ...
    counted = numbers == [str(i) for i in range(len(numbers))]
    return 2 * len(numbers) > len(cells) and (not counted or len(numbers) < 2)


def _is_number(cell: str) -> bool:
    try:
        float(cell.strip().replace(",", "."))
    except ValueError:
        return False
    return True


def _is_row_index(column: pd.Series) -> bool:
    if column.dtype.kind not in "iu":
        return False
    values = column.to_numpy()
    return any(np.array_equal(values, np.arange(start, start + len(values))) for start in (0, 1))


def _refuse_duplicates(names: list[str], file: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"{file} has more than one column named {shortened(twice)}; give each its own name.")


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise DataError(
            f"reading {path.name} needs pyarrow: pip install 'nearkin[data]', or save the table as CSV."
        ) from error
    try:
        table = pyarrow.parquet.read_table(path)
        _refuse_duplicates([str(name) for name in table.column_names], path.name)
        frame = table.to_pandas()
    except (pyarrow.ArrowException, OSError) as error:
        raise DataError(f"{path.name} is not a sound Parquet file (damaged or cut short): {error}") from error
    frame.columns = [str(name) for name in frame.columns]
    return frame.reset_index(drop=True)


def _notice(message: str) -> None:
    warnings.warn(message, DataNotice, stacklevel=5)
