"""Compiled passes over the pairs (i, neighbours[rank, i]); imported only inside functions that need it."""

from __future__ import annotations

import numpy as np
from numba import njit

import nearkin.numerics.compiling  # noqa: F401


# Sums may be reordered, which vectorisation requires.
@njit(cache=True, fastmath={"reassoc", "contract"})
def pair_distances(Z, neighbours):
    """Squared Euclid of each pair of rows of Z, in the shape of `neighbours` (K x n)."""
    n_ranks, n = neighbours.shape
    D = np.empty((n_ranks, n))
    for rank in range(n_ranks):
        for i in range(n):
            j = neighbours[rank, i]
            total = 0.0
            for c in range(Z.shape[1]):
                difference = Z[i, c] - Z[j, c]
                total += difference * difference
            D[rank, i] = total
    return D


@njit(cache=True)
def laplacian_times(coefficients, neighbours, X):
    """L X for the Laplacian of the graph of pairs, so that X' L X is the sum of b (x_i - x_j)(x_i - x_j)'."""
    n_ranks, n = neighbours.shape
    n_features = X.shape[1]
    out = np.zeros(X.shape)
    # Separate arrays cannot overlap with a row of the result, which vectorisation requires.
    own, part = np.empty(n_features), np.empty(n_features)
    for i in range(n):
        own[:] = 0.0
        row = X[i]
        for rank in range(n_ranks):
            b = coefficients[rank, i]
            if b == 0.0:
                continue
            j = neighbours[rank, i]
            other, other_out = X[j], out[j]
            for c in range(n_features):
                part[c] = b * (row[c] - other[c])
            for c in range(n_features):
                own[c] += part[c]
            for c in range(n_features):
                other_out[c] -= part[c]
        row_out = out[i]
        for c in range(n_features):
            row_out[c] += own[c]
    return out


@njit(cache=True)
def gather(matrix, rows, columns):
    """``matrix[rows][:, columns]`` in one pass, without a copy of whole rows."""
    out = np.empty((len(rows), len(columns)), matrix.dtype)
    for t in range(len(rows)):
        row = matrix[rows[t]]
        for c in range(len(columns)):
            out[t, c] = row[columns[c]]
    return out
