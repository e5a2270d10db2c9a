"""What fills the missing cells of a column: its median, mean or most frequent value, or near rows."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

KNN = "knn"
STRATEGIES = {"median": "median", "mean": "mean", "most-frequent": "most_frequent"}
IMPUTE_CHOICES = (*STRATEGIES, KNN)


def column_filler(impute: str | None, *, number: bool):
    """A scikit-learn imputer for one run of columns, or "passthrough"."""
    if impute is None or (impute == KNN and number):
        return "passthrough"
    strategy = STRATEGIES[impute] if number else "most_frequent"
    return SimpleImputer(strategy=strategy, keep_empty_features=True)


class NearRowsFiller(TransformerMixin, BaseEstimator):
    """Fill each hole with the mean of the rows that are near in the other features.

    scikit-learn's KNNImputer with all features weighed alike: features are scaled to unit variance for it,
    and what it finds is scaled back.

    Parameters
    ----------
    n_neighbors : int

    Attributes
    ----------
    scaler_ : StandardScaler
    imputer_ : KNNImputer
        Holds the encoded training rows, which makes a model file larger by as much.

    Notes
    -----
    Distances from every row with a hole to every training row, in blocks: O(n_holes n d).

    Examples
    --------
    >>> X = np.array([[1.0, 10.0], [1.1, 12.0], [9.0, 90.0], [1.05, np.nan]])
    >>> float(NearRowsFiller(n_neighbors=2).fit_transform(X)[3, 1])
    11.0
    """

    def __init__(self, n_neighbors: int = 5):
        self.n_neighbors = n_neighbors

    def fit(self, X, y=None) -> NearRowsFiller:
        """Keep the training rows."""
        with np.errstate(invalid="ignore"):  # features of which no cell is known
            self.scaler_ = StandardScaler().fit(X)
        scaled = self.scaler_.transform(X)
        self.imputer_ = KNNImputer(n_neighbors=self.n_neighbors, keep_empty_features=True).fit(scaled)
        return self

    def transform(self, X) -> np.ndarray:
        """X without holes; its known cells are untouched."""
        check_is_fitted(self)
        holes = np.isnan(X)
        if not holes.any():
            return X
        filled = self.scaler_.inverse_transform(self.imputer_.transform(self.scaler_.transform(X)))
        # A feature without any known training cell has no mean: it becomes constant.
        return np.where(holes, np.nan_to_num(filled), X).astype(X.dtype, copy=False)
