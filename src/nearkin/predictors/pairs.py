"""Do two points belong together? A learned distance with a threshold; a sample is a pair."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal, Self

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from nearkin._types import ColumnLike, Estimator, MatrixLike
from nearkin.predictors.thresholds import CRITERIA, best_cut, logistic_scale
from nearkin.predictors.tuples import TuplePredictor
from nearkin.supervision.constraints import Pairs, constraint_weights


class PairClassifier(ClassifierMixin, TuplePredictor):
    """Predict whether two points belong together: whether their learned distance is below a threshold.

    A sample is a pair, so that cross-validation and grid searches hold out whole pairs, and all metrics of
    binary classification apply.

    Parameters
    ----------
    learner : estimator or None, default=None
        A learner from pairs (``"pairs" in learner.supervision``), or a pipeline that ends in one, fitted
        as a clone; None is plain Euclid.
    threshold : {"accuracy", "f1"} or float, default="accuracy"
        What the threshold maximises on the pairs given to `fit` or `calibrate`, or the threshold itself.
    points : array-like of shape (n_points, n_features) or None, default=None
        If given, pairs may be given as row numbers of it.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two values of `same`; the second means that the points belong together.
    learner_ : estimator or None
        The fitted learner.
    threshold_ : float
        Pairs up to this distance are predicted to belong together.
    scale_ : float
        Slope of the log-odds of `predict_proba` with respect to the distance.
    n_features_in_ : int

    Notes
    -----
    Every distinct point is kept once while fitting, so memory is that of the points and T pairs of row
    numbers. Points are embedded once; setting the threshold takes one sort of T distances.

    `fit` sets the threshold on the pairs that the learner has seen, whose distances differ systematically
    from those of new pairs: `calibrate` it on others if it matters. Rankings, such as the ROC curve
    (``scoring="roc_auc"``), do not depend on it.

    Cloning copies `points`, as scikit-learn does with any array among the parameters.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from nearkin.learners.gradient import MetricLearner
    >>> from nearkin.losses.pair_logistic import PairLogisticLoss
    >>> from nearkin.predictors.pairs import PairClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> rows = np.random.RandomState(0).randint(150, size=(300, 2))
    >>> same = y[rows[:, 0]] == y[rows[:, 1]]
    >>> model = PairClassifier(MetricLearner(loss=PairLogisticLoss(), tol=1e-3), points=X)
    >>> bool(cross_val_score(model, rows, same, scoring="roc_auc").mean() > 0.97)
    True
    >>> model.fit(X[rows], same).predict(X[[[0, 1], [0, 149]]])  # the points themselves
    array([ True, False])
    """

    _width, _kind = 2, "pairs"

    def __init__(
        self,
        learner: Estimator | None = None,
        *,
        threshold: float | Literal["accuracy", "f1"] = "accuracy",
        points: MatrixLike | None = None,
    ) -> None:
        self.learner = learner
        self.threshold = threshold
        self.points = points

    def fit(self, pairs: MatrixLike, same: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Learn the distance from pairs, and set the threshold on them.

        Parameters
        ----------
        pairs : array-like of shape (n_pairs, 2, n_features), or of int of shape (n_pairs, 2)
            Points, or row numbers of `points`.
        same : array-like of shape (n_pairs,)
            Whether the two belong together: booleans, 0/1 or -1/+1; both must occur.
        sample_weight : array-like of shape (n_pairs,), optional
            Weight of each pair for the learner and for the threshold.

        Returns
        -------
        self
        """
        self._check_threshold()
        X, rows = self._tuples(pairs, reset=True)
        similar, weights = self._flags(same, rows, X.shape[0], sample_weight)
        self.classes_ = np.unique(same)
        self._fit_learner(X, rows, similar=similar, constraint_weight=sample_weight)
        return self._set_threshold(self._distances(X, rows), similar, weights)

    def calibrate(self, pairs: MatrixLike, same: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Set the threshold (unless it was given) and the scale of probabilities on held-out pairs.

        Parameters
        ----------
        pairs, same, sample_weight
            As for `fit`.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        X, rows = self._tuples(pairs, reset=False)
        similar, weights = self._flags(same, rows, X.shape[0], sample_weight)
        return self._set_threshold(self._distances(X, rows), similar, weights)

    def decision_function(self, pairs: MatrixLike) -> np.ndarray:
        """Threshold minus distance; not negative if the points are predicted to belong together."""
        check_is_fitted(self)
        return self.threshold_ - self._distances(*self._tuples(pairs, reset=False))

    def predict(self, pairs: MatrixLike) -> np.ndarray:
        """The value of `same` for each pair."""
        decisions = self.decision_function(pairs)
        return self.classes_[(decisions >= 0).astype(np.intp)]

    def predict_proba(self, pairs: MatrixLike) -> np.ndarray:
        """Probabilities of `classes_`: the logistic function of the scaled decision."""
        decisions = self.decision_function(pairs).astype(np.float64, copy=False)
        chances = expit(self.scale_ * decisions)
        return np.column_stack([1 - chances, chances])

    def _check_threshold(self) -> None:
        t = self.threshold
        if not (isinstance(t, str) and t in CRITERIA) and not (isinstance(t, Real) and np.isfinite(float(t))):
            raise ValueError(f"threshold={t!r}: expected one of {list(CRITERIA)} or a distance.")

    @staticmethod
    def _flags(
        same: ColumnLike, rows: Any, n_points: int, sample_weight: ColumnLike
    ) -> tuple[np.ndarray, np.ndarray]:
        """`same` as booleans, and weights."""
        weights = constraint_weights(sample_weight, len(rows))
        similar = Pairs.checked(rows, same, n_samples=n_points).similar
        counted = similar[weights > 0]
        if counted.all() or not counted.any():
            raise ValueError(
                "all pairs are of one class; to set a threshold, give pairs that belong together and others "
                "that do not."
            )
        return similar, weights

    def _set_threshold(
        self, distances: np.ndarray, similar: np.ndarray, weights: np.ndarray
    ) -> PairClassifier:
        counted = weights > 0
        distances, similar, weights = distances[counted], similar[counted], weights[counted]
        if isinstance(self.threshold, str):
            self.threshold_ = best_cut(distances, similar, self.threshold, weights)
        else:
            self.threshold_ = float(self.threshold)
        self.scale_ = logistic_scale(self.threshold_ - distances, similar, weights)
        return self
