"""Differences of listed pairs of rows under a linear map, without storing more of them than rows."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse

from nearkin.numerics.products import row_distances, squared_norms

#: If this many times the pairs of nonzero weight are no more than the rows, their differences are computed: a
#: hinge leaves most pairs out, which saves a quarter of a fit of LSML on 4,000 pairs of 1,257 x 64 digits.
FEW = 2


class PairDifferences:
    """The differences v_t = x_left[t] - x_right[t] under linear maps L.

    Few pairs are stored as differences. For many, only the rows that occur in some pair are stored: lengths
    ||L v_t|| come from mapped rows, and sums of w_t v_t v_t' from the Laplacian of the graph of pairs.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Rows, float64.
    left, right : int array of shape (T,)

    Notes
    -----
    A map and a sum cost min(T, n) d^2 + T d multiply-adds together; memory is min(T, n) d + T. A diagonal
    map, given as the vector of its entries, costs T d.

    Examples
    --------
    >>> pairs = PairDifferences(np.array([[0.0, 0.0], [1.0, 2.0]]), np.array([0]), np.array([1]))
    >>> image = pairs.mapped(np.eye(2))
    >>> pairs.lengths(image), pairs.summed(image, np.array([10.0]))
    (array([5.]), array([[10., 20.],
           [20., 40.]]))
    """

    def __init__(self, X, left, right):
        occurs = np.zeros(len(X), dtype=bool)
        occurs[left] = occurs[right] = True
        self.n_pairs = len(left)
        self.listed = self.n_pairs <= np.count_nonzero(occurs)
        if self.listed:
            self.base = X[left] - X[right]
            return
        self.base = X[occurs]
        place = np.cumsum(occurs) - 1
        self.left, self.right = place[left], place[right]

    @cached_property
    def base_lengths(self) -> np.ndarray:
        """Squared length of each v_t itself."""
        return self.lengths(self.base)

    @cached_property
    def _graph(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pair of each entry, columns and row starts of the graph, of which only the weights change."""
        # Every pair is in the rows of both its ends.
        rows, columns = np.concatenate([self.left, self.right]), np.concatenate([self.right, self.left])
        order = np.argsort(rows, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(self.base)))])
        return order % self.n_pairs, columns[order].astype(np.int32), starts.astype(np.int32)

    def mapped(self, L: np.ndarray) -> np.ndarray:
        """The stored differences or rows under L (r x d, or the d entries of a diagonal map)."""
        return self.base * L if L.ndim == 1 else self.base @ L.T

    def lengths(self, image: np.ndarray) -> np.ndarray:
        """Squared length of each L v_t."""
        return squared_norms(image) if self.listed else row_distances(image, image, self.left, self.right)

    def summed(self, image: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """The sum of weight_t (L v_t) v_t', r x d; `image` is the result of `mapped`."""
        if not self.listed:
            counted = np.flatnonzero(weight)
            if FEW * len(counted) <= len(self.base):
                left, right = self.left[counted], self.right[counted]
                differences = image[left] - image[right]
                differences *= weight[counted, None]
                return differences.T @ (self.base[left] - self.base[right])
        return self._weighed(image, weight).T @ self.base

    def summed_diagonal(self, image: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """The diagonal of `summed`, for the image of a diagonal map."""
        return np.einsum("ij,ij->j", self._weighed(image, weight), self.base)

    def _weighed(self, image: np.ndarray, weight: np.ndarray) -> np.ndarray:
        if self.listed:
            return image * weight[:, None]
        n = len(self.base)
        pair_of_entry, columns, starts = self._graph
        graph = sparse.csr_array((weight[pair_of_entry], columns, starts), shape=(n, n))
        degrees = np.bincount(self.left, weight, n) + np.bincount(self.right, weight, n)
        return degrees[:, None] * image - graph @ image
