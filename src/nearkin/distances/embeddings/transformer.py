"""Any fitted scikit-learn transformer as an embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from nearkin._types import MatrixLike
from nearkin.numerics.affine_probe import affine_of


@dataclass(frozen=True)
class TransformerEmbedding:
    """Rows transformed by a fitted transformer or pipeline, in the dtype of the input.

    Parameters
    ----------
    transformer : fitted estimator with `transform`
        It may return an array, a data frame or a sparse matrix, which stays sparse as CSR.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0]], dtype=np.float32)
    >>> Z = TransformerEmbedding(PCA(1).fit(X))(X)
    >>> Z.dtype, float(abs(Z[0, 0] - Z[1, 0]).round(4))
    (dtype('float32'), 5.0)
    """

    transformer: Any

    def __call__(self, X: MatrixLike, /) -> np.ndarray:
        Z: Any = self.transformer.transform(X)
        if sparse.issparse(Z):
            return sparse.csr_array(Z, dtype=X.dtype)
        return np.asarray(Z, dtype=X.dtype)

    def affine(self, n_features: int) -> tuple[np.ndarray, np.ndarray]:
        """The matrix (e x d) and the constant of this map, if the transformer is affine; else a TypeError."""
        found = affine_of(self, n_features)
        if found is None:
            name = type(self.transformer).__name__
            raise TypeError(
                f"{name} is not an affine map of the rows; embed them before, with embed_queries."
            )
        return found
