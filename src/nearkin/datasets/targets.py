"""Which columns are to be predicted, and whether that is classification or regression."""

from __future__ import annotations

import fnmatch
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nearkin.datasets.columns import BOOLEAN, CATEGORY, as_booleans, as_categories, as_numbers, column_kind
from nearkin.datasets.dataset import CLASSIFICATION, REGRESSION, TASKS
from nearkin.datasets.errors import DataError, DataNotice, close_matches, shortened

if TYPE_CHECKING:
    import pandas as pd

_USUAL_NAMES = ("target", "class", "label", "y")
# Whole numbers with more values than this, mostly one per row, are measurements rather than classes.
_MANY_VALUES = 20


def choose_targets(columns: Sequence[str], target: str | Sequence[str] | None) -> list[str]:
    """Names of the target columns.

    `target` is a column name, a pattern such as ``Y*``, several of these separated by commas, or a
    list. Without it: a column called target, class, label or y; else the last one, with a notice.

    Examples
    --------
    >>> choose_targets(["a", "Y1", "Y2"], "Y*")
    ['Y1', 'Y2']
    """
    columns = [str(name) for name in columns]
    if target is None:
        usual = [name for name in columns if name.strip().lower() in _USUAL_NAMES]
        if len(usual) == 1:
            return usual
        warnings.warn(
            f"no target column was named; the last one, {columns[-1]!r}, is taken.", DataNotice, stacklevel=4
        )
        return [columns[-1]]
    chosen: list[str] = []
    for wish in [target] if isinstance(target, str) else list(target):
        chosen += [name for name in _matching(str(wish), columns) if name not in chosen]
    return chosen


def _matching(wish: str, columns: list[str]) -> list[str]:
    if wish in columns:
        return [wish]
    if any(sign in wish for sign in "*?["):
        found = fnmatch.filter(columns, wish) if "," not in wish else []
        if found:
            return found
    if "," in wish:
        return [name for part in wish.split(",") for name in _matching(part.strip(), columns)]
    raise DataError(
        f"there is no target column {wish!r}.{close_matches(wish, columns)} The columns are: "
        f"{shortened(columns, 12)}."
    )


def target_values(table: pd.DataFrame, names: Sequence[str], task: str | None) -> tuple[np.ndarray, str]:
    """Target array and task of the named columns.

    Text, categories and booleans are classes; numbers as told by `task_of_numbers`. Several columns
    must all be numbers and are regression.
    """
    if task is not None and task not in TASKS:
        raise DataError(f"task is {task!r}; it must be 'classification' or 'regression'.")
    for name in names:
        holes = np.flatnonzero(table[name].isna())
        if holes.size:
            raise DataError(
                f"target column {name!r} has {holes.size} missing value(s), the first in row {holes[0] + 1}; "
                "targets are never imputed, remove those rows."
            )
    if len(names) > 1:
        if task == CLASSIFICATION:
            raise DataError(f"classification takes one target column, but {len(names)} were named.")
        return np.column_stack([_measurements(table[name]) for name in names]), REGRESSION
    column = table[names[0]]
    if task == REGRESSION:
        return _measurements(column), REGRESSION
    kind = CATEGORY if task == CLASSIFICATION and not _is_numeric(column) else column_kind(column)
    if kind == CATEGORY:
        return np.array(as_categories(column), dtype=str), CLASSIFICATION
    if kind == BOOLEAN:
        return as_booleans(column).astype(bool), CLASSIFICATION
    values = as_numbers(column)
    whole = bool((values == np.round(values)).all())
    task = task or task_of_numbers(values, str(names[0]))
    if task == CLASSIFICATION and not whole:
        return _fractions_as_classes(column, values), task
    if task == CLASSIFICATION and np.abs(values).max() < 2**53:
        return values.astype(np.int64), task
    return values, task


def _fractions_as_classes(column: pd.Series, values: np.ndarray) -> np.ndarray:
    """Grades such as 1.5 and 2.5 as text; measurements, most of them different, are refused."""
    distinct = len(np.unique(values))
    if 2 * distinct > len(values):
        raise DataError(
            f"target column {str(column.name)!r} has {distinct} different fractions in {len(values)} rows, "
            "which cannot be classes; leave out the task (it is regression) or sort them into a few classes."
        )
    return np.array(as_categories(column), dtype=str)


def task_of_numbers(values: np.ndarray, name: str) -> str:
    """Regression for fractions, and for whole numbers of which most rows have one of their own."""
    values = np.asarray(values)
    distinct = len(np.unique(values))
    if not (values == np.round(values)).all():
        return REGRESSION
    if distinct > _MANY_VALUES and 2 * distinct > len(values):
        warnings.warn(
            f"target {name!r} has {distinct} different whole numbers in {len(values)} rows: taken as "
            "regression (task='classification' overrides).",
            DataNotice,
            stacklevel=4,
        )
        return REGRESSION
    return CLASSIFICATION


def _is_numeric(column: pd.Series) -> bool:
    from pandas.api import types

    return types.is_numeric_dtype(column.dtype)


def _measurements(column: pd.Series) -> np.ndarray:
    kind = column_kind(column)
    if kind == CATEGORY:
        raise DataError(
            f"target column {str(column.name)!r} is not numeric, so it cannot be a regression target."
        )
    return as_booleans(column) if kind == BOOLEAN else as_numbers(column)
