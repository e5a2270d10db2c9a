"""Files into pandas tables: the format is found, then its own module reads it; CSV is read here."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nearkin.datasets.arff import read_arff
from nearkin.datasets.arrow import read_arrow
from nearkin.datasets.delimited import has_decimal_commas, parse_delimited
from nearkin.datasets.errors import DataError, DataNotice, refuse_duplicates
from nearkin.datasets.formats import (
    ARFF_SUFFIXES,
    ARROW_SUFFIXES,
    JSON_SUFFIXES,
    NPZ_SUFFIX,
    PARQUET_SUFFIXES,
    TABLE_SUFFIXES,
)
from nearkin.datasets.json_lines import read_json_lines
from nearkin.datasets.sources import PACKED_SUFFIXES, Source, decoded, find_source

if TYPE_CHECKING:
    import pandas as pd

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


def read_table(path: str | Path, *, encoding: str = "utf-8", header: bool | None = None) -> pd.DataFrame:
    """Read a CSV, TSV, JSON lines, Parquet, Feather or ARFF file, chosen by its suffix.

    The first line of a CSV file tells its separator: comma, semicolon, tab or bar. Semicolon files may have
    decimal commas.

    Parameters
    ----------
    path : str or Path
        Also packed (.gz, .bz2, .xz, .zip with one file in it), or ``-`` for standard input; where the
        name tells no format, the first bytes decide.
    encoding : str
        Of text files.
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
    source = find_source(path)
    _refuse_unknown(source)
    raw = source.read()
    suffix = source.format_of(raw)
    if suffix in ARROW_SUFFIXES + PARQUET_SUFFIXES:
        table = read_arrow(raw, source.name, parquet=suffix in PARQUET_SUFFIXES)
    else:
        table = _read_text_table(raw, source, suffix, encoding, header)
    if table.empty:
        raise DataError(f"{source.name} has no data: {len(table)} rows and {table.shape[1]} columns.")
    return table


def _refuse_unknown(source: Source) -> None:
    if source.suffix and source.suffix not in TABLE_SUFFIXES:
        raise DataError(
            f"{source.name}: cannot tell the format from the suffix {source.suffix!r}; known are "
            f"{', '.join((*TABLE_SUFFIXES, NPZ_SUFFIX))}, also packed as {', '.join(PACKED_SUFFIXES)}."
        )


def _read_text_table(raw: bytes, source: Source, suffix: str, encoding: str, header: bool | None):
    text, found = decoded(raw, source.name, encoding)
    traits = [f"packed as {source.packing}"] if source.packing else []
    traits += [] if source.suffix else [f"format {suffix}"]
    traits += [f"encoding {found}"] if found != encoding else []
    if suffix in ARFF_SUFFIXES:
        table = read_arff(text, source.name)
    elif suffix in JSON_SUFFIXES:
        table = read_json_lines(text, source.name)
    else:
        first_line = next(line for line in text.split("\n") if line.strip())
        separator = "\t" if suffix == ".tsv" else likeliest_separator(first_line)
        expected = "\t" if suffix == ".tsv" else ","
        traits += [f"separated by {_SEPARATORS[separator]}"] if separator != expected else []
        traits += ["decimal commas"] if separator == ";" and has_decimal_commas(text) else []
        table = _read_csv(text, source.name, separator, header)
    if traits:
        _notice(f"{source.name} is read as: {', '.join(traits)}.")
    return table


def _read_csv(text: str, name: str, separator: str, header: bool | None) -> pd.DataFrame:
    first_line = next(line for line in text.split("\n") if line.strip())
    columns, header, unnamed = column_names(first_line, name, separator, header)
    table = parse_delimited(text, name, columns, separator, skip_first=header)
    if unnamed and _is_row_index(table[columns[0]]):
        _notice(f"{name}: the first column has no name and counts the rows; it is left out.")
        table = table.drop(columns=columns[0])
    return table


def column_names(
    first_line: str, name: str, separator: str, header: bool | None
) -> tuple[list[str], bool, bool]:
    """Names of the columns, whether the first line holds them, and whether the first one lacked a name."""
    first = _split_line(first_line, separator)
    if header is None:
        header = not _looks_like_data(first)
        if not header:
            _notice(f"{name} seems to have no line of column names; they become column_1, column_2, ...")
    names = [cell.strip() for cell in first] if header else [""] * len(first)
    refuse_duplicates([name for name in names if name], name)
    # A private name for nameless columns keeps pandas from inventing and mangling its own.
    return [name or f"column_{i + 1}" for i, name in enumerate(names)], header, header and not names[0]


def likeliest_separator(line: str) -> str:
    """The separator that splits the line into the most fields; a comma if none does."""
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


def _notice(message: str) -> None:
    warnings.warn(message, DataNotice, stacklevel=5)
