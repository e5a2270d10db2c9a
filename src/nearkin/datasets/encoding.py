"""`TableEncoder`: the same numbers from the same columns, when a model is fitted and ever after."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nearkin.datasets.columns import (
    BOOLEAN,
    CATEGORY,
    NUMBER,
    as_booleans,
    as_categories,
    as_numbers,
    column_kind,
    notice_identifier,
    refuse_identifier,
)
from nearkin.datasets.errors import DataError, DataNotice, close_matches, shortened

if TYPE_CHECKING:
    import pandas as pd

IMPUTE_CHOICES = (None, "median")


@dataclass(frozen=True)
class ColumnCode:
    """How one column of a table becomes numbers.

    `fill` replaces a missing cell when imputing: the training median of numbers, the most frequent
    value of categories and booleans; None when the column was wholly missing.
    """

    name: str
    kind: str
    categories: tuple[str, ...] = ()
    fill: float | str | None = None

    @property
    def feature_names(self) -> tuple[str, ...]:
        if self.kind == CATEGORY:
            return tuple(f"{self.name}={category}" for category in self.categories)
        return (self.name,)


@dataclass(frozen=True)
class TableEncoder:
    """Fitted on a training table, encodes any table with those columns the same way.

    Numbers pass through; booleans become 0/1; a categorical column with b values becomes b columns
    ``name=value`` of zeros and ones. Columns are found by name, in any order; columns that were not
    there at fit time are ignored. A category never seen in training becomes all zeros, with a
    `DataNotice`. A missing cell is an error unless ``impute="median"``: then numbers get the training
    median and other columns their most frequent training value.

    Parameters
    ----------
    columns : tuple of ColumnCode
    impute : {None, 'median'}
    dtype : {'float64', 'float32'}
        float32 only if every column of the training table was float32 (or smaller).

    Notes
    -----
    One pass over the table; memory is the encoded matrix plus one column.

    Examples
    --------
    >>> import pandas as pd
    >>> train = pd.DataFrame({"size": [1.0, 2.5], "colour": ["red", "blue"]})
    >>> encoder = TableEncoder.fit(train)
    >>> encoder.feature_names
    ('size', 'colour=blue', 'colour=red')
    >>> encoder.encode(pd.DataFrame({"colour": ["red"], "size": [7]}))
    array([[7., 0., 1.]])
    >>> TableEncoder.from_dict(encoder.to_dict()) == encoder
    True
    """

    columns: tuple[ColumnCode, ...]
    impute: str | None = None
    dtype: str = "float64"

    @classmethod
    def fit(
        cls, table: pd.DataFrame, *, impute: str | None = None, categorical: Sequence[str] = ()
    ) -> TableEncoder:
        """Learn kinds, categories and fill values from a training table of features.

        `categorical` names numeric columns whose values are codes, not quantities.
        """
        if impute not in IMPUTE_CHOICES:
            raise DataError(f"impute is {impute!r}; it must be None or 'median'.")
        table = with_text_names(table)
        categorical = [categorical] if isinstance(categorical, str) else list(categorical)
        unknown = [name for name in categorical if name not in table.columns]
        if unknown:
            raise DataError(f"no column named {unknown[0]!r}.{close_matches(str(unknown[0]), table.columns)}")
        columns = tuple(_fit_column(table[name], forced=name in categorical) for name in table.columns)
        single = all(_fits_float32(table[code.name], code) for code in columns)
        encoder = cls(columns, impute, "float32" if single and columns else "float64")
        if impute is None:
            encoder._refuse_missing(table)
        empty = [code.name for code in columns if code.fill is None]
        if empty:
            raise DataError(f"nothing but missing values in column(s) {shortened(empty)}; drop them.")
        return encoder

    @classmethod
    def for_numbers(cls, names: Sequence[str], dtype: str = "float64") -> TableEncoder:
        """An encoder of plain numeric columns that refuses missing cells."""
        return cls(tuple(ColumnCode(str(name), NUMBER) for name in names), None, dtype)

    @property
    def input_columns(self) -> tuple[str, ...]:
        """Names of the columns a table must have."""
        return tuple(code.name for code in self.columns)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the encoded features, in order."""
        return tuple(name for code in self.columns for name in code.feature_names)

    def encode(self, table: pd.DataFrame) -> np.ndarray:
        """Rows of numbers for a table, one per row, in the order of `feature_names`."""
        table = with_text_names(table)
        self._refuse_absent(table)
        if self.impute is None:
            self._refuse_missing(table)
        encoded = np.zeros((len(table), len(self.feature_names)), dtype=self.dtype)
        start = 0
        for code in self.columns:
            stop = start + len(code.feature_names)
            _encode_column(code, table[code.name], encoded[:, start:stop])
            start = stop
        return encoded

    def to_dict(self) -> dict[str, Any]:
        """Plain state, ready for JSON."""
        columns = [
            {"name": c.name, "kind": c.kind, "categories": list(c.categories), "fill": c.fill}
            for c in self.columns
        ]
        return {"impute": self.impute, "dtype": self.dtype, "columns": columns}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> TableEncoder:
        """The encoder whose `to_dict` gave `state`; a damaged state is a `DataError`."""
        try:
            columns = tuple(
                ColumnCode(str(c["name"]), str(c["kind"]), tuple(str(v) for v in c["categories"]), c["fill"])
                for c in state["columns"]
            )
            impute, dtype = state["impute"], str(state["dtype"])
        except (KeyError, TypeError) as error:
            raise DataError(f"this is not the saved state of a table encoder: {error!r} is wrong.") from error
        kinds = {code.kind for code in columns}
        if (
            kinds - {NUMBER, CATEGORY, BOOLEAN}
            or dtype not in ("float64", "float32")
            or impute not in IMPUTE_CHOICES
        ):
            raise DataError("this is not the saved state of a table encoder: unknown kind of column.")
        return cls(columns, impute, dtype)

    def _refuse_absent(self, table: pd.DataFrame) -> None:
        present = set(table.columns)
        absent = [name for name in self.input_columns if name not in present]
        if not absent:
            return
        hint = close_matches(absent[0], present - set(self.input_columns))
        raise DataError(
            f"the table has no column(s) {shortened(absent)}, which the model was fitted with.{hint} "
            f"It has: {shortened(table.columns)}."
        )

    def _refuse_missing(self, table: pd.DataFrame) -> None:
        counts = {code.name: int(table[code.name].isna().sum()) for code in self.columns}
        holes = {name: count for name, count in counts.items() if count}
        if holes:
            listed = ", ".join(f"{name!r} ({count})" for name, count in list(holes.items())[:8])
            more = f" and {len(holes) - 8} more columns" if len(holes) > 8 else ""
            raise DataError(
                f"missing values in column(s) {listed}{more}. Fill them in with impute='median' "
                "(--impute median on the command line), or remove those rows or columns."
            )


def with_text_names(table: pd.DataFrame) -> pd.DataFrame:
    """The table with its column names as text, each of which must be there once only."""
    table = table.rename(columns=str)
    twice = table.columns[table.columns.duplicated()]
    if len(twice):
        raise DataError(
            f"the table has more than one column named {shortened(twice)}; give each its own name."
        )
    return table


def _fit_column(column: pd.Series, *, forced: bool) -> ColumnCode:
    name = str(column.name)
    kind = CATEGORY if forced else column_kind(column)
    if kind == NUMBER:
        values = as_numbers(column)
        known = values[~np.isnan(values)]
        notice_identifier(name, known)
        return ColumnCode(name, kind, (), float(np.median(known)) if known.size else None)
    if kind == BOOLEAN:
        flags = as_booleans(column)
        known = flags[~np.isnan(flags)]
        return ColumnCode(name, kind, (), float(known.mean() > 0.5) if known.size else None)
    cells = as_categories(column)
    categories, counts = np.unique([cell for cell in cells if cell is not None], return_counts=True)
    if not forced:
        refuse_identifier(name, categories.tolist(), len(cells))
    fill = str(categories[counts.argmax()]) if len(categories) else None
    return ColumnCode(name, kind, tuple(str(category) for category in categories), fill)


def _encode_column(code: ColumnCode, column: pd.Series, out: np.ndarray) -> None:
    """Write one column's features into `out`, a view of the encoded matrix."""
    if code.kind != CATEGORY:
        values = as_numbers(column) if code.kind == NUMBER else as_booleans(column)
        if code.fill is not None:
            values = np.where(np.isnan(values), code.fill, values)
        out[:, 0] = values
        return
    position = {category: i for i, category in enumerate(code.categories)}
    cells = [code.fill if cell is None else cell for cell in as_categories(column)]
    places = np.array([position.get(str(cell), -1) for cell in cells])
    known = places >= 0
    out[np.flatnonzero(known), places[known]] = 1.0
    if not known.all():
        strange = sorted({str(cell) for cell, seen in zip(cells, known) if not seen})
        warnings.warn(
            f"column {code.name!r} holds categories never seen in training ({shortened(strange)}); "
            "they are encoded as all zeros.",
            DataNotice,
            stacklevel=4,
        )


def _fits_float32(column: pd.Series, code: ColumnCode) -> bool:
    return code.kind == NUMBER and str(column.dtype).lower() in ("float32", "float16")
