"""What the predictors of pairs and triplets share: points of tuples, and learners fitted from tuples."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import Tags
from sklearn.utils.validation import check_array

from nearkin._types import Estimator, MatrixLike
from nearkin.distances import EmbeddedDistance
from nearkin.supervision.constraints import row_numbers


class TuplePredictor(BaseEstimator):
    """An estimator whose samples are tuples of points, so that cross-validation splits between tuples.

    Parameters
    ----------
    learner : estimator or None
        Fitted as a clone; None is plain Euclid.
    points : array-like of shape (n_points, n_features) or None
        What tuples of row numbers refer to.
    """

    #: Points of a tuple, what tuples are called, and the learner's keyword for them.
    _width: int
    _kind: str

    learner: object
    points: object

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.input_tags.two_d_array = self.points is not None
        return tags

    def _fit_learner(self, X: MatrixLike, rows: Any, **given: Any) -> None:
        self.n_features_in_ = X.shape[1]
        self.learner_ = None
        if self.learner is not None:
            self.learner_ = fitted_from(self.learner, X, self._kind, rows, given)

    def _tuples(self, tuples: MatrixLike, *, reset: bool) -> tuple[np.ndarray, np.ndarray]:
        """The points (each once, when fitting) and the row numbers of the tuples among them."""
        X, rows = stacked(tuples, self.points, self._width, self._kind, distinct=reset)
        if not reset and X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"the {self._kind} have {X.shape[1]} features, but {type(self).__name__} was fitted with "
                f"{self.n_features_in_}."
            )
        return X, rows

    def _distances(self, X: MatrixLike, rows: Any) -> np.ndarray:
        """Learned distance (not squared) of the points of each row of a (T, 2) table."""
        if self.learner_ is None:
            return np.sqrt(EmbeddedDistance().of_pairs(X, rows[:, 0], rows[:, 1]))
        learner = self.learner_
        if isinstance(learner, Pipeline):
            X, learner = learner[:-1].transform(X), learner[-1]
        return learner.pair_distances(X, rows)


def stacked(
    tuples: MatrixLike, points: MatrixLike | None, width: int, kind: str, *, distinct: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Points of tuples as rows of one array, and the tuples as row numbers of it.

    Parameters
    ----------
    tuples : array-like of shape (T, width, d), or of int of shape (T, width)
        Points themselves, or row numbers of `points`.
    points : array-like of shape (n, d) or None
    distinct : bool
        Keep every point that occurs once, in the order of appearance, and no other.

    Examples
    --------
    >>> stacked([[[1.0], [2.0]], [[2.0], [5.0]]], None, 2, "pairs", distinct=True)
    (array([[1.],
           [2.],
           [5.]]), array([[0, 1],
           [1, 2]]))
    """
    if np.ndim(tuples) == 2:
        if points is None:
            raise ValueError(
                f"{kind} of shape {np.shape(tuples)} are row numbers, but there are no points to look them "
                f"up in; set points, or give {kind} of shape (n, {width}, n_features)."
            )
        X = check_array(points, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="points")
        rows = row_numbers(kind, tuples, width, X.shape[0])
        if not distinct:
            return X, rows
        used, rows = np.unique(rows, return_inverse=True)
        return X[used], rows.reshape(-1, width)
    table = check_array(tuples, allow_nd=True, dtype=[np.float64, np.float32], input_name=kind)
    if table.ndim != 3 or table.shape[1] != width:
        raise ValueError(
            f"{kind} have shape {table.shape}; expected (n, {width}, n_features), or row numbers of points, "
            f"(n, {width})."
        )
    X = table.reshape(-1, table.shape[2])
    rows = np.arange(len(X)).reshape(-1, width)
    if not distinct:
        return X, rows
    first, numbers = _first_places(X)
    return X[first], numbers[rows]


def _first_places(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each distinct row comes first, in that order, and the number of each row among these."""
    # Adding zero makes -0.0 and 0.0 the same bytes, by which rows are compared.
    whole = np.ascontiguousarray(X + 0.0).view(np.dtype((np.void, X.itemsize * X.shape[1]))).ravel()
    _, first, numbers = np.unique(whole, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[numbers.ravel()]


def fitted_from(learner: Estimator, X: MatrixLike, kind: str, rows: Any, given: dict) -> Estimator:
    """A clone of a learner, or of a pipeline that ends in one, fitted from tuples of rows of X.

    Parameters
    ----------
    kind : {"pairs", "triplets"}
    given : dict
        Further arguments of the learner's fit; those that are None are left out.
    """
    last = learner[-1] if isinstance(learner, Pipeline) else learner
    if not hasattr(last, "fit") or kind not in inspect.signature(last.fit).parameters:
        raise TypeError(
            f"{type(last).__name__} cannot learn from {kind}; choose a learner whose `supervision` names "
            f"them, or None for Euclid."
        )
    given = {kind: rows, **{name: value for name, value in given.items() if value is not None}}
    if not isinstance(learner, Pipeline):
        return clone(learner).fit(X, **given)
    # Step by step, so that constraints reach the last one whether or not metadata routing is on.
    whole = clone(learner)
    front = whole[:-1]
    whole[-1].fit(front.fit_transform(X), **given)
    return Pipeline([*front.steps, whole.steps[-1]])
