"""What is compared on what: a problem (data and score) and its candidates (estimators and grids)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import ParameterGrid

from nearkin._types import MatrixLike
from nearkin.datasets.dataset import take_rows
from nearkin.datasets.targets import task_of_array
from nearkin.evaluation.fingerprints import array_digest, describe, digest
from nearkin.evaluation.metrics import ACCURACY, ARRMSE, CLASSIFICATION, REGRESSION, Metric


def usual_metric(task: str) -> Metric:
    """Accuracy for labels and aRRMSE for numbers."""
    return ACCURACY if task == CLASSIFICATION else ARRMSE


@dataclass(frozen=True, eq=False)
class Problem:
    """Data to predict: features, targets and the task they ask for.

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
            object.__setattr__(self, "metric", usual_metric(self.task))
        if self.metric.task != self.task:
            raise ValueError(f"{self.metric.name} is for {self.metric.task}, but the task is {self.task}.")

    @cached_property
    def fingerprint(self) -> str:
        other_metric = [] if self.metric.name == usual_metric(self.task).name else [self.metric.name]
        return digest([array_digest(self.X), array_digest(self.y), self.task, *other_metric])

    def rows(self, rows: np.ndarray) -> tuple[MatrixLike, np.ndarray]:
        """Features and targets of some rows, as copies in memory."""
        X = take_rows(self.X, rows)
        # Data handed to workers is memory-mapped; estimators should see plain arrays.
        X = np.asarray(X) if isinstance(X, np.ndarray) else X
        return X, np.asarray(self.y[rows])


@dataclass(frozen=True)
class Candidate:
    """One competitor: an unfitted estimator and the settings to choose among.

    Parameters
    ----------
    label : str
        Unique name, shown in results.
    estimator : scikit-learn estimator
        Typically a pipeline of a scaler and a nearest-neighbour predictor. Whatever it fits
        (scaling, PCA, metric) is fitted on training rows only.
    grid : dict of parameter name to list of values, or list of such dicts
        Settings to choose among inside the training part; empty for none.
    predict_time : tuple of str
        Parameters of the grid that can change after `fit` (such as the number of neighbours), so
        that tuning need not fit again for them.
    setting : dict
        Parameters fixed for this candidate, recorded with its results.
    reference : bool
        Marks a non-neighbour model shown for orientation; it is never picked as the winner.
    every_setting : bool
        Score each setting of the grid on the test rows instead of choosing one inside the training
        rows. The best of such scores is optimistic: it is for papers that print it.
    stand_in : Candidate, optional
        One that is quick to fit, such as plain Euclid, whose grid holds settings that this candidate knows
        too, such as the number of neighbours: without tuning of its own it takes those chosen for the
        stand-in inside the training rows, so that it is not behind for want of tuning alone.
    """

    label: str
    estimator: BaseEstimator
    grid: Mapping | Sequence[Mapping] = field(default_factory=dict)
    predict_time: tuple[str, ...] = ()
    setting: Mapping = field(default_factory=dict)
    reference: bool = False
    every_setting: bool = False
    stand_in: Candidate | None = None

    @property
    def n_settings(self) -> int:
        return len(ParameterGrid(self.grid)) if self.grid else 1

    @property
    def n_fits(self) -> int:
        """Settings that need a fit of their own."""
        grids = [self.grid] if isinstance(self.grid, Mapping) else list(self.grid)
        kept = [{name: grid[name] for name in grid if name not in self.predict_time} for grid in grids]
        return len(ParameterGrid(kept))

    def signature(self) -> dict:
        """JSON-ready description of everything that can change its results."""
        signature = {
            "estimator": describe(self.estimator),
            "grid": describe(self.grid),
            "setting": describe(self.setting),
            "predict_time": sorted(self.predict_time),
        }
        if self.stand_in is not None and not self.grid:
            signature["stand_in"] = self.stand_in.signature()
        return signature | ({"every_setting": True} if self.every_setting else {})

    def untuned(self) -> Candidate:
        """The same candidate without its grid; what its stand-in chooses is all that is chosen."""
        return replace(self, grid={}, predict_time=())

    def expand(self) -> Iterator[Candidate]:
        """One candidate per setting of the grid."""
        for setting in ParameterGrid(self.grid) if self.grid else [{}]:
            yield replace(self, grid={}, predict_time=(), setting={**self.setting, **setting})
