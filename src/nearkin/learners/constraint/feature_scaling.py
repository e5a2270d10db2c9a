"""An embedding that only scales features, and leaves out those of weight zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FeatureScaling:
    """``x[features] * scales``: the square root of a diagonal metric, without a p x p matrix.

    Examples
    --------
    >>> FeatureScaling.from_weights(np.array([4.0, 0.0]))(np.array([[3.0, 9.0]]))
    array([[6.]])
    """

    features: np.ndarray
    scales: np.ndarray
    n_features: int

    @classmethod
    def from_weights(cls, weights: np.ndarray) -> FeatureScaling:
        """The embedding whose squared Euclid is the weighted sum of squared differences."""
        features = np.flatnonzero(weights)
        return cls(features, np.sqrt(weights[features]), len(weights))

    def __call__(self, X, /) -> np.ndarray:
        kept = X if len(self.features) == self.n_features else X[:, self.features]
        return kept * self.scales.astype(X.dtype, copy=False)

    @property
    def weights(self) -> np.ndarray:
        """Weight of every feature, zero for those left out."""
        weights = np.zeros(self.n_features)
        weights[self.features] = self.scales**2
        return weights

    @property
    def matrix(self) -> np.ndarray:
        """The same map as a dense matrix, one row for each feature kept."""
        dense = np.zeros((len(self.features), self.n_features))
        dense[np.arange(len(self.features)), self.features] = self.scales
        return dense
