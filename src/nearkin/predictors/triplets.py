"""Which of two points is nearer to a third? A learned distance scored on triplets; a sample is a triplet."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nearkin._types import ColumnLike, Estimator, MatrixLike
from nearkin.predictors.tuples import TuplePredictor
from nearkin.supervision.constraints import constraint_weights


class TripletScorer(TuplePredictor):
    """Learn from triplets (anchor, near, far), and score by the share of new triplets in the right order.

    A sample is a triplet, so that cross-validation and grid searches hold out whole triplets.

    Parameters
    ----------
    learner : estimator or None, default=None
        A learner from triplets (``"triplets" in learner.supervision``), or a pipeline that ends in one,
        fitted as a clone; None is plain Euclid.
    points : array-like of shape (n_points, n_features) or None, default=None
        If given, triplets may be given as row numbers of it.

    Attributes
    ----------
    learner_ : estimator or None
        The fitted learner.
    n_features_in_ : int

    Notes
    -----
    Memory is that of the distinct points and T triplets of row numbers. Triplets are in order if the
    near point is strictly nearer.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from nearkin.learners.gradient import MetricLearner
    >>> from nearkin.losses.triplet_hinge import TripletHingeLoss
    >>> from nearkin.predictors.triplets import TripletScorer
    >>> X, y = load_iris(return_X_y=True)
    >>> rows = np.random.RandomState(0).randint(150, size=(900, 3))
    >>> rows = rows[(y[rows[:, 0]] == y[rows[:, 1]]) & (y[rows[:, 0]] != y[rows[:, 2]])]
    >>> model = TripletScorer(MetricLearner(loss=TripletHingeLoss(), tol=1e-3), points=X)
    >>> bool(cross_val_score(model, rows).mean() > 0.95)
    True
    """

    _width, _kind = 3, "triplets"

    def __init__(self, learner: Estimator | None = None, *, points: MatrixLike | None = None) -> None:
        self.learner = learner
        self.points = points

    def fit(
        self, triplets: MatrixLike, y: ColumnLike | None = None, sample_weight: ColumnLike | None = None
    ) -> Self:
        """Learn the distance from triplets.

        Parameters
        ----------
        triplets : array-like of shape (n_triplets, 3, n_features), or of int of shape (n_triplets, 3)
            Anchor, near, far: points, or row numbers of `points`.
        y : ignored
        sample_weight : array-like of shape (n_triplets,), optional

        Returns
        -------
        self
        """
        X, rows = self._tuples(triplets, reset=True)
        self._fit_learner(X, rows, constraint_weight=sample_weight)
        return self

    def decision_function(self, triplets: MatrixLike) -> np.ndarray:
        """Distance of the far point from the anchor minus that of the near point."""
        check_is_fitted(self)
        X, rows = self._tuples(triplets, reset=False)
        # Both distances in one list, so that points are embedded once.
        near, far = np.split(self._distances(X, np.concatenate([rows[:, [0, 1]], rows[:, [0, 2]]])), 2)
        return far - near

    def predict(self, triplets: MatrixLike) -> np.ndarray:
        """Whether each triplet is in order."""
        return self.decision_function(triplets) > 0

    def score(
        self, triplets: MatrixLike, y: ColumnLike | None = None, sample_weight: ColumnLike | None = None
    ) -> float:
        """Share of the triplets that are in order."""
        in_order = self.predict(triplets)
        return float(np.average(in_order, weights=constraint_weights(sample_weight, len(in_order))))
