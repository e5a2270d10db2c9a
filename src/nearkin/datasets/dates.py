"""Dates of a table: how they are read, and the numbers that stand for them in distances."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from nearkin.datasets.errors import DataError, row_number

if TYPE_CHECKING:
    import pandas as pd

_ISO = r"\d{4}[-/]\d{1,2}[-/]\d{1,2}([T ]\d.*)?"
_DOTTED = r"\d{1,2}\.\d{1,2}\.\d{4}( \d.*)?"
# 3/4/2024 is March 4 to some and April 3 to others; a file rarely says which.
_SLASHED = r"\d{1,2}/\d{1,2}/\d{4}( .*)?"
PARTS = ("year", "month", "day", "weekday")


def are_dates(name: str, text: pd.Series) -> bool:
    """Whether all cells are dates like 2024-12-31 or 31.12.2024, perhaps with a time of day."""
    cells = text.str.strip()
    slashed = cells.str.fullmatch(_SLASHED)
    alike = cells.str.fullmatch(_ISO) | cells.str.fullmatch(_DOTTED)
    if slashed.any() and (slashed | alike).all():
        raise DataError(
            f"column {name!r} holds dates such as {cells[slashed].iloc[0]!r}, where day and month cannot be "
            f"told apart with certainty. Write them as 2024-12-31, or drop the column (drop=[{name!r}], on "
            f"the command line --drop {name})."
        )
    return bool(alike.all())


def as_dates(column: pd.Series) -> np.ndarray:
    """Cells as datetime64 in UTC, missing ones as NaT; anything else is an error that names the cell."""
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        dates = pd.to_datetime(column, utc=True)
    else:
        text = pd.Series([None if cell is None else str(cell).strip() for cell in column], dtype="str")
        parse = partial(pd.to_datetime, errors="coerce", format="mixed", utc=True)
        dates = parse(text.where(text.str.fullmatch(_ISO)))
        dates = dates.fillna(parse(text.where(text.str.fullmatch(_DOTTED)), dayfirst=True))
    faulty = dates.isna().to_numpy() & column.notna().to_numpy()
    if faulty.any():
        row = int(np.flatnonzero(faulty)[0])
        raise DataError(
            f"column {str(column.name)!r} holds dates but row {row_number(column, row)} holds "
            f"{str(column.iloc[row])!r}. "
            "Correct the cell (2024-12-31), or leave it empty to have it imputed."
        )
    return dates.dt.tz_localize(None).to_numpy("datetime64[s]")


class DateParts(TransformerMixin, BaseEstimator):
    """Year, month, day of the month, day of the week (Monday is 0) and, if any is given, the hour.

    Attributes
    ----------
    parts_ : list of (str, tuple of str)
        Each column with the parts it gets.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"when": pd.to_datetime(["2024-02-29 06:30", "2024-03-01 00:00"])})
    >>> DateParts().fit_transform(table).tolist()
    [[2024.0, 2.0, 29.0, 3.0, 6.5], [2024.0, 3.0, 1.0, 4.0, 0.0]]
    """

    def fit(self, X: pd.DataFrame, y=None) -> DateParts:
        """Find out which columns hold times of day."""
        known = {str(name): X[name].dropna() for name in X.columns}
        timed = {name: bool((dates != dates.dt.normalize()).any()) for name, dates in known.items()}
        self.parts_ = [(name, (*PARTS, "hour") if timed[name] else PARTS) for name in known]
        return self

    def transform(self, X: pd.DataFrame) -> np.ndarray:
        """The parts of each column as floats, side by side; NaN where a date is missing."""
        check_is_fitted(self)
        found = []
        for name, parts in self.parts_:
            times = X[name].dt
            numbers = {
                "year": times.year,
                "month": times.month,
                "day": times.day,
                "weekday": times.day_of_week,
                "hour": times.hour + times.minute / 60 + times.second / 3600,
            }
            found += [numbers[part].to_numpy(dtype=np.float64, na_value=np.nan) for part in parts]
        return np.column_stack(found)

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """``column.part`` for each."""
        return np.array([f"{name}.{part}" for name, parts in self.parts_ for part in parts], dtype=object)
