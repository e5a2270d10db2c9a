"""Compiled sweeps over the entries of a symmetric matrix; imported only inside functions that need it."""

from __future__ import annotations

import numpy as np
from numba import njit

import nearkin.numerics.compiling  # noqa: F401


@njit(cache=True)
def newton_direction(C, W, M, price, n_sweeps):
    """The step D that minimises the quadratic model of the graphical lasso at M, W being its inverse.

    Coordinate descent over the entries that are not zero or would become nonzero; U = D W is updated along
    the way, so that each entry costs O(d).
    """
    d = len(C)
    D, U = np.zeros((d, d)), np.zeros((d, d))
    for _ in range(n_sweeps):
        largest = 0.0
        for i in range(d):
            for j in range(i + 1):
                slope = C[i, j] - W[i, j]
                if i != j and M[i, j] == 0.0 and abs(slope) <= price[i, j]:
                    continue
                curvature = W[i, i] * W[j, j] + (W[i, j] ** 2 if i != j else 0.0)
                for k in range(d):
                    slope += W[i, k] * U[k, j]
                old = M[i, j] + D[i, j]
                new = old - slope / curvature
                if i != j:
                    cut = price[i, j] / curvature
                    new = np.sign(new) * max(abs(new) - cut, 0.0)
                change = new - old
                if change == 0.0:
                    continue
                largest = max(largest, abs(change) * np.sqrt(curvature))
                D[i, j] += change
                for k in range(d):
                    U[i, k] += change * W[j, k]
                if i != j:
                    D[j, i] += change
                    for k in range(d):
                        U[j, k] += change * W[i, k]
        if largest < 1e-12:
            break
    return D
