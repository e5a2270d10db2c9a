"""Linear maps: square, of low rank, or diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearkin._types import MatrixLike, Start
from nearkin.distances.embeddings import AffineEmbedding, ChainedEmbedding, Embedding
from nearkin.maps.base import Map
from nearkin.maps.starts import linear_start
from nearkin.numerics.linear_metric import row_axes
from nearkin.numerics.tall_products import tall_inner_product, tall_product


def _after(lift: Embedding | None, matrix: np.ndarray) -> Embedding:
    """The embedding of a linear map after a lift; one matrix if the lift is linear or missing."""
    if isinstance(lift, AffineEmbedding) and lift.matrix is not None:
        return AffineEmbedding(matrix @ lift.matrix)
    linear = AffineEmbedding(matrix)
    return linear if lift is None else ChainedEmbedding(lift, linear)


class LinearMap(Map):
    """z = A x with A of shape (n_components, d).

    Parameters
    ----------
    n_components : int, float or None, default=None
        Rows of A; a float is the share of d kept, rounded up, and None keeps all d dimensions.
    init : {"auto", "identity", "pca", "lda", "random"} or array, default="auto"

    Notes
    -----
    With more features than rows, A is learned in the span of the n rows, as n x n numbers instead of d x d:
    gradients never leave the span, and the part of a query outside it adds the same to its distance from
    every row. A share of d is then a share of n. This does not apply to starts that distinguish features: a
    given matrix, "random", or the identity with fewer components.

    Examples
    --------
    >>> linear, F = LinearMap(1, init="identity"), np.array([[1.0, 2.0]])
    >>> theta = linear.start(F, np.array([0]), np.random.RandomState(0))
    >>> linear.forward(theta, F)[0]
    array([[1.]])
    """

    ignores_translation = True

    def __init__(self, n_components: float | None = None, init: Start = "auto") -> None:
        self.n_components = n_components
        self.init = init

    @property
    def given_start(self) -> bool:
        return not isinstance(self.init, str)

    def lift(self, X: MatrixLike, rng: np.random.RandomState) -> Embedding | None:
        n, d = X.shape
        turns = not self.given_start and (
            self.init in ("auto", "pca", "lda") or (self.init == "identity" and self.n_components is None)
        )
        enough = self.n_components is None or self.n_components < n
        return AffineEmbedding(row_axes(X)) if d > n and turns and enough else None

    def lasting_lift(self, X: MatrixLike, rng: np.random.RandomState) -> None:
        # Rows to come may lie outside the span of these.
        return None

    def start(self, F: MatrixLike, y: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        return linear_start(F, y, self.n_components, self.init, rng).ravel()

    def forward(self, theta: np.ndarray, F: MatrixLike) -> tuple[np.ndarray, Any]:
        A = theta.reshape(-1, F.shape[1]).astype(F.dtype, copy=False)
        return tall_product(F, A.T), F

    def pullback(self, dZ: np.ndarray, cache: Any) -> np.ndarray:
        return tall_inner_product(dZ, cache).ravel().astype(np.float64, copy=False)

    def freeze(self, theta: np.ndarray, lift: Embedding | None, n_features: int) -> Embedding:
        return _after(lift, theta.reshape(-1, n_features))


class DiagonalMap(Map):
    """z = a * x: one weight per feature, the cheapest map and the hardest to overfit.

    Examples
    --------
    >>> weights, F = DiagonalMap(), np.array([[1.0, 2.0]])
    >>> weights.forward(weights.start(F, np.array([0]), np.random.RandomState(0)), F)[0]
    array([[1., 2.]])
    """

    ignores_translation = True

    def start(self, F: MatrixLike, y: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        return np.ones(F.shape[1])

    def forward(self, theta: np.ndarray, F: MatrixLike) -> tuple[np.ndarray, Any]:
        return F * theta.astype(F.dtype, copy=False), F

    def pullback(self, dZ: np.ndarray, cache: Any) -> np.ndarray:
        return np.einsum("ij,ij->j", dZ, cache, dtype=np.float64)

    def freeze(self, theta: np.ndarray, lift: Embedding | None, n_features: int) -> Embedding:
        return _after(lift, np.diag(theta))
