"""Scatter matrices of pairs of rows, without computing their differences.

With pair weights b in a symmetric sparse matrix B, the sum over pairs of b (x_i - x_j)(x_i - x_j)' is
X' (diag(B 1) - B) X, the Laplacian of the graph of pairs between two copies of X.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse


def pair_scatter(X, left, right, weight=None) -> np.ndarray:
    """The sum over pairs of weight * (x_left - x_right)(x_left - x_right)'.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    left, right : int array of shape (T,)
    weight : array of shape (T,), optional
        One by default; may be negative.

    Notes
    -----
    T d + n d^2 multiply-adds; memory of the pairs and one n x d array. In float64, whatever X is.

    Examples
    --------
    >>> pair_scatter(np.array([[0.0, 0.0], [1.0, 2.0]]), [0], [1])
    array([[1., 2.],
           [2., 4.]])
    """
    X = np.asarray(X, dtype=np.float64)
    # Centring keeps the digits in which rows far from the origin differ.
    X = X - X.mean(axis=0)
    scatter = X.T @ laplacian_product(X, left, right, weight)
    return (scatter + scatter.T) / 2


def laplacian_product(X, left, right, weight=None) -> np.ndarray:
    """L X for the Laplacian L of the graph of pairs: row i sums weight * (x_i - x_j) over its pairs."""
    weight = np.ones(len(left)) if weight is None else np.asarray(weight)
    n = len(X)
    B = sparse.csr_array((weight, (left, right)), shape=(n, n), dtype=X.dtype)
    degrees = np.bincount(left, weight, n) + np.bincount(right, weight, n)
    return degrees.astype(X.dtype)[:, None] * X - (B @ X + B.T @ X)


def class_scatters(X, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean scatter of all pairs within classes and of all pairs between classes, without listing pairs.

    The sum over pairs i < j of one class is n_c times the scatter about the class mean; over all pairs
    it is n times the total scatter; their difference belongs to the dissimilar pairs.

    >>> S, D = class_scatters(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1]))
    >>> S, D  # (0-2)^2; the mean of (0-5)^2 and (2-5)^2
    (array([[4.]]), array([[17.]]))
    """
    X = np.asarray(X, dtype=np.float64)
    X = X - X.mean(axis=0)
    sizes = np.bincount(codes)
    members = sparse.csr_array((np.ones(len(X)), (codes, np.arange(len(X)))), shape=(len(sizes), len(X)))
    sums = members @ X
    # Sum of n_c x x' over the rows, minus the outer products of the class sums.
    similar = (X * sizes[codes][:, None]).T @ X - sums.T @ sums
    total = len(X) * (X.T @ X)
    n_similar = int((sizes * (sizes - 1)).sum()) // 2
    n_dissimilar = len(X) * (len(X) - 1) // 2 - n_similar
    dissimilar = (total - similar) / max(n_dissimilar, 1)
    similar = similar / max(n_similar, 1)
    return (similar + similar.T) / 2, (dissimilar + dissimilar.T) / 2
