"""Leave-one-out error of k-NN regression on the training rows, for choosing between metrics."""

from __future__ import annotations

import numpy as np

from nearkin.search import ExactIndex


def leave_one_out_arrmse(Z, Y, n_neighbors, rows) -> float:
    """Best leave-one-out aRRMSE of the mean target of the k nearest rows, over the k offered.

    Parameters
    ----------
    Z : ndarray of shape (n, e)
        Embedded rows.
    Y : ndarray of shape (n, q)
        Targets with mean 0; none constant.
    n_neighbors : sequence of int
        Numbers of neighbours offered, each below n.
    rows : ndarray
        Rows whose targets are predicted; all rows serve as references.
    """
    most = max(n_neighbors)
    _, found = ExactIndex().build(Z).query(Z[rows], most + 1)
    other = found != rows[:, None]
    other[other.all(axis=1), -1] = False
    found = found[other].reshape(len(rows), most)
    deviation = np.sqrt((Y[rows] ** 2).mean(axis=0))
    deviation[deviation == 0] = 1.0
    total = np.zeros((len(rows), Y.shape[1]))
    best = np.inf
    for k in range(1, most + 1):
        total += Y[found[:, k - 1]]
        if k in n_neighbors:
            error = np.sqrt(((total / k - Y[rows]) ** 2).mean(axis=0))
            best = min(best, float((error / deviation).mean()))
    return best
