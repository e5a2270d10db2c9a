"""A learned embedding next to the rows themselves, so that squared Euclid is a blend of two distances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances.embeddings.affine import AffineEmbedding
from nearkin.distances.embeddings.base import Embedding
from nearkin.numerics.products import dense


@dataclass(frozen=True)
class BlendedEmbedding:
    """``(learned * z(x), plain * x)``: squared distances are learned^2 D_learned + plain^2 D_Euclid.

    Examples
    --------
    >>> both = BlendedEmbedding(AffineEmbedding(np.array([[2.0]])), learned=0.5, plain=3.0)
    >>> both(np.array([[1.0]]))
    array([[1., 3.]])
    """

    embedding: Embedding
    learned: float
    plain: float

    def __call__(self, X: MatrixLike, /) -> np.ndarray:
        scale = X.dtype.type
        return np.hstack([scale(self.learned) * self.embedding(X), scale(self.plain) * dense(X)])


def blended(embedding: Embedding, learned: float, plain: float, axes: np.ndarray | None = None) -> Embedding:
    """The embedding of learned^2 D_learned + plain^2 D_Euclid; if linear, no wider than the features.

    If orthonormal `axes` (r x d) are given and the linear map ignores everything outside their span, the
    blend stays inside it too, in at most r dimensions.

    >>> blended(AffineEmbedding(np.array([[0.0, 2.0]])), 1.0, 1.0).matrix.round(3)
    array([[1.   , 0.   ],
           [0.   , 2.236]])
    """
    linear = isinstance(embedding, AffineEmbedding) and embedding.matrix is not None
    if not linear:
        return BlendedEmbedding(embedding, learned, plain)
    given = embedding.matrix  # type: ignore[attr-defined]
    if axes is not None and not _within(given, axes):
        axes = None
    matrix = given if axes is None else given @ axes.T
    stacked = np.vstack([learned * matrix, plain * np.eye(matrix.shape[1])]).astype(np.float64)
    _, R = np.linalg.qr(stacked)
    # Only R'R matters; a positive diagonal makes refits agree.
    R = R * np.where(np.diagonal(R) < 0, -1.0, 1.0)[:, None] + 0.0
    return AffineEmbedding((R if axes is None else R @ axes).astype(given.dtype))


def _within(matrix: np.ndarray, axes: np.ndarray) -> bool:
    """Whether the rows of a matrix lie in the span of the axes, up to rounding."""
    outside = matrix - (matrix @ axes.T) @ axes
    rounding = 100 * len(axes) * np.finfo(matrix.dtype).eps
    return float(np.abs(outside).max()) <= rounding * float(np.abs(matrix).max())
