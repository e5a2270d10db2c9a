"""From a pandas table to a `Dataset`: its targets, and the encoder that turns the rest into numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nearkin.datasets.columns import CATEGORY, DATE, NUMBER, as_numbers
from nearkin.datasets.dataset import Dataset
from nearkin.datasets.dates import as_dates
from nearkin.datasets.encoding import TableEncoder, as_table, notice_dates, notice_rare
from nearkin.datasets.errors import DataError, close_matches, shortened
from nearkin.datasets.targets import choose_targets, target_of

if TYPE_CHECKING:
    import pandas as pd


def dataset_from_table(
    table: pd.DataFrame,
    name: str = "table",
    *,
    target: str | Sequence[str] | None = None,
    task: str | None = None,
    impute: str | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    source: str = "",
) -> Dataset:
    """A `Dataset` from a table held in memory; see `load_dataset` for the parameters.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1.0, 2.0, 3.0], "warm": [True, False, True], "kind": ["a", "b", "a"]})
    >>> data = dataset_from_table(table, "toy", target="kind")
    >>> data.feature_names, data.y.tolist()
    (('size', 'warm'), ['a', 'b', 'a'])
    """
    attrs = dict(table.attrs)
    table = as_table(table)
    drop = [drop] if isinstance(drop, str) else list(drop)
    for column in drop:
        if column not in table.columns:
            raise DataError(f"cannot drop {column!r}: no such column.{close_matches(column, table.columns)}")
    table = table.drop(columns=drop)
    if len(table) == 0 or table.shape[1] == 0:
        raise DataError(f"{name} has no data: {len(table)} rows and {table.shape[1]} columns.")
    targets = choose_targets(list(table.columns), target if target is not None else attrs.get("targets"))
    features = table.drop(columns=targets)
    if features.shape[1] == 0:
        raise DataError(
            f"{name} has no feature columns besides the target ({', '.join(targets)}); if the file is not "
            "separated by commas, semicolons, tabs or bars, save it as CSV."
        )
    chosen = target_of(table, targets, task)
    X, encoder = table_features(features, impute=impute, categorical=categorical)
    return Dataset(
        name=name,
        X=X,
        y=chosen.values,
        task=chosen.task,
        task_reason=chosen.reason,
        feature_names=tuple(features.columns),
        target_names=tuple(targets),
        source=source,
        encoder=encoder,
    )


def table_features(features: pd.DataFrame, *, impute: str | None = None, categorical: Sequence[str] = ()):
    """Features for a `Dataset` and their unfitted encoder, or plain numbers and None.

    All rows are looked at, to refuse now what no model could use and to settle what each column
    holds; what is learnt from values is left to the encoder, once it sees training rows.
    """
    empty = [name for name in features.columns if features[name].isna().all()]
    if empty:
        raise DataError(f"nothing but missing values in column(s) {shortened(empty)}; drop them.")
    looked = TableEncoder(impute, categorical).fit(features)
    notice_rare(looked, categorical)
    notice_dates(looked)
    if impute is None and set(looked.kinds_.values()) == {NUMBER}:
        return looked.transform(features), None
    numbers = [name for name, kind in looked.kinds_.items() if kind == NUMBER]
    texts = {name: as_numbers(features[name]) for name in numbers if features[name].dtype.kind not in "iuf"}
    dates = {name: as_dates(features[name]) for name, kind in looked.kinds_.items() if kind == DATE}
    features = features.assign(**texts, **dates)
    codes = tuple(name for name, kind in looked.kinds_.items() if kind == CATEGORY)
    return features, TableEncoder(impute, codes)
