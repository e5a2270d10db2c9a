"""Squared distances of listed pairs of rows, and gradients of functions of them."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nearkin.numerics.products import row_distances


class ListedPairs:
    """Pairs of rows, sorted once for repeated sums of gradients.

    Parameters
    ----------
    left, right : int array of shape (T,)
        Row numbers; pairs may repeat, and join a row to itself.
    n : int
        Number of rows.

    Notes
    -----
    T e multiply-adds for the distances and twice as many for a gradient, after one sort of the pairs;
    no array of T x e is made.

    Examples
    --------
    >>> pairs, Z = ListedPairs(np.array([1, 0]), np.array([2, 1]), 3), np.array([[0.0], [1.0], [3.0]])
    >>> pairs.distances(Z)
    array([4., 1.])
    >>> pairs.gradient(Z, np.array([1.0, 0.0])).ravel()  # of (z_1 - z_2)^2
    array([ 0., -4.,  4.])
    """

    def __init__(self, left, right, n: int):
        self.left = np.asarray(left)
        self.right = np.asarray(right)
        self._order = np.argsort(self.left, kind="stable")
        self._columns = self.right[self._order]
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(self.left, minlength=n))])

    def __len__(self) -> int:
        return len(self.left)

    def distances(self, Z: np.ndarray) -> np.ndarray:
        """Squared distance of the rows of each pair, in float64."""
        return row_distances(Z, Z, self.left, self.right).astype(np.float64, copy=False)

    def gradient(self, Z: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """Gradient in Z of a function whose slope in each pair's squared distance is given."""
        n = len(Z)
        graph = sparse.csr_array((slopes[self._order], self._columns, self._starts), shape=(n, n))
        # A row gets the sum of slope * 2 (z_i - z_j) over its pairs, on either side.
        degrees = np.bincount(self.left, slopes, n) + np.bincount(self.right, slopes, n)
        # In float64, because rows far from their mean would lose the digits in which partners differ.
        Z64 = Z.astype(np.float64, copy=False)
        dZ = 2 * (degrees[:, None] * Z64 - (graph @ Z64 + graph.T @ Z64))
        return dZ.astype(Z.dtype, copy=False)
