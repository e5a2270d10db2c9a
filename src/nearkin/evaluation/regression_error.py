"""Errors of multi-target regression, relative to always predicting the training mean."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from nearkin._types import ColumnLike


def _as_columns(values, name: str) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2:
        raise ValueError(
            f"{name} must have one row per sample and one column per target, got shape {values.shape}."
        )
    return values


def rrmse(y_true: ColumnLike, y_pred: ColumnLike, y_train_mean: ColumnLike) -> np.ndarray:
    """Relative root mean squared error of each target; 1 is no better than the training mean.

    ``sqrt(sum((y - y_pred)**2) / sum((y - y_train_mean)**2))`` over the test rows, per target.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,) or (n_samples, n_targets)
    y_train_mean : float or array-like of shape (n_targets,)
        Mean of each target over the training rows.

    Returns
    -------
    ndarray of shape (n_targets,)
        NaN, with an `UndefinedMetricWarning` naming the columns, for a target that equals its
        training mean in every test row, so that there is nothing to compare with.

    Examples
    --------
    >>> rrmse([[0.0, 1.0], [2.0, 3.0]], [[0.0, 2.0], [2.0, 2.0]], [1.0, 2.0])
    array([0., 1.])
    """
    y_true, y_pred = _as_columns(y_true, "y_true"), _as_columns(y_pred, "y_pred")
    mean = np.atleast_1d(np.asarray(y_train_mean, dtype=float))
    if y_true.shape != y_pred.shape or mean.shape != (y_true.shape[1],):
        raise ValueError(
            f"y_true {y_true.shape}, y_pred {y_pred.shape} and y_train_mean {mean.shape} do not fit: "
            "expected the same rows and targets, and one mean per target."
        )
    if len(y_true) == 0:
        raise ValueError("y_true has no rows, so there is no error to measure.")
    residual = np.sum((y_true - y_pred) ** 2, axis=0)
    spread = np.sum((y_true - mean) ** 2, axis=0)
    return rrmse_of_sums(residual, spread, np.max(np.abs(y_true), axis=0), len(y_true))


def rrmse_of_sums(residual: np.ndarray, spread: np.ndarray, largest: np.ndarray, n_rows: int) -> np.ndarray:
    """`rrmse` from its two sums, the largest absolute value of each target and the number of rows."""
    # The mean of equal floats may differ from them in the last digits: that is no spread either.
    rounding = 8 * np.finfo(float).eps * largest
    defined = spread > n_rows * rounding**2
    undefined = np.flatnonzero(~defined)
    if undefined.size:
        warnings.warn(
            f"RRMSE is undefined for target column(s) {undefined.tolist()}: constant and equal to the "
            "training mean in every test row; drop the column or test on more rows.",
            UndefinedMetricWarning,
            stacklevel=3,
        )
    return np.sqrt(np.divide(residual, spread, out=np.full(len(spread), np.nan), where=defined))


def arrmse(y_true: ColumnLike, y_pred: ColumnLike, y_train_mean: ColumnLike) -> float:
    """Average of `rrmse` over the targets whose RRMSE is defined; smaller is better.

    Raises ValueError if it is defined for none of them.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,) or (n_samples, n_targets)
    y_train_mean : float or array-like of shape (n_targets,)
        Mean of each target over the training rows.

    References
    ----------
    .. [1] H. Gonzalez, C. Morell, F. J. Ferri, "Improving nearest neighbor based multi-target
       prediction through metric learning", CIARP 2016, Eq. 1.

    Examples
    --------
    >>> arrmse([[0.0, 1.0], [2.0, 3.0]], [[0.0, 2.0], [2.0, 2.0]], [1.0, 2.0])
    0.5
    """
    return mean_where_defined(rrmse(y_true, y_pred, y_train_mean))


def mean_where_defined(per_target: np.ndarray) -> float:
    """aRRMSE from the RRMSE of each target."""
    defined = ~np.isnan(per_target)
    if not defined.any():
        raise ValueError(
            "aRRMSE is undefined: every target is constant and equal to its training mean in the test rows."
        )
    return float(per_target[defined].mean())
