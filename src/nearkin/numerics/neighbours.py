"""Nearest rows of the same class and of other classes, class by class and in bounded memory."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nearkin.numerics.products import dense, squared_norms
from nearkin.numerics.selection import smallest_per_row


def same_class_neighbours(
    X,
    codes,
    n_neighbors: int = 1,
    *,
    among: np.ndarray | None = None,
    block_bytes: int = 2 * 2**20,
) -> np.ndarray:
    """The nearest other rows of each row's own class.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        float32 is searched in float32.
    codes : integer array of shape (n,)
        Class of each row; rows with a negative code belong to no class.
    n_neighbors : int
        How many neighbours each row gets.
    among : bool array of shape (n,), optional
        Only these rows may be neighbours.
    block_bytes : int, default=2 MB
        One block of scores: small enough to be still in the cache when its best columns are selected.

    Returns
    -------
    neighbours : intp array of shape (n, n_neighbors)
        Row numbers, nearest first, equal distances by row number; -1 in the last places if the class is
        too small.

    Notes
    -----
    Costs one matrix product per class and holds one class and one block of scores at a time.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [1.5], [9.0]])
    >>> same_class_neighbours(X, np.array([0, 0, 0, 1]), 2)
    array([[ 1,  2],
           [ 2,  0],
           [ 1,  0],
           [-1, -1]])
    """
    codes = np.asarray(codes)
    neighbours = np.full((X.shape[0], n_neighbors), -1, dtype=np.intp)
    by_class = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(codes[by_class]) != 0])
    for start, end in zip(starts, np.r_[starts[1:], len(codes)]):
        rows = by_class[start:end]
        found = min(n_neighbors, len(rows) - 1)
        if codes[rows[0]] >= 0 and found > 0:
            own = None if among is None or among[rows].all() else among[rows]
            nearest = _nearest_others(_centred_rows(X, rows), found, block_bytes, own)
            neighbours[rows, :found] = np.where(nearest >= 0, rows[nearest], -1)
    return neighbours


def other_class_neighbours(X, codes, n_neighbors: int = 1) -> np.ndarray:
    """The nearest rows of other classes than each row's own.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
        float32 is searched in float32.
    codes : integer array of shape (n,)
        Class of each row.
    n_neighbors : int
        How many neighbours each row gets.

    Returns
    -------
    neighbours : intp array of shape (n, n_neighbors)
        Row numbers, nearest first; -1 in the last places where the other classes have too few rows.

    Notes
    -----
    Costs n^2 d multiply-adds in matrix products and holds one block of scores at a time.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [1.5], [9.0]])
    >>> other_class_neighbours(X, np.array([0, 0, 0, 1]), 2)
    array([[ 3, -1],
           [ 3, -1],
           [ 3, -1],
           [ 2,  1]])
    """
    # Small integers are compared faster, and every pair of rows needs one comparison.
    codes = np.unique(codes, return_inverse=True)[1].astype(np.int32)
    n = X.shape[0]
    X = _centred_rows(X, np.arange(n))
    half_norms = squared_norms(X) / 2
    transposed = X.T.tocsr() if sparse.issparse(X) else X.T
    neighbours = np.full((n, n_neighbors), -1, dtype=np.intp)
    block = _block_rows(half_norms, 2 * 2**20)
    k = min(n_neighbors, n)
    for start in range(0, n, block):
        part = slice(start, start + block)
        scores = half_norms - dense(X[part] @ transposed)
        np.copyto(scores, np.inf, where=codes[part, None] == codes)
        values, found = smallest_per_row(scores, k)
        neighbours[part, :k] = np.where(np.isfinite(values), found, -1)
    return neighbours


def _block_rows(half_norms: np.ndarray, block_bytes: int) -> int:
    """Rows of a block of scores; products of fewer than 64 would be slow."""
    return max(64, block_bytes // (half_norms.itemsize * max(1, len(half_norms))))


def _centred_rows(X, rows: np.ndarray):
    """A copy of some rows; dense ones are centred, which keeps float32 products accurate."""
    chosen = X[rows]
    if not sparse.issparse(chosen):
        chosen -= chosen.mean(axis=0)
    return chosen


def _nearest_others(X, k: int, block_bytes: int, among=None) -> np.ndarray:
    """The k nearest other rows of each row of X, by falling ``x . r - |r|^2 / 2``; -1 for none."""
    n = X.shape[0]
    offered = np.arange(n) if among is None else np.flatnonzero(among)
    references = X if among is None else X[offered]
    half_norms = squared_norms(references) / 2
    block = _block_rows(half_norms, block_bytes)
    # Sparse products need both factors by rows: transpose the second one once, not for each block.
    transposed = references.T.tocsr() if sparse.issparse(X) else references.T
    nearest = np.full((n, k), -1, dtype=np.intp)
    kept = min(k, len(offered))
    for start in range(0, n if kept else 0, block):
        stop = min(start + block, n)
        scores = dense(X[start:stop] @ transposed)
        scores -= half_norms
        own = slice(*np.searchsorted(offered, (start, stop)))
        scores[offered[own] - start, np.arange(own.start, own.stop)] = -np.inf
        if k == 1:
            columns = scores.argmax(axis=1)[:, None]
        else:
            columns = smallest_per_row(np.negative(scores, out=scores), kept)[1]
        nearest[start:stop, :kept] = offered[columns]
    if among is not None:
        # With few candidates the row itself may be among the selected ones; it is not a neighbour.
        nearest[nearest == np.arange(n)[:, None]] = -1
    return nearest
