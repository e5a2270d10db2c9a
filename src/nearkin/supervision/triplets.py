"""Relative comparisons for regression: of two near inputs, that with the nearer output should be nearer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nearkin.distances import EmbeddedDistance
from nearkin.numerics.selection import others_found
from nearkin.search import NeighbourSearch

# Output distances closer than this, relative to their sum, differ by rounding alone.
TIE_TOLERANCE = 1e-10


@dataclass(frozen=True)
class Triplets:
    """Triplets (i, j, l) "i should lie nearer to j than to l", kept as pairs of neighbour pairs.

    A *pair* is a row and one of its neighbours. Pair number ``rank * n + i`` joins row `i` to its
    neighbour of that rank (0 is the nearest), and triplets are sorted by the larger rank of their
    two pairs. So all pairs and all triplets of a smaller neighbourhood are a prefix of those of a
    larger one, and `within` costs nothing.

    Attributes
    ----------
    neighbours : ndarray of shape (n_neighbors, n)
        Neighbour of each rank of each row.
    near, far : ndarray of shape (n_triplets,)
        Pair numbers of (i, j) and of (i, l).
    """

    neighbours: np.ndarray
    near: np.ndarray
    far: np.ndarray

    def __len__(self) -> int:
        return len(self.near)

    @property
    def n_neighbors(self) -> int:
        return self.neighbours.shape[0]

    @property
    def n_pairs(self) -> int:
        return self.neighbours.size

    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Row and neighbour of every pair, in the order of the pair numbers."""
        rows = np.tile(np.arange(self.neighbours.shape[1]), self.n_neighbors)
        return rows, self.neighbours.ravel()

    def within(self, n_neighbors: int) -> Triplets:
        """The triplets among the `n_neighbors` nearest only (views, nothing is copied)."""
        last_pair = n_neighbors * self.neighbours.shape[1]
        # Triplets are sorted by the larger rank of their two pairs, so these are a prefix.
        count = np.count_nonzero(np.maximum(self.near, self.far) < last_pair)
        return Triplets(self.neighbours[:n_neighbors], self.near[:count], self.far[:count])


def nearest_other_rows(X, n_neighbors: int) -> np.ndarray:
    """The nearest other rows of each row (n x n_neighbors), nearest first; a row never finds itself.

    >>> nearest_other_rows(np.array([[0.0], [1.0], [5.0]]), 1).ravel()
    array([1, 0, 1])
    """
    n = X.shape[0]
    if n_neighbors >= n:
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} rows, but there are only {n}; "
            f"use n_neighbors <= {n - 1}."
        )
    _, found = NeighbourSearch(EmbeddedDistance()).build(X).query(X, n_neighbors + 1)
    return found[others_found(found, np.arange(n))].reshape(n, n_neighbors)


def standardised_targets(Y) -> np.ndarray:
    """Targets as n x q float64 of mean 0 and deviation 1, so that no unit dominates; constant ones are 0."""
    Y = np.asarray(Y, dtype=np.float64).reshape(len(Y), -1)
    centred = Y - Y.mean(axis=0)
    deviation = centred.std(axis=0)
    # The mean of equal numbers is often off in its last digit: that is still a constant.
    constant = deviation <= 1e-12 * np.abs(Y).max(axis=0, initial=0)
    centred[:, constant] = 0
    return centred / np.where(constant, 1.0, deviation)


def output_ordered_triplets(X, Y, n_neighbors: int) -> Triplets:
    """Triplets from the nearest inputs of each row, ordered by the distances of their targets.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, p)
    Y : array of shape (n,) or (n, q)
        Targets; standardised here.
    n_neighbors : int
        How many nearest inputs of each row are compared with each other.

    Returns
    -------
    Triplets
        At most ``n * n_neighbors * (n_neighbors - 1) / 2``. Comparisons whose output distances tie
        would contradict themselves and are left out.

    Notes
    -----
    One exact neighbour search, then O(n K (K + q)) time and O(n K^2) memory.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [-1.1]])
    >>> triplets = output_ordered_triplets(X, np.array([0.0, 5.0, 1.0]), 2)
    >>> rows, neighbours = triplets.pairs()
    >>> rows[triplets.near], neighbours[triplets.near], neighbours[triplets.far]
    (array([0, 1, 2]), array([2, 2, 0]), array([1, 0, 1]))
    """
    neighbours = np.ascontiguousarray(nearest_other_rows(X, n_neighbors).T)
    Y = standardised_targets(Y)
    apart = np.stack([((Y[rank] - Y) ** 2).sum(axis=1) for rank in neighbours])
    n = Y.shape[0]
    near, far = [], []
    for later in range(1, n_neighbors):
        for earlier in range(later):
            difference = apart[later] - apart[earlier]
            tie = np.abs(difference) <= TIE_TOLERANCE * (apart[later] + apart[earlier])
            i = np.flatnonzero(~tie)
            in_order = difference[i] > 0
            first, second = earlier * n + i, later * n + i
            near.append(np.where(in_order, first, second))
            far.append(np.where(in_order, second, first))
    empty = np.empty(0, dtype=np.intp)
    return Triplets(neighbours, np.concatenate([empty, *near]), np.concatenate([empty, *far]))
