"""Encoders of model files from before the encoder became the first step of the pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nearkin.datasets.columns import BOOLEAN, CATEGORY, NUMBER
from nearkin.datasets.encoding import TableEncoder
from nearkin.datasets.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


def encoder_from_state(state: Mapping[str, Any]) -> TableEncoder:
    """The fitted encoder that such a file describes; a damaged description is a `DataError`.

    It is fitted on a small made-up table with the medians, most frequent values and categories of the
    description.

    Examples
    --------
    >>> column = {"name": "hue", "kind": "category", "categories": ["blue", "red"], "fill": "red"}
    >>> encoder = encoder_from_state({"impute": None, "dtype": "float64", "columns": [column]})
    >>> encoder.get_feature_names_out().tolist()
    ['hue=blue', 'hue=red']
    """
    try:
        columns, impute, dtype = state["columns"], state["impute"], state["dtype"]
        kinds = {str(column["name"]): column["kind"] for column in columns}
        if set(kinds.values()) - {NUMBER, CATEGORY, BOOLEAN} or dtype not in ("float64", "float32"):
            raise ValueError("unknown kind of column")
        table = _table_like(columns, dtype)
        categorical = tuple(name for name, kind in kinds.items() if kind == CATEGORY)
        return TableEncoder(impute, categorical, max_categories=None).fit(table)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"this is not the saved state of a table encoder: {error!r}.") from error


def _table_like(columns, dtype: str) -> pd.DataFrame:
    import pandas as pd

    # Every category once, and the one that fills missing cells often enough to be the most frequent.
    n_rows = 2 + max((len(column["categories"]) for column in columns), default=0)
    cells = {}
    for column in columns:
        fill = 0.0 if column["fill"] is None else column["fill"]
        if column["kind"] == CATEGORY:
            categories = [str(category) for category in column["categories"]]
            values: Any = categories + [str(column["fill"])] * (n_rows - len(categories))
        elif column["kind"] == BOOLEAN:
            values = [bool(fill)] * n_rows
        else:
            values = pd.Series([float(fill)] * n_rows, dtype=dtype)
        cells[str(column["name"])] = values
    return pd.DataFrame(cells)
