"""Embeddings by Mercer kernels, and compositions of embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances.embeddings.base import Embedding
from nearkin.numerics.mercer import mercer_kernel


@dataclass(frozen=True)
class KernelValues:
    """The empirical kernel map: kernel values of each row with the landmarks."""

    landmarks: np.ndarray
    kernel: object = "rbf"
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 1.0

    def __call__(self, X: MatrixLike, /) -> np.ndarray:
        landmarks = self.landmarks.astype(X.dtype, copy=False)
        return mercer_kernel(
            X, landmarks, self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0
        )


@dataclass(frozen=True)
class KernelEmbedding:
    """``k(x, landmarks) @ whitening - shift``: rows whose inner products approximate the scaled kernel."""

    landmarks: np.ndarray
    whitening: np.ndarray
    shift: np.ndarray
    kernel: object
    gamma: float
    degree: int
    coef0: float

    #: Rows lifted at a time: their kernel values need as much memory as the result.
    rows_at_once: ClassVar[int] = 4_096

    @property
    def n_features_in(self) -> int:
        """Number of columns expected."""
        return self.landmarks.shape[1]

    def __call__(self, X: MatrixLike, /) -> np.ndarray:
        landmarks = self.landmarks.astype(X.dtype, copy=False)
        features = np.empty((X.shape[0], len(self.shift)), dtype=X.dtype)
        for first in range(0, X.shape[0], self.rows_at_once):
            rows = slice(first, first + self.rows_at_once)
            K = mercer_kernel(
                X[rows], landmarks, self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0
            )
            features[rows] = K @ self.whitening.astype(K.dtype) - self.shift.astype(K.dtype)
        return features


@dataclass(frozen=True)
class KernelComponents:
    """A `KernelEmbedding` of an RBF kernel, as models of version 0.1 hold it.

    Parameters
    ----------
    landmarks : ndarray of shape (L, d)
    projection : ndarray of shape (L, q)
    shift : ndarray of shape (q,)
    gamma : float
    """

    landmarks: np.ndarray
    projection: np.ndarray
    shift: np.ndarray
    gamma: float

    def __call__(self, X: MatrixLike, /) -> np.ndarray:
        return KernelEmbedding(self.landmarks, self.projection, self.shift, "rbf", self.gamma, 3, 1.0)(X)


@dataclass(frozen=True)
class ChainedEmbedding:
    """One embedding after another."""

    lift: Embedding
    then: Embedding

    def __call__(self, X: MatrixLike, /) -> np.ndarray:
        return self.then(self.lift(X))
