"""Scatters inside and between classes in which only near rows of a class count as belonging together."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.blocks import blocks
from nearkin.numerics.neighbours import same_class_neighbours
from nearkin.numerics.products import row_distances, squared_distances, squared_norms


def local_scales(X: np.ndarray, codes: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Distance of each row to its `n_neighbors`-th nearest of its class; to the farthest if there are fewer.

    Zero for a row alone in its class.

    >>> local_scales(np.array([[0.0], [1.0], [3.0], [9.0]]), np.array([0, 0, 0, 1]), 1)
    array([1., 1., 2., 0.])
    """
    most = int(np.bincount(codes).max()) - 1
    if most < 1:
        return np.zeros(len(X))
    table = same_class_neighbours(X, codes, min(n_neighbors, most))
    last = np.count_nonzero(table >= 0, axis=1) - 1
    rows = np.flatnonzero(last >= 0)
    scales = np.zeros(len(X))
    scales[rows] = np.sqrt(row_distances(X, X, rows, table[rows, last[rows]]))
    return scales


def local_scatters(
    X: np.ndarray,
    codes: np.ndarray,
    scales: np.ndarray,
    *,
    precision=np.float64,
    at_once: int = 2**18,
) -> tuple[np.ndarray, np.ndarray]:
    """Local scatter within classes and between them.

    With affinities ``A_ij = exp(-|x_i - x_j|^2 / (s_i s_j))`` of rows of one class of size n_c, the first is
    half the sum of ``A_ij / n_c v v'`` over same-class pairs (in both orders), the second half the sum of
    ``A_ij (1/n - 1/n_c) v v'`` over these and of ``v v' / n`` over pairs of different classes.

    Parameters
    ----------
    X : float64 array of shape (n, d)
    codes : integer array of shape (n,)
    scales : array of shape (n,)
        s of each row; infinite ones give the scatters of linear discriminant analysis.
    precision : dtype
        Of the affinities and their products; float32 takes half the time, for rows of moderate size.
    at_once : int
        Affinities held together: two megabytes stay in the cache.

    Notes
    -----
    sum n_c^2 d + n d^2 multiply-adds; holds one block of affinities, never those of a whole class.
    """
    X = X - X.mean(axis=0)
    n, d = X.shape
    within, mixed = np.zeros((d, d)), np.zeros((d, d))
    for code in range(int(codes.max()) + 1):
        members = np.flatnonzero(codes == code)
        if len(members) == 0:
            continue
        rows, share = X[members], len(members) / n
        near = _affinity_scatter(rows.astype(precision), scales[members].astype(precision), at_once)
        total = rows.sum(axis=0)
        within += near / len(members)
        # The sum of both scatters; between classes it needs no pairs but only sums, X being centred.
        mixed += near / n + (1 - share) * (rows.T @ rows) + np.outer(total, total) / n
    between = mixed - within
    return (within + within.T) / 2, (between + between.T) / 2


def _affinity_scatter(rows: np.ndarray, scales: np.ndarray, at_once: int) -> np.ndarray:
    """Half the sum of A_ij v v' over ordered pairs: rows' (diag(A 1) - A) rows, block by block."""
    # Where a row's near ones coincide with it, nothing else is near, and copies of it add nothing.
    rows, inverse = rows[scales > 0], 1 / scales[scales > 0]
    norms = squared_norms(rows)
    scatter = np.zeros((rows.shape[1], rows.shape[1]))
    for part in blocks(len(rows), len(rows), at_once):
        block = rows[part]
        affinities = squared_distances(block, rows, norms_a=norms[part], norms_b=norms)
        affinities *= -inverse[part, None]
        affinities *= inverse
        np.exp(affinities, out=affinities)
        scatter += block.T @ (affinities.sum(axis=1)[:, None] * block - affinities @ rows)
    return scatter
