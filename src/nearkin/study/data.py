"""Turns what a user has (arrays, CSR rows, a data frame, a `Dataset`) into a `Dataset` to compare on."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse

from nearkin._types import ColumnLike, MatrixLike
from nearkin.datasets import DataError, Dataset, dataset_from_table
from nearkin.datasets.encoding import as_table
from nearkin.datasets.targets import target_of, task_of_array

#: Fewer rows leave nothing to train or to test on once settings are tuned inside the folds.
FEWEST_ROWS = 6


def as_dataset(
    X: MatrixLike,
    y: ColumnLike | None = None,
    *,
    task: str | None = None,
    name: str = "data",
    impute: str | None = None,
) -> Dataset:
    """The rows X and targets y as a `Dataset`.

    Parameters
    ----------
    X : array, CSR matrix, data frame or Dataset
        Columns of a frame are encoded as in `nearkin.datasets.dataset_from_table`.
    y : labels or one or several numeric targets; left out if X is a Dataset
    task : {"classification", "regression"}, optional
        Chosen by the type of the target if not given.
    name : str
        Shown in results.
    impute : {"median", "mean", "most-frequent", "knn"}, optional
        What fills missing cells of a frame or dense array; without it they are an error.

    Examples
    --------
    >>> print(as_dataset([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], ["a", "b", "a"], name="toy"))
    toy: 3 rows, 2 features, 2 classes
    """
    if isinstance(X, Dataset):
        if any(given is not None for given in (y, task, impute)):
            raise TypeError("X is a Dataset with targets and task of its own: leave out y, task and impute.")
        data = X
    elif y is None:
        raise TypeError("y is missing: give labels or targets, or a Dataset that has them.")
    elif hasattr(X, "columns") or (impute is not None and not sparse.issparse(X)):
        data = _from_frame(X, y, task, name, impute)
    else:
        X = X if hasattr(X, "shape") else np.asarray(X)
        targets, names = np.asarray(y), tuple(map(str, getattr(y, "columns", ())))
        if targets.ndim > 1 and (targets.dtype.kind not in "iuf" or task == "classification"):
            import pandas as pd

            table = pd.DataFrame(targets, columns=names or [f"y{i + 1}" for i in range(targets.shape[1])])
            names = tuple(table.columns)
            targets, task, reason = target_of(table.infer_objects(), names, task)
        else:
            task, reason = (task, "") if task else task_of_array(targets)
        data = Dataset(name, X, targets, task, target_names=names, task_reason=reason)
    refuse_nothing_to_learn(data)
    _tell_of_constant_targets(data)
    return data


def _from_frame(X: MatrixLike, y: ColumnLike, task: str | None, name: str, impute: str | None) -> Dataset:
    import pandas as pd

    X = X.to_pandas() if hasattr(X, "to_pandas") else as_table(X)
    if X.shape[0] != len(y):
        raise DataError(f"X has {X.shape[0]} rows but y has {len(y)}.")
    targets = pd.DataFrame(y if hasattr(y, "columns") else np.asarray(y))
    named = list(y.columns) if hasattr(y, "columns") else [getattr(y, "name", None) or "target"]
    if len(named) != targets.shape[1]:
        named = [f"target {i + 1}" for i in range(targets.shape[1])]
    # A target may have the name of a column, as a series taken from the same table often has.
    targets.columns = [f"{column} (target)" if column in X.columns else str(column) for column in named]
    table = pd.concat([X.reset_index(drop=True), targets], axis=1)
    return dataset_from_table(table, name, target=list(targets.columns), task=task, impute=impute)


def refuse_nothing_to_learn(data: Dataset) -> None:
    """Refuse targets that never vary: learners accept them, but here they mean the wrong file or column."""
    names = ", ".join(data.target_names)
    if data.n_samples < 2:
        raise DataError(f"{data.name} has a single row; learning and testing need several.")
    if data.task == "classification" and data.n_classes < 2:
        raise DataError(
            f"the target ({names}) is {data.class_names[0]!r} in every row, so there is nothing to predict; "
            "choose another target or add rows of another class."
        )
    if data.task == "regression" and (data.y == data.y[0]).all():
        raise DataError(
            f"the target ({names}) is the same in every row, so there is nothing to predict; choose another "
            "target."
        )


def refuse_too_few_rows(data: Dataset) -> None:
    """Refuse to compare on rows that cannot be split for training, tuning and testing."""
    if data.n_samples < FEWEST_ROWS:
        raise DataError(
            f"{data.name} has only {data.n_samples} rows; a comparison trains, tunes and tests on different "
            f"ones and needs at least {FEWEST_ROWS} (dozens to show anything). `nearkin fit` takes fewer."
        )
    if data.task == "classification" and np.unique(data.y, return_counts=True)[1].max() < 2:
        raise DataError(
            f"every row of {data.name} has a class of its own, so none can be both learned and tested; "
            "choose another target, or regression as the task."
        )


def default_folds(data: Dataset) -> int:
    """10 folds up to 2,000 rows and 5 above, but not so many that a fold tests a single class.

    In such a fold, always predicting that class would have a balanced accuracy of 100 %.

    Examples
    --------
    >>> default_folds(as_dataset(np.zeros((100, 1)), np.arange(100) < 3))
    3
    """
    folds = 10 if data.n_samples <= 2000 else 5
    if data.task != "classification":
        return folds
    second = int(np.sort(np.unique(data.y, return_counts=True)[1])[-2])
    return min(folds, max(2, second))


def _tell_of_constant_targets(data: Dataset) -> None:
    """Warn of targets without an RRMSE; learners do so too, but nobody sees the warnings of workers."""
    targets = data.y.reshape(data.n_samples, -1)
    constant = [name for name, column in zip(data.target_names, targets.T) if (column == column[0]).all()]
    if data.task == "regression" and constant:
        warnings.warn(
            f"target(s) {', '.join(constant)} are the same in every row: their RRMSE is undefined, and "
            "aRRMSE is the mean over the others.",
            stacklevel=4,
        )
