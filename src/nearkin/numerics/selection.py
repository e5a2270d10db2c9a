"""Choosing the smallest entries of each row."""

from __future__ import annotations

import numpy as np


def smallest_per_row(D: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest values of each row and their columns, sorted by value, then by column.

    Ties at the k-th place go to the lowest columns, so that the answer does not depend on how the
    caller cut its blocks.

    >>> smallest_per_row(np.array([[3.0, 1.0, 1.0, 0.0]]), 2)
    (array([[0., 1.]]), array([[3, 1]]))
    """
    n = D.shape[1]
    if k >= n:
        order = np.argsort(D, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(D, order, axis=1), order
    candidates = np.argpartition(D, k - 1, axis=1)[:, :k]
    values = np.take_along_axis(D, candidates, axis=1)
    worst = values.max(axis=1)
    # argpartition breaks ties at the k-th place arbitrarily: redo the rare rows where one exists.
    tied = np.flatnonzero((worst[:, None] >= D).sum(axis=1) > k)
    for row in tied:
        candidates[row] = np.argsort(D[row], kind="stable")[:k]
        values[row] = D[row, candidates[row]]
    order = np.lexsort((candidates, values), axis=1)
    return np.take_along_axis(values, order, axis=1), np.take_along_axis(candidates, order, axis=1)
