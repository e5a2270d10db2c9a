"""What candidates are compared on: the data, and the metric that ranks them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nearkin._types import MatrixLike
from nearkin.datasets.dataset import take_rows
from nearkin.datasets.targets import task_of_array
from nearkin.evaluation.fingerprints import array_digest, digest
from nearkin.evaluation.metrics import ACCURACY, ARRMSE, CLASSIFICATION, REGRESSION, Metric


def default_metric(task: str) -> Metric:
    """Accuracy for labels and aRRMSE for numbers."""
    return ACCURACY if task == CLASSIFICATION else ARRMSE


@dataclass(frozen=True, eq=False)
class Problem:
    """A prediction problem: features, targets and the task that they imply.

    Parameters
    ----------
    name : str
        Shown in results.
    X : array, CSR matrix or data frame of n rows
    y : array of n labels, or of one or several numeric targets
    task : {"auto", "classification", "regression"}
    metric : Metric, optional
        What models are ranked by: accuracy for labels and aRRMSE for numbers by default.
    """

    name: str
    X: Any
    y: np.ndarray
    task: str = "auto"
    metric: Metric = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        y = np.asarray(self.y)
        if self.X.shape[0] != len(y):
            raise ValueError(f"X has {self.X.shape[0]} rows but y has {len(y)}.")
        object.__setattr__(self, "y", y)
        object.__setattr__(self, "task", task_of_array(y)[0] if self.task == "auto" else self.task)
        if self.task not in (CLASSIFICATION, REGRESSION):
            raise ValueError(f"task={self.task!r}: expected 'auto', 'classification' or 'regression'.")
        if self.metric is None:
            object.__setattr__(self, "metric", default_metric(self.task))
        if self.metric.task != self.task:
            raise ValueError(f"{self.metric.name} is for {self.metric.task}, but the task is {self.task}.")

    @cached_property
    def fingerprint(self) -> str:
        other_metric = [] if self.metric.name == default_metric(self.task).name else [self.metric.name]
        return digest([array_digest(self.X), array_digest(self.y), self.task, *other_metric])

    def rows(self, rows: np.ndarray) -> tuple[MatrixLike, np.ndarray]:
        """Features and targets of some rows, as copies in memory."""
        X = take_rows(self.X, rows)
        # Data handed to workers is memory-mapped; estimators should see plain arrays.
        X = np.asarray(X) if isinstance(X, np.ndarray) else X
        return X, np.asarray(self.y[rows])
