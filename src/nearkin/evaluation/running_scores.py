"""Scores of predictions with known answers, accumulated as sums so that rows may come block by block."""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from nearkin.evaluation.regression_error import mean_where_defined, rrmse_of_sums


class LabelScores:
    """Accuracy, balanced accuracy and macro F1; memory is a count for each pair of true and predicted label.

    Examples
    --------
    >>> scores = LabelScores()
    >>> scores.add(["a", "b"], ["a", "b"])
    >>> scores.add(["b", "b"], ["b", "a"])
    >>> scores.n_rows, scores.scores()["accuracy"]
    (4, 0.75)
    """

    def __init__(self) -> None:
        self._counts: Counter[tuple] = Counter()

    @property
    def n_rows(self) -> int:
        return self._counts.total()

    def add(self, true, predicted) -> None:
        """Take the answers and predictions of some rows."""
        self._counts.update(zip(np.asarray(true).tolist(), np.asarray(predicted).tolist(), strict=True))

    def scores(self) -> dict[str, float]:
        """Over all rows added."""
        true, predicted = zip(*self._counts)
        counts = list(self._counts.values())
        with warnings.catch_warnings():
            # A class may be predicted that none of these rows has.
            warnings.simplefilter("ignore", UserWarning)
            f1 = f1_score(true, predicted, average="macro", zero_division=0, sample_weight=counts)
            return {
                "accuracy": float(accuracy_score(true, predicted, sample_weight=counts)),
                "balanced accuracy": float(balanced_accuracy_score(true, predicted, sample_weight=counts)),
                "macro F1": float(f1),
            }


class NumberScores:
    """aRRMSE, R2 and mean absolute error, averaged over the targets; memory is a few sums per target.

    Parameters
    ----------
    y_train_mean : float or array, optional
        Mean of each target over the training rows; without it there is no aRRMSE.

    Examples
    --------
    >>> scores = NumberScores()
    >>> scores.add([1.0, 2.0], [1.0, 2.5])
    >>> scores.scores()["MAE"]
    0.25
    """

    def __init__(self, y_train_mean=None) -> None:
        self._train_mean = y_train_mean
        self.n_rows = 0
        # Sums for each target; arrays from the first block on.
        self._mean = self._squares = self._spread = self._residual = self._absolute = self._largest = (
            np.zeros(1)
        )

    def add(self, true, predicted) -> None:
        """Take the answers and predictions of some rows."""
        true = np.asarray(true, dtype=float).reshape(len(true), -1)
        errors = true - np.asarray(predicted, dtype=float).reshape(true.shape)
        n, mean = self.n_rows + len(true), true.mean(axis=0)
        # Chan's update: squares about the mean of all rows from those about the means of the blocks.
        shift = mean - self._mean
        self._squares = (
            self._squares
            + np.square(true - mean).sum(axis=0)
            + np.square(shift) * self.n_rows * len(true) / n
        )
        self._mean = self._mean + shift * len(true) / n
        self._residual = self._residual + np.square(errors).sum(axis=0)
        self._absolute = self._absolute + np.abs(errors).sum(axis=0)
        self._largest = np.maximum(self._largest, np.abs(true).max(axis=0))
        if self._train_mean is not None:
            self._spread = self._spread + np.square(true - self._train_mean).sum(axis=0)
        self.n_rows = n

    def scores(self) -> dict[str, float]:
        """Over all rows added."""
        found = {}
        if self._train_mean is not None:
            relative = rrmse_of_sums(self._residual, self._spread, self._largest, self.n_rows)
            found["aRRMSE"] = mean_where_defined(relative)
        if self.n_rows > 1:
            # Of a constant target nothing can be explained, unless it is predicted exactly.
            constant = (self._residual > 0).astype(float)
            unexplained = np.divide(self._residual, self._squares, out=constant, where=self._squares > 0)
            found["R2"] = float(np.mean(1 - unexplained))
        return found | {"MAE": float(np.mean(self._absolute) / self.n_rows)}
