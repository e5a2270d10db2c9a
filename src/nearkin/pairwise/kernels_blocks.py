"""Compiled loops over blocks of inner products, some rows by all: softmax weights and hinges.

Columns are sorted by class: those of class c are ``segments[c]`` to ``segments[c + 1]``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from nearkin.numerics.fast_exp import exp


@njit(cache=True, nogil=True, fastmath=True)
def softmax_block(G, first, highest, sharpness, segments, sums):
    """Overwrite scores (rows first... x all columns) with kernel weights, that of the highest score one.

    The weight of row i is ``exp(sharpness[i] * (score - highest))``, zero for itself. Also adds up a row's
    weights over each stretch of columns, from ``segments[c]`` to ``segments[c + 1]``.
    """
    zero = G.dtype.type(0)
    for r in range(G.shape[0]):
        high, sharp = highest[r], sharpness[first + r]
        for j in range(G.shape[1]):
            G[r, j] = exp(sharp * (G[r, j] - high))
        G[r, first + r] = 0
        for c in range(segments.size - 1):
            total = zero
            for j in range(segments[c], segments[c + 1]):
                total += G[r, j]
            sums[r, c] = total


@njit(cache=True, nogil=True, fastmath=True)
def weigh_classes(P, segments, slopes, offsets):
    """Overwrite p_ij with p_ij * (slopes[i, class of j] + offsets[i]); columns are sorted by class."""
    for r in range(P.shape[0]):
        for c in range(segments.size - 1):
            factor = slopes[r, c] + offsets[r]
            for j in range(segments[c], segments[c + 1]):
                P[r, j] *= factor


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
