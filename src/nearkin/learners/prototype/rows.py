"""Training rows in a canonical order, with equal ones merged."""

from __future__ import annotations

import numpy as np


def merge_equal_rows(X, y, weights) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct (row, class) pairs with their summed weights, scaled to sum to 1.

    A row given twice then equals a row of weight two, rows of weight zero are dropped, and prototypes that
    start from different rows never coincide.

    >>> X, y, w = merge_equal_rows(np.array([[1.0], [2.0], [1.0]]), np.array([0, 1, 0]), np.ones(3))
    >>> sorted(zip(X.ravel().tolist(), y.tolist(), w.round(3).tolist()))
    [(1.0, 0, 0.667), (2.0, 1, 0.333)]
    """
    kept = weights > 0
    if not kept.all():
        X, y, weights = X[kept], y[kept], weights[kept]
    # Adding zero turns -0.0, whose bytes differ, into 0.0.
    table = np.ascontiguousarray(np.column_stack([X + 0.0, y.astype(X.dtype)]))
    as_bytes = table.view(np.dtype((np.void, table.dtype.itemsize * table.shape[1]))).ravel()
    _, first, group = np.unique(as_bytes, return_index=True, return_inverse=True)
    summed = np.bincount(group.ravel(), weights=weights)
    return X[first], y[first], (summed / summed.sum()).astype(X.dtype)
