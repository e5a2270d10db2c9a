"""Which columns are to be predicted, and whether that is classification or regression."""

from __future__ import annotations

import fnmatch
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nearkin.datasets.columns import (
    BOOLEAN,
    CATEGORY,
    NUMBER,
    as_booleans,
    as_categories,
    as_numbers,
    column_kind,
)
from nearkin.datasets.dataset import CLASSIFICATION, REGRESSION, TASKS
from nearkin.datasets.errors import DataError, DataNotice, close_matches, shortened

if TYPE_CHECKING:
    import pandas as pd

_USUAL_NAMES = ("target", "class", "label", "y")
# Up to this many different whole numbers are always classes; more must look like labels.
FEW_VALUES = 20
ROWS_PER_CLASS = 3
# A task that was given needs no reason.
ASKED_FOR = ""
#: Between the labels of one row where several targets of text are predicted together.
AND = " & "


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
    for wanted in [target] if isinstance(target, str) else list(target):
        chosen += [name for name in _matching(str(wanted), columns) if name not in chosen]
    return chosen


def _matching(wanted: str, columns: list[str]) -> list[str]:
    if wanted in columns:
        return [wanted]
    if any(sign in wanted for sign in "*?["):
        found = fnmatch.filter(columns, wanted) if "," not in wanted else []
        if found:
            return found
    if "," in wanted:
        return [name for part in wanted.split(",") for name in _matching(part.strip(), columns)]
    raise DataError(
        f"there is no target column {wanted!r}.{close_matches(wanted, columns)} The columns are: "
        f"{shortened(columns, 12)}."
    )


class Target(NamedTuple):
    """Values to predict, the task that they imply, and why, as a text for users."""

    values: np.ndarray
    task: str
    reason: str


def target_of(table: pd.DataFrame, names: Sequence[str], task: str | None = None) -> Target:
    """The target in the named columns of a table.

    Text, categories and booleans are classes; numbers as told by `task_of_numbers`. Several columns of
    numbers are regression; several with text among them are classification, the classes being the
    combinations of labels that occur (``red & large``). A given `task` overrides.
    """
    check_task(task)
    for name in names:
        holes = np.flatnonzero(table[name].isna())
        if holes.size:
            raise DataError(
                f"target column {name!r} has {holes.size} missing value(s), the first in row {holes[0] + 1}; "
                "targets are never imputed, remove those rows."
            )
    if len(names) > 1:
        texts = [name for name in names if column_kind(table[name]) == CATEGORY]
        if task == CLASSIFICATION or (texts and task is None):
            return _combined(table, names, task)
        values = np.column_stack([_measurements(table[name]) for name in names])
        return Target(values, REGRESSION, f"there are {len(names)} targets")
    column = table[names[0]]
    if task == REGRESSION:
        return Target(_measurements(column), REGRESSION, ASKED_FOR)
    kind = CATEGORY if task == CLASSIFICATION and not _is_numeric(column) else column_kind(column)
    if kind == NUMBER:
        return _numeric_target(column, task)
    if kind == BOOLEAN:
        values, reason = as_booleans(column).astype(bool), f"target {names[0]!r} holds true and false"
    else:
        values = np.array(as_categories(column), dtype=str)
        reason = f"target {names[0]!r} holds {len(np.unique(values))} different texts"
    return Target(values, CLASSIFICATION, ASKED_FOR if task else reason)


def _combined(table: pd.DataFrame, names: Sequence[str], task: str | None) -> Target:
    """Several targets of labels as one: every combination is a class."""
    for name in names:
        if target_of(table, [name], task).task == REGRESSION:
            raise DataError(
                f"of the targets some hold text, but {name!r} holds measurements; predict the ones or the "
                f"others (--target), or make classes of {name!r}."
            )
    values = combined_labels([as_categories(table[name]) for name in names])
    distinct = len(np.unique(values))
    if len(values) < ROWS_PER_CLASS * distinct:
        raise DataError(
            f"the targets {shortened(list(names), 3)} have {distinct} combinations in {len(values)} rows, "
            f"too few rows of each to learn from; predict one target at a time, as in --target {names[0]}."
        )
    reason = f"the {len(names)} targets hold labels, of which {distinct} combinations are the classes"
    return Target(values, CLASSIFICATION, ASKED_FOR if task else reason)


def combined_labels(columns: Sequence[Sequence]) -> np.ndarray:
    """Labels of several columns as one label for each row.

    >>> combined_labels([["red", "blue"], ["large", "small"]]).tolist()
    ['red & large', 'blue & small']
    """
    if len(columns) == 1:
        return np.array(columns[0], dtype=str)
    for label in {str(label) for column in columns for label in column}:
        if AND in label:
            raise DataError(f"the label {label!r} holds {AND!r}, which joins labels here; rename it.")
    return np.array([AND.join(map(str, row)) for row in zip(*columns)], dtype=str)


def task_of_numbers(values: np.ndarray, name: str = "y") -> tuple[str, str]:
    """Whether numbers ask for classification or regression, and why.

    Fractions are regression. Whole numbers are classes if there are at most 20 different ones, or if
    they are numbered consecutively from 0 or 1, with at least three rows each on average, as labels are;
    else they are counts, prices or ages, and regression.

    Examples
    --------
    >>> task_of_numbers(np.array([0, 1, 1, 0]))
    ('classification', "target 'y' holds 2 different whole numbers")
    >>> task_of_numbers(np.arange(100, 200), "price")
    ('regression', "target 'price' holds 100 different whole numbers, not numbered consecutively")
    """
    values = np.asarray(values)
    if not (values == np.round(values)).all():
        return REGRESSION, f"target {name!r} holds fractions"
    distinct = np.unique(values)
    found = f"target {name!r} holds {len(distinct)} different whole numbers"
    if len(distinct) <= FEW_VALUES:
        return CLASSIFICATION, found
    if distinct[0] not in (0, 1) or distinct[-1] - distinct[0] != len(distinct) - 1:
        return REGRESSION, f"{found}, not numbered consecutively"
    if len(values) < ROWS_PER_CLASS * len(distinct):
        return REGRESSION, f"{found} in {len(values)} rows"
    return CLASSIFICATION, f"{found}, numbered consecutively from {distinct[0]:g}"


def task_of_array(y: np.ndarray, name: str = "y") -> tuple[str, str]:
    """Whether an array of targets asks for classification or regression, and why.

    >>> task_of_array(np.array(["a", "b"]))
    ('classification', "target 'y' holds 2 different labels")
    """
    numeric = y.dtype.kind in "iuf"
    if y.ndim == 2 and numeric:
        return REGRESSION, f"there are {y.shape[1]} targets"
    if y.ndim != 1:
        raise DataError(f"targets of shape {y.shape} are neither labels nor numbers to predict.")
    if not numeric:
        return CLASSIFICATION, f"target {name!r} holds {len(np.unique(y))} different labels"
    if not np.isfinite(y).all():
        raise DataError(f"{name} holds missing or infinite values; remove those rows.")
    return task_of_numbers(y, name)


def check_task(task: str | None) -> None:
    """Refuse what is neither None nor a task."""
    if task is not None and task not in TASKS:
        raise DataError(f"task is {task!r}; it must be 'classification' or 'regression'.")


def _numeric_target(column: pd.Series, task: str | None) -> Target:
    values = as_numbers(column)
    found, reason = (task, ASKED_FOR) if task else task_of_numbers(values, str(column.name))
    if found == CLASSIFICATION and not (values == np.round(values)).all():
        values = _fractions_as_classes(column, values)
    elif found == CLASSIFICATION and np.abs(values).max() < 2**53:
        values = values.astype(np.int64)
    return Target(values, found, reason)


def _fractions_as_classes(column: pd.Series, values: np.ndarray) -> np.ndarray:
    """Grades such as 1.5 and 2.5 as text; measurements, most of which differ, are refused."""
    distinct = len(np.unique(values))
    if 2 * distinct > len(values):
        raise DataError(
            f"target column {str(column.name)!r} has {distinct} different fractions in {len(values)} rows, "
            "which cannot be classes; leave out the task (it is regression) or sort them into a few classes."
        )
    return np.array(as_categories(column), dtype=str)


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
