"""One more coordinate, which holds what a correction for hubs takes off the distance to each reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from nearkin.distances.embeddings.base import Embedding

if TYPE_CHECKING:
    from nearkin.distances.hub_correction import ReferenceStatistic


@dataclass(frozen=True)
class AppendedCoordinate:
    """Another embedding with one more coordinate: squared Euclid then is D - b(r) + a constant.

    The coordinate of a reference r is the root of (largest b - b(r)), that of a query is zero.
    """

    inner: Embedding
    statistic: ReferenceStatistic | None = None

    def __call__(self, X, /):
        Z = self.inner(X)
        last = np.zeros((Z.shape[0], 1), dtype=Z.dtype)
        if self.statistic is not None:
            last[:, 0] = np.sqrt(np.maximum(self.statistic.largest - self.statistic(X), 0))
        return sparse.hstack([Z, last]).tocsr() if sparse.issparse(Z) else np.hstack([Z, last])

    @property
    def n_features_in(self) -> int | None:
        return getattr(self.inner, "n_features_in", None)

    def affine(self, n_features: int) -> tuple[np.ndarray, np.ndarray]:
        """The matrix and the constant of the map of queries; that of references is not affine."""
        if self.statistic is not None or not hasattr(self.inner, "affine"):
            raise TypeError("this embedding is not an affine map of the rows.")
        matrix, constant = self.inner.affine(n_features)
        return np.vstack([matrix, np.zeros((1, n_features))]), np.append(constant, 0.0)
