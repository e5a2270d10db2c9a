"""Squared differences of neighbour pairs as a matrix that is stored only if it fits into memory."""

from __future__ import annotations

import numpy as np

# Squared differences are stored if they fit into this many bytes, and otherwise recomputed block by block.
MEMORY_BUDGET = 256 * 2**20
# Bytes of one block and the differences it is computed from.
BLOCK_BYTES = 8 * 2**20


class SquaredDifferences:
    """The matrix of squared differences, one row per neighbour pair and one column per feature.

    Every triplet is the difference of two of these rows, so all sums over the T triplets are computed
    through the (far fewer) pairs, and nothing of size T x p is ever made.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    rows, neighbours : ndarray of shape (n_pairs,)
        The two ends of each pair.
    memory_budget : int
        Largest number of bytes for the matrix to be stored.
    single_from : int, optional
        A matrix of more bytes than this is stored in float32; sums are in float64.
    """

    def __init__(
        self, X, rows, neighbours, memory_budget: int = MEMORY_BUDGET, single_from: int | None = None
    ):
        self.X = X
        self.rows = rows
        self.neighbours = neighbours
        self.shape = (len(rows), X.shape[1])
        self._block = max(1, min(memory_budget, BLOCK_BYTES) // (16 * X.shape[1]))
        self._stored: np.ndarray | None = None
        if self.shape[0] * self.shape[1] * 8 <= memory_budget:
            # In blocks, because gathering both ends of all pairs would take twice as much memory again.
            large = single_from is not None and self.shape[0] * self.shape[1] * 8 > single_from
            stored = np.empty(self.shape, dtype=np.float32 if large else np.float64)
            for part, block in self._blocks():
                stored[part] = block
            self._stored = stored

    def first(self, n_pairs: int) -> SquaredDifferences:
        """The same matrix for the first pairs only; the stored part is shared."""
        part = object.__new__(SquaredDifferences)
        part.__dict__.update(self.__dict__)
        part.rows, part.neighbours = self.rows[:n_pairs], self.neighbours[:n_pairs]
        part.shape = (n_pairs, self.shape[1])
        part._stored = None if self._stored is None else self._stored[:n_pairs]
        return part

    def take(self, pairs, columns=slice(None)) -> np.ndarray:
        """Rows of the matrix, or some columns of them."""
        if self._stored is not None:
            if self._stored.dtype != np.float64:
                return self._stored[pairs][:, columns].astype(np.float64)
            if isinstance(pairs, slice) or isinstance(columns, slice):
                return self._stored[pairs][:, columns]
            from nearkin.numerics.kernels_pair_graph import gather

            return gather(self._stored, pairs, columns)
        X = self.X[:, columns]
        difference = X[self.rows[pairs]].astype(np.float64)
        difference -= X[self.neighbours[pairs]]
        return np.square(difference, out=difference)

    def _blocks(self):
        for start in range(0, self.shape[0], self._block):
            part = slice(start, start + self._block)
            yield part, self.take(part)

    def times(self, weights: np.ndarray) -> np.ndarray:
        """Weighted squared distance of each pair."""
        if self._stored is not None and self._stored.dtype == np.float64:
            return self._stored @ weights
        return np.concatenate([block @ weights for _, block in self._blocks()])

    def transposed_times(self, coefficients: np.ndarray) -> np.ndarray:
        """Sum of the pairs' squared differences, each with its coefficient."""
        if self._stored is not None and self._stored.dtype == np.float64:
            return coefficients @ self._stored
        return sum(coefficients[part] @ block for part, block in self._blocks())
