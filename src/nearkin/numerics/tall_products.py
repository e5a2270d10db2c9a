"""Products of matrices with many rows, divided among workers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from nearkin.numerics.threads import run_parts, worker_count


def tall_product(X: np.ndarray, B: np.ndarray) -> np.ndarray:
    """``X @ B`` for a tall X.

    >>> tall_product(np.ones((3, 2)), np.eye(2)).shape
    (3, 2)
    """
    workers = worker_count(X.shape[0] * B.size)
    if workers == 1:
        return X @ B
    out = np.empty((X.shape[0], B.shape[1]), dtype=np.result_type(X, B))
    stripes = _stripes(X.shape[0], workers)
    run_parts(lambda part: np.dot(X[stripes[part]], B, out=out[stripes[part]]), workers)
    return out


def tall_inner_product(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """``X.T @ Y`` for tall X and Y.

    >>> tall_inner_product(np.ones((3, 1)), np.ones((3, 2)))
    array([[3., 3.]])
    """
    workers = worker_count(X.size * Y.shape[1])
    if workers == 1:
        return X.T @ Y
    stripes, parts = _stripes(X.shape[0], workers), [np.empty(0)] * workers

    def work(part) -> None:
        parts[part] = X[stripes[part]].T @ Y[stripes[part]]

    run_parts(work, workers)
    return np.sum(parts, axis=0)


def _stripes(n: int, parts: int) -> list[slice]:
    return [slice(a, b) for a, b in pairwise(np.linspace(0, n, parts + 1).astype(int).tolist())]
