"""Directions in which near rows of the same class are close and those of other classes far."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.blocks import ENTRIES_AT_ONCE, blocks

# Eigenvalues below this share of the largest are rounding.
ROUNDING = 1e-12


def discriminant_directions(
    X: np.ndarray,
    rows: np.ndarray,
    same: np.ndarray,
    other: np.ndarray,
    compactness: float,
    *,
    at_once: int = ENTRIES_AT_ONCE,
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvectors of positive eigenvalue of ``S_i - compactness C_i`` for some rows i.

    S_i and C_i are the means of v v' over the differences v of row i to its neighbours of other classes and
    of its own.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    rows : int array of shape (P,)
    same, other : int array of shape (P, k)
        Neighbours of each of the rows, -1 for none.
    compactness : float
        Not negative.
    at_once : int
        Entries of differences and matrices computed at a time.

    Returns
    -------
    directions : ndarray of shape (P, r, d)
        Orthonormal, the largest eigenvalue first; padded with zeros to r, the largest number of any row. A
        row always has at least one.
    gains : ndarray of shape (P,)
        Sum of their eigenvalues.

    Notes
    -----
    With k neighbours in all, d^2 (d + k) for each row, or k^2 (d + k) if d > k, as the eigenvectors lie in
    the span of the differences.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    >>> discriminant_directions(X, np.array([0]), np.array([[1]]), np.array([[2]]), 1.0)
    (array([[[1., 0.]]]), array([4.]))
    """
    k = same.shape[1] + other.shape[1]
    d = X.shape[1]
    width = min(d, other.shape[1])
    directions = np.zeros((len(rows), width, d))
    gains = np.empty(len(rows))
    for part in blocks(len(rows), d * (k + min(d, k)), at_once):
        neighbours = np.concatenate([other[part], same[part]], axis=1)
        V = X[neighbours] - X[rows[part], None, :]
        weights = np.concatenate([_shares(other[part]), -compactness * _shares(same[part])], axis=1)
        values, vectors = _eigenpairs(V, weights)
        kept = values > ROUNDING * np.abs(values).max(axis=1, keepdims=True)
        kept[:, 0] = True
        gains[part] = np.sum(values, axis=1, where=kept)
        found = np.where(kept[:, :, None], vectors, 0)
        directions[part] = _of_positive_sign(found[:, :width])
    used = directions.any(axis=(0, 2)).nonzero()[0]
    return directions[:, : used[-1] + 1], gains


def _shares(neighbours: np.ndarray) -> np.ndarray:
    """One over the number of neighbours of a row, zero for missing ones."""
    present = neighbours >= 0
    return present / np.maximum(present.sum(axis=1, keepdims=True), 1)


def _eigenpairs(V: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, falling, and eigenvectors (as rows) of the matrices ``V' diag(weights) V``."""
    k, d = V.shape[1:]
    weighted = V * weights[:, :, None]
    if d <= k:
        values, vectors = np.linalg.eigh(np.matmul(weighted.transpose(0, 2, 1), V))
    else:
        Q, R = np.linalg.qr(V.transpose(0, 2, 1))
        values, inner = np.linalg.eigh(np.matmul(R * weights[:, None, :], R.transpose(0, 2, 1)))
        vectors = np.matmul(Q, inner)
    return values[:, ::-1], vectors.transpose(0, 2, 1)[:, ::-1]


def _of_positive_sign(directions: np.ndarray) -> np.ndarray:
    largest = np.abs(directions).argmax(axis=2)[:, :, None]
    return directions * np.where(np.take_along_axis(directions, largest, axis=2) < 0, -1.0, 1.0) + 0.0
