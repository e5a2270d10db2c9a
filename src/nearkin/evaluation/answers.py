"""Scores of predictions whose answers are known."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score, mean_absolute_error, r2_score

from nearkin.evaluation.problems import CLASSIFICATION
from nearkin.evaluation.regression_error import arrmse


def score_answers(task: str, y_true, y_pred, y_train_mean=None) -> dict[str, float]:
    """Accuracy, balanced accuracy and macro F1; or aRRMSE, R2 and mean absolute error.

    Parameters
    ----------
    task : {'classification', 'regression'}
    y_true, y_pred : arrays of equal shape
    y_train_mean : float or array, optional
        Mean of each target over the training rows; without it there is no aRRMSE.

    Examples
    --------
    >>> score_answers("classification", ["a", "b", "b", "b"], ["a", "b", "b", "a"])["accuracy"]
    0.75
    >>> score_answers("regression", [1.0, 2.0], [1.0, 2.5])["mean absolute error"]
    0.25
    """
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    if task == CLASSIFICATION:
        with warnings.catch_warnings():
            # A class may be predicted that these rows do not hold.
            warnings.simplefilter("ignore", UserWarning)
            return {
                "accuracy": float(accuracy_score(y_true, y_pred)),
                "balanced accuracy": float(balanced_accuracy_score(y_true, y_pred)),
                "macro F1": float(f1_score(y_true, y_pred, average="macro", zero_division=0)),
            }
    scores = {} if y_train_mean is None else {"aRRMSE": arrmse(y_true, y_pred, y_train_mean)}
    if len(y_true) > 1:
        scores["R2"] = float(r2_score(y_true, y_pred))
    return scores | {"mean absolute error": float(mean_absolute_error(y_true, y_pred))}
