"""k-NN regression under every metric of a path at once, for curves over all settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from nearkin.distances.embeddings import AffineEmbedding, ScaledEmbedding
from nearkin.learners.constraint.metric_path import Candidate, diagonal_path, full_path
from nearkin.search import ExactIndex
from nearkin.supervision.triplets import output_ordered_triplets

EUCLID = "Euclid"
# Relative duality gap and steps of each point: a closer solution would not visibly move a curve.
STOPPING: dict[str, Any] = {"tol": 1e-3, "max_iter": 300}
# A search finds this many neighbours, so that curves over their number need one search per metric.
MOST_NEIGHBOURS = 35


class MetricPathRegressor(RegressorMixin, BaseEstimator):
    """KNN-SP under the metric of one point of a path that is learned as a whole.

    `fit` learns the metrics of DMLMTP for all settings, with warm starts; `metric_point` and
    `n_neighbors` may be changed afterwards and only decide which of them predicts.

    Parameters
    ----------
    metric : {"Euclid", "diagonal", "full"}
    points : tuple of (K, nu, shrinkage, share of Euclid)
        The settings to learn.
    metric_point : tuple
        The one that predicts.
    n_neighbors : int
    contradictory : {"error", "Euclid"}
        What predicts at a point whose triplets contradict each other, so that it has no metric.
    """

    def __init__(self, metric=EUCLID, points=(), metric_point=(), n_neighbors=3, contradictory="error"):
        self.metric = metric
        self.points = points
        self.metric_point = metric_point
        self.n_neighbors = n_neighbors
        self.contradictory = contradictory

    def fit(self, X, y) -> MetricPathRegressor:
        X, y = validate_data(self, X, y, multi_output=True, y_numeric=True, dtype=np.float64)
        self.X_, self.y_ = X, y
        self.embeddings_: dict[tuple, ScaledEmbedding | AffineEmbedding | None] = {}
        if self.metric != EUCLID:
            for candidate in self._path(X, y):
                self.embeddings_[tuple(candidate.setting)] = _no_longer_than_needed(candidate.embedding)
        self._means: tuple = (None, None, None)
        return self

    def _path(self, X, y) -> Iterator[Candidate]:
        neighbourhoods, nus, shrinkages, shares = (
            sorted(set(values)) for values in zip(*self.points, strict=True)
        )
        path = (X, output_ordered_triplets(X, y, max(neighbourhoods)), neighbourhoods, nus)
        if self.metric == "diagonal":
            return diagonal_path(*path, euclid_shares=shares, **STOPPING)
        return full_path(*path, shrinkages=shrinkages, rank=None, euclid_shares=shares, **STOPPING)

    def predict(self, X) -> np.ndarray:
        check_is_fitted(self)
        if self.n_neighbors > len(self.X_):
            raise ValueError(f"n_neighbors={self.n_neighbors}, but there are only {len(self.X_)} rows.")
        return self._running_means(X)[:, self.n_neighbors - 1]

    def _running_means(self, X) -> np.ndarray:
        """Mean targets of the 1, 2, ... nearest rows; those of the last point and queries are kept."""
        known, rows, means = self._means
        point = tuple(self.metric_point)
        if known != point or rows is not X or means.shape[1] < self.n_neighbors:
            queries = validate_data(self, X, reset=False, dtype=np.float64)
            embed = self._embedding(point)
            most = min(max(MOST_NEIGHBOURS, self.n_neighbors), len(self.X_))
            distances, found = ExactIndex().build(embed(self.X_)).query(embed(queries), most)
            # The index gives squared distances.
            votes = self._votes(np.sqrt(distances)).reshape(*found.shape, *[1] * (self.y_.ndim - 1))
            means = np.cumsum(votes * self.y_[found], axis=1) / np.cumsum(votes, axis=1)
            self._means = (point, X, means)
        return means

    def _votes(self, distances: np.ndarray) -> np.ndarray:
        return np.ones_like(distances)

    def _embedding(self, point: tuple):
        if self.metric == EUCLID:
            return np.asarray
        embedding = self.embeddings_.get(point)
        if embedding is None and self.contradictory == EUCLID:
            return np.asarray
        if embedding is None:
            raise ValueError(f"the triplets contradict each other at {point}, so there is no metric.")
        return embedding

    @property
    def sparsity_(self) -> float | None:
        """Share of the features that a diagonal metric leaves out."""
        embedding = self.embeddings_.get(tuple(self.metric_point))
        if not isinstance(embedding, ScaledEmbedding):
            return None
        return 1 - len(embedding.features) / embedding.n_features


class DistanceVotingRegressor(MetricPathRegressor):
    """The same with votes weighted by 1 / distance; neighbours at distance 0 vote alone."""

    def _votes(self, distances: np.ndarray) -> np.ndarray:
        at_zero = distances == 0
        return np.where(at_zero[:, :1], at_zero, 1 / np.where(at_zero, 1.0, distances))


def _no_longer_than_needed(embedding):
    """The same distances from at most as many numbers as there are features."""
    if not isinstance(embedding, AffineEmbedding):
        return embedding
    matrix = np.asarray(embedding.matrix)
    if matrix.shape[0] <= matrix.shape[1]:
        return embedding
    return AffineEmbedding(np.asarray(np.linalg.qr(matrix, mode="r")))
