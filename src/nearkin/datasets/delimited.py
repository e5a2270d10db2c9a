"""Delimited text into a pandas table, without pandas' silence about lines that do not fit."""

from __future__ import annotations

import csv
import io
import re
import warnings
from typing import TYPE_CHECKING, Any

from nearkin.datasets.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

_MISSING = ["?"]  # besides what pandas takes for missing: empty, NA, NaN, null, None, N/A ...


def parse_delimited(
    text: str,
    name: str,
    columns: list[str],
    separator: str,
    *,
    skip_first: bool = False,
    **options,
) -> pd.DataFrame:
    """Delimited text as a table; every line must have as many fields as there are columns.

    `options` go to `pandas.read_csv`.
    """
    import pandas as pd

    settings = delimited_options(columns, separator, decimal_comma=has_decimal_commas(text))
    settings["skiprows"] = _lines_to_skip(text) if skip_first else 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(io.StringIO(text), **(settings | options))
    except pd.errors.EmptyDataError as error:
        raise DataError(f"{name} has no data: only a line of column names.") from error
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        raise DataError(_explain(error, text, name, columns, separator)) from error
    if len(table) and table[columns[-1]].isna().any():
        # pandas fills up short lines silently; only those can hide in the last column.
        fault = _first_ragged_line(text, len(columns), separator)
        if fault:
            raise DataError(f"{name}: {fault} The file may have been cut short; repair or remove that line.")
    return table


def delimited_options(columns: list[str], separator: str, *, decimal_comma: bool) -> dict[str, Any]:
    """Arguments of `pandas.read_csv` for lines without a header."""
    return dict(
        sep=separator,
        header=None,
        names=columns,
        index_col=False,
        na_values=_MISSING,
        skipinitialspace=True,
        low_memory=False,
        decimal="," if separator == ";" and decimal_comma else ".",
    )


def _explain(error: Exception, text: str, name: str, columns: list[str], separator: str) -> str:
    if "EOF inside string" in str(error):
        return f"{name}: a quoted text is never closed; the file may have been cut short."
    fault = _first_ragged_line(text, len(columns), separator)
    if fault and len(columns) == 1:
        return (
            f"{name}: {fault} The first line, {columns[0]!r}, names the columns; if it is a title, remove it."
        )
    return f"{name}: {fault} Repair or remove that line." if fault else f"{name} cannot be read: {error}"


def _first_ragged_line(text: str, expected: int, separator: str) -> str:
    if len(separator) > 1:
        return ""
    reader = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
    for fields in reader:
        if fields and len(fields) != expected and not (len(fields) == 1 and not fields[0].strip()):
            return f"line {reader.line_num} has {len(fields)} fields, but {expected} are expected."
    return ""


def _lines_to_skip(text: str) -> int:
    """Blank lines at the start plus the line of names."""
    for number, line in enumerate(text.split("\n")):
        if line.strip():
            return number + 1
    return 0


def has_decimal_commas(text: str) -> bool:
    """Whether numbers in a semicolon file are written 1,5."""
    sample = text[:20_000]
    return bool(re.search(r"(^|;)\s*-?\d+,\d+\s*(;|$)", sample, re.M)) and not re.search(r"\d\.\d", sample)
