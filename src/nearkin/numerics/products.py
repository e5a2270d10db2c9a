"""Squared Euclidean distances from matrix products, dense or sparse."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nearkin.numerics.blocks import blocks


def squared_norms(X) -> np.ndarray:
    """Squared length of each row.

    >>> squared_norms(np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([25.,  1.])
    """
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel().astype(X.dtype, copy=False)
    return np.einsum("ij,ij->i", X, X)


def dense(X) -> np.ndarray:
    """The same matrix as a dense array."""
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def cross_products(A, B) -> np.ndarray:
    """``A @ B.T`` as a dense array, for any mix of dense and sparse arguments."""
    return dense(A @ B.T)


def squared_distances(A, B, *, norms_a=None, norms_b=None) -> np.ndarray:
    """Squared distances between the rows of A and of B, by one matrix product.

    >>> squared_distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [1.0, 0.0]]))
    array([[25.,  1.]])
    """
    norms_a = squared_norms(A) if norms_a is None else norms_a
    norms_b = squared_norms(B) if norms_b is None else norms_b
    D = cross_products(A, B)
    D *= -2
    D += norms_a[:, None]
    D += norms_b[None, :]
    # Cancellation can leave a tiny negative value if points coincide.
    return np.maximum(D, 0, out=D)


def row_distances(A, B, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Squared distance of row left[t] of A to row right[t] of B, from differences, block by block.

    >>> row_distances(np.array([[0.0], [1.0]]), np.array([[3.0]]), np.array([0, 1]), np.array([0, 0]))
    array([9., 4.])
    """
    out = np.empty(len(left), dtype=np.result_type(A, B))
    # Blocks of half a megabyte stay in the cache, which takes a third of the time of a few megabytes.
    for part in blocks(len(left), A.shape[1], at_once=2**16):
        out[part] = squared_norms(A[left[part]] - B[right[part]])
    return out
