"""k-nearest-neighbour regression of one target or many under a learned distance."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from nearkin._types import ColumnLike, MatrixLike
from nearkin.predictors.base import _NeighbourPredictor
from nearkin.predictors.upkeep import kept_rows, stacked
from nearkin.rows_in_blocks import by_blocks


class KNNRegressor(RegressorMixin, _NeighbourPredictor):
    """Predict the mean target vector of the nearest training rows (KNN-SP).

    Parameters
    ----------
    learner : estimator or None, default=None
        Any nearkin learner for regression, or any scikit-learn transformer, as for `KNNClassifier`; fitted
        as a clone on the training data. None is plain Euclid, which is KNN-SP as published.
    n_neighbors : int, default=5
        How many neighbours are averaged.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Plain mean, mean weighted by the inverse distance, or weights as a function of the distances.
    index : {"auto", "exact", "tree", "faiss", "faiss-ivf", "faiss-hnsw"} or Index, default="auto"
        How neighbours are found; "auto" is always exact.
    hubs : None, str or HubCorrection, default=None
        Correct the distance for hubs, without using labels: "csls", "dissim-local", "local-scaling", "nicdm"
        or "mutual-proximity".
    metric : str, default="minkowski"
        The distance if there is no learner: "minkowski" with `p`, "euclidean", "manhattan", "cosine",
        "chebyshev", "canberra", "braycurtis", "correlation" or "hamming".
    p : float, default=2
        The power of "minkowski": 1 is Manhattan, 2 is Euclid.
    n_jobs : int or None, default=None
        Threads of a search; None leaves the setting of BLAS, -1 means one per core.

    Attributes
    ----------
    learner_, distance_, references_
        As for `KNNClassifier`.
    targets_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        The training targets.

    References
    ----------
    Pugelj, Dzeroski (2011). Predicting structured outputs k-nearest neighbours method.

    Examples
    --------
    >>> from nearkin import KNNRegressor
    >>> model = KNNRegressor(n_neighbors=2).fit([[0.0], [1.0], [5.0]], [[0.0, 1.0], [2.0, 1.0], [9.0, 3.0]])
    >>> model.predict([[0.4]])
    array([[1., 1.]])
    """

    _task = "regression"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.regressor_tags.poor_score = True
        return tags

    def fit(
        self, X: MatrixLike, y: ColumnLike, sample_weight: ColumnLike | None = None, **fit_params: Any
    ) -> Self:
        """Learn the distance and index the training rows.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
            Training rows; CSR requires a learner that accepts it, or none.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Numbers to predict.
        sample_weight : array-like of shape (n_samples,) or None
            Weight of each row in the means and in the learner's fit; warns if the learner does not accept
            weights.
        **fit_params
            Passed to the learner's fit.
        """
        X, y = self._validated(X, y, multi_output=True, y_numeric=True)
        if y.dtype.kind not in "fiub":
            raise ValueError(
                f"KNNRegressor predicts numbers, but y holds {y.dtype} values such as {y.ravel()[0]!s}; "
                "encode them as numbers, or use KNNClassifier for classes."
            )
        self._check_settings(X.shape[0])
        self.targets_ = np.asarray(y, dtype=np.float64)
        self._fit_distance(X, y, sample_weight, fit_params)
        return self

    def add_references(self, X: MatrixLike, y: ColumnLike) -> KNNRegressor:
        """Add rows and their targets without learning again; as `KNNClassifier.add_references`."""
        check_is_fitted(self)
        X, y = self._validate_queries(X), np.asarray(y, dtype=np.float64)
        check_consistent_length(X, y)
        if y.shape[1:] != self.targets_.shape[1:] or not np.isfinite(y).all():
            raise ValueError(
                f"y has shape {y.shape}; expected finite targets of {self.targets_.shape[1:]} each."
            )
        places = np.r_[np.arange(self.n_samples_fit_), np.full(X.shape[0], -1)]
        self._replace_references(stacked(self.references_, X), places)
        self.targets_ = np.concatenate([self.targets_, y])
        return self

    def remove_references(self, rows: ColumnLike) -> KNNRegressor:
        """Remove references, by row number or mask; as `KNNClassifier.remove_references`."""
        check_is_fitted(self)
        keep = kept_rows(rows, self.n_samples_fit_)
        self._replace_references(self.references_[keep], np.arange(self.n_samples_fit_)[keep])
        self.targets_ = self.targets_[keep]
        return self

    @by_blocks
    def predict(self, X: MatrixLike) -> np.ndarray:
        """Mean target of the neighbours: shape (n,) for one target, (n, n_targets) for several."""
        distances, indices = self.kneighbors(X)
        weights = self._vote_weights(distances, indices).astype(np.float64, copy=False)
        weights = weights / weights.sum(axis=1, keepdims=True)
        return np.einsum("ij,ij...->i...", weights, self.targets_[indices])
