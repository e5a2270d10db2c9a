"""Compiled loops of the large-margin loss: hinges of impostors against the reach of each row's targets.

``reaches[i, t]`` is one margin beyond target t of row i; -1 stands for no target, which no impostor
can violate.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, fastmath=True)
def hinge_block(G, first, norms, segments, codes, reaches, weights, pushes):
    """Overwrite inner products (block rows x all columns) with hinge weights; return the hinges' sum.

    Columns are sorted by class. ``pushes[i, t]`` receives how many impostors violate target t.
    """
    n_rows, n = G.shape
    zero = G.dtype.type(0)
    one = G.dtype.type(1)
    distances = np.empty(n, G.dtype)
    value = 0.0
    for r in range(n_rows):
        i = first + r
        for j in range(n):
            distances[j] = max(norms[i] + norms[j] - 2 * G[r, j], zero)
            G[r, j] = 0
        own_start, own_stop = segments[codes[i]], segments[codes[i] + 1]
        row_value = 0.0
        for t in range(reaches.shape[1]):
            reach = reaches[i, t]
            total = zero
            count = zero
            for start, stop in ((0, own_start), (own_stop, n)):
                for j in range(start, stop):
                    hinge = max(reach - distances[j], zero)
                    active = one if hinge > 0 else zero
                    total += hinge
                    count += active
                    G[r, j] -= active
            row_value += total
            pushes[i, t] = count
        weight = weights[i]
        for j in range(n):
            G[r, j] *= weight
        value += weight * row_value
    return value


@njit(cache=True, nogil=True, fastmath=True)
def hinge_list(indptr, others, distances, reaches, weights, pushes, out):
    """Hinges of listed pairs, both ways; ``out`` receives the symmetric weight of each pair."""
    value = 0.0
    for i in range(indptr.size - 1):
        for p in range(indptr[i], indptr[i + 1]):
            j = others[p]
            distance = distances[p]
            weight = 0.0
            for t in range(reaches.shape[1]):
                hinge = reaches[i, t] - distance
                if hinge > 0:
                    value += weights[i] * hinge
                    weight -= weights[i]
                    pushes[i, t] += 1
                hinge = reaches[j, t] - distance
                if hinge > 0:
                    value += weights[j] * hinge
                    weight -= weights[j]
                    pushes[j, t] += 1
            out[p] = weight
    return value
