"""What kind of values a column of a table holds, and its cells as plain NumPy values."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from nearkin.datasets.dates import are_dates
from nearkin.datasets.errors import DataError, DataNotice, row_number

if TYPE_CHECKING:
    import pandas as pd

NUMBER = "number"
CATEGORY = "category"
BOOLEAN = "boolean"
DATE = "date"

_IDENTIFIER = re.compile(r"(?i:(^|[\W_])(id|index|row)$)|[a-z]I[dD]$")
# Thousands marked by commas, spaces or apostrophes, a currency before or after, a percent sign.
_DRESSED_NUMBER = re.compile(r"^[-+]?\s*[$€£¥]?\s*[-+]?\d[\d,' ]*([.,]\d+)?\s*[$€£¥%]?$")
_TRUE, _FALSE = {"true", "1", "1.0"}, {"false", "0", "0.0"}
# From this share of numbers on, a text column is taken for numbers with some faulty cells.
_MOSTLY = 0.5
_FEW_CATEGORIES = 20


def column_kind(column: pd.Series) -> str:
    """`number`, `boolean`, `date` or `category`; faulty numbers are errors that name the cell."""
    from pandas.api import types

    name = str(column.name)
    if types.is_bool_dtype(column.dtype):
        return BOOLEAN
    if types.is_complex_dtype(column.dtype):
        raise DataError(
            f"column {name!r} holds complex numbers; give real and imaginary part as two columns."
        )
    if types.is_numeric_dtype(column.dtype):
        return NUMBER
    if types.is_datetime64_any_dtype(column.dtype):
        return DATE
    if types.is_timedelta64_dtype(column.dtype):
        return NUMBER
    if isinstance(column.dtype, _categorical_dtype()):
        return CATEGORY
    cells = column.dropna()
    if cells.empty:
        return NUMBER
    if all(isinstance(cell, bool | np.bool_) for cell in cells):
        return BOOLEAN
    first = cells.iloc[0]
    if isinstance(first, date):
        return DATE
    if hasattr(first, "isoformat"):
        raise DataError(
            f"column {name!r} holds times of day without a date. Turn them into numbers (such as hours) or "
            f"drop the column (drop=[{name!r}], on the command line --drop {name})."
        )
    if isinstance(first, list | tuple | dict | set | np.ndarray | bytes):
        raise DataError(f"column {name!r} holds {type(first).__name__} values, not numbers or text; drop it.")
    text = cells.astype(str)
    if are_dates(name, text):
        return DATE
    return _number_or_category(column, text)


def _number_or_category(column: pd.Series, text: pd.Series) -> str:
    import pandas as pd

    numeric = pd.to_numeric(text, errors="coerce").notna().to_numpy()
    if numeric.all():
        return NUMBER
    if numeric.mean() < _MOSTLY:
        return CATEGORY
    at = int(np.flatnonzero(column.notna())[np.flatnonzero(~numeric)[0]])
    raise _not_a_number(column, at)


def as_numbers(column: pd.Series) -> np.ndarray:
    """Cells as floats, missing ones as NaN, durations in days; text and infinities are errors."""
    import pandas as pd

    if pd.api.types.is_timedelta64_dtype(column.dtype):
        return column.dt.total_seconds().to_numpy(dtype=np.float64) / 86400
    plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf"
    numbers = column if plain else pd.to_numeric(column, errors="coerce")
    values = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    faulty = np.isnan(values) & column.notna().to_numpy()
    if faulty.any():
        at = int(np.flatnonzero(faulty)[0])
        raise _not_a_number(column, at)
    infinite = np.isinf(values)
    if infinite.any():
        row = row_number(column, int(np.flatnonzero(infinite)[0]))
        raise DataError(
            f"column {str(column.name)!r} holds {int(infinite.sum())} infinite value(s), the first in row "
            f"{row}; replace them by finite numbers or leave the cells empty and impute."
        )
    return values


def as_booleans(column: pd.Series) -> np.ndarray:
    """Cells as 1.0 and 0.0, missing ones as NaN; accepts true/false in words, and 0/1."""
    values = np.full(len(column), np.nan)
    for i, (cell, missing) in enumerate(zip(column, column.isna())):
        if missing:
            continue
        word = str(cell).strip().lower()
        if word not in _TRUE and word not in _FALSE:
            raise DataError(
                f"column {str(column.name)!r} held true/false in training but has {cell!r} in row "
                f"{row_number(column, i)}."
            )
        values[i] = word in _TRUE
    return values


def as_categories(column: pd.Series) -> list[str | None]:
    """Cells as stripped text, missing ones as None; 3.0 and 3 are the same category."""
    return [
        None if missing else category_name(cell)
        for cell, missing in zip(column.tolist(), column.isna().tolist())
    ]


def category_name(cell: object) -> str:
    """The text of one categorical cell.

    Examples
    --------
    >>> category_name(3.0), category_name(" red "), category_name(2.5)
    ('3', 'red', '2.5')
    """
    if isinstance(cell, float | np.floating) and float(cell).is_integer():
        return str(int(cell))
    return str(cell).strip()


def refuse_identifier(name: str, categories: Sequence[str], n_rows: int) -> None:
    """Refuse a text column in which most rows have a value of their own: a name or an id, not a feature."""
    n_categories = len(categories)
    if n_categories > _FEW_CATEGORIES and 2 * n_categories > n_rows:
        dressed = [text for text in categories if _DRESSED_NUMBER.match(text)]
        if len(dressed) >= _MOSTLY * n_categories:
            raise DataError(
                f"column {name!r} holds numbers with signs in them, such as {dressed[0]!r}; write plain "
                f"numbers (1234.5), or drop the column (drop=[{name!r}], on the command line --drop {name})."
            )
        raise DataError(
            f"column {name!r} has {n_categories} different texts in {n_rows} rows: it looks like an "
            f"identifier or free text. Drop it (drop=[{name!r}], on the command line --drop {name}), or list "
            "it in categorical= (--categorical) if it is a category after all."
        )


def notice_identifier(name: str, values: np.ndarray) -> None:
    """Warn of whole numbers, no two alike, that are named like an id or count the rows."""
    if len(values) <= _FEW_CATEGORIES or not (values == np.round(values)).all():
        return
    if len(np.unique(values)) == len(values) and (
        _IDENTIFIER.search(name.strip()) or (np.diff(values) == 1).all()
    ):
        warnings.warn(
            f"column {name!r} looks like an identifier (whole numbers, no two alike), but is used as a "
            f"feature; if it says nothing about the target, drop it (drop=[{name!r}], on the command line "
            f"--drop {name}).",
            DataNotice,
            stacklevel=5,
        )


def _not_a_number(column: pd.Series, position: int) -> DataError:
    return DataError(
        f"column {str(column.name)!r} is numeric but row {row_number(column, position)} holds "
        f"{str(column.iloc[position])!r}. Correct the cell, leave it empty to have it imputed, or list the "
        "column in categorical= (--categorical) if its values are codes."
    )


def _categorical_dtype():
    import pandas as pd

    return pd.CategoricalDtype
