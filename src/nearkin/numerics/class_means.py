"""Every row paired with all others of its class, without listing the pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nearkin.numerics.products import dense

#: Rows scaled at a time.
ROWS_AT_ONCE = 16_384


@dataclass(frozen=True)
class ClassMeans:
    """The n x n matrix O with ``O[j, i] = w_i / (n_c - 1)`` for rows j != i of one class c of n_c rows.

    With weights of one, ``O @ X`` holds for each row the mean of the others in its class. A class has weight
    in proportion to its rows, not its pairs; rows alone in their class have none.

    Parameters
    ----------
    codes : int array of shape (n,)
        Class of each row.
    weights : ndarray of shape (n,)

    Examples
    --------
    >>> ClassMeans(np.array([0, 0, 0, 1]), np.ones(4)).tocsr().toarray()
    array([[0. , 0.5, 0.5, 0. ],
           [0.5, 0. , 0.5, 0. ],
           [0.5, 0.5, 0. , 0. ],
           [0. , 0. , 0. , 0. ]])
    """

    codes: np.ndarray
    weights: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.codes), len(self.codes)

    @property
    def nnz(self) -> int:
        sizes = np.bincount(self.codes).astype(np.int64)
        return int((sizes * (sizes - 1)).sum())

    def sum(self, axis: int) -> np.ndarray:
        """Sums of the columns (0) or of the rows (1)."""
        shares = self._shares
        if axis == 0:
            return np.where(shares > 0, self.weights, 0.0)
        totals = np.bincount(self.codes, weights=self.weights)
        return (totals[self.codes] - self.weights) * shares

    def moment(self, X) -> np.ndarray:
        """``X' O X`` as a float64 d x d array, from class sums, block by block of rows."""
        n, n_classes, width = len(self.codes), int(self.codes.max()) + 1, X.shape[1]
        factors = self.weights * self._shares
        sums, weighted, itself = (np.zeros((rows, width)) for rows in (n_classes, n_classes, width))
        for start in range(0, n, ROWS_AT_ONCE):
            part = slice(start, start + ROWS_AT_ONCE)
            rows, scaled = X[part], _scaled(X[part], factors[part])
            places = (self.codes[part], np.arange(rows.shape[0]))
            members = sparse.csr_array(
                (np.ones(rows.shape[0]), places), shape=(n_classes, rows.shape[0]), dtype=np.float64
            )
            sums += dense(members @ rows)
            weighted += dense(members @ scaled)
            itself += dense(rows.T @ scaled)
        return sums.T @ weighted - itself

    def tocsr(self) -> sparse.csr_array:
        """The matrix itself, with one entry per pair."""
        n = len(self.codes)
        members = sparse.csr_array((np.ones(n), (np.arange(n), self.codes)))
        pairs = (members @ members.T).tocsr()
        pairs.setdiag(0)
        pairs.eliminate_zeros()
        scaled = pairs @ sparse.diags_array(self.weights * self._shares)
        return sparse.csr_array(scaled)

    @property
    def _shares(self) -> np.ndarray:
        """1 / (n_c - 1) for each row's class, zero for rows alone in theirs."""
        others = np.bincount(self.codes)[self.codes] - 1
        return np.divide(1.0, others, out=np.zeros(len(others)), where=others > 0)


def _scaled(X, factors: np.ndarray):
    if sparse.issparse(X):
        return sparse.diags_array(factors.astype(X.dtype)) @ X
    return X * factors[:, None].astype(X.dtype)
