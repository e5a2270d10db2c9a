"""Compiled loops over blocks of inner products, some rows by all: softmax weights and hinges.

Columns are sorted by class: those of class c are ``segments[c]`` to ``segments[c + 1]``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from nearkin.numerics.fast_exp import exp
from nearkin.pairwise.kernels import FAR

#: Columns that are searched for a new minimum at once.
CHUNK = 64


@njit(cache=True, nogil=True, fastmath=True)
def softmax_block(G, first, norms, sharpness, segments, nearest, sums):
    """Overwrite inner products (block rows x all columns) with kernel weights, the largest of a row one.

    Also notes the nearest of each row, and adds up its weights over each stretch of columns, from
    ``segments[c]`` to ``segments[c + 1]``.
    """
    n_rows, n = G.shape
    zero = G.dtype.type(0)
    for r in range(n_rows):
        i = first + r
        norm = norms[i]
        G[r, i] = G.dtype.type(-FAR)
        low = G.dtype.type(FAR)
        where = 0
        for start in range(0, n, CHUNK):
            stop = min(start + CHUNK, n)
            # Counting is vectorised where a running minimum is not, and new minima are rare (measured: with
            # a running minimum, NCA and MEGM on a mixture take 1.15 times the CPU time).
            count = np.int32(0)
            for j in range(start, stop):
                distance = max(norm + norms[j] - 2 * G[r, j], zero)
                G[r, j] = distance
                count += np.int32(distance < low)
            if count > 0:
                where = start
                for j in range(start, stop):
                    low = min(low, G[r, j])
        while G[r, where] > low:
            where += 1
        nearest[i] = where
        sharp = sharpness[i]
        # The row's own place is lent the largest weight to keep the loop free of branches.
        G[r, i] = low
        for j in range(n):
            G[r, j] = exp(sharp * (low - G[r, j]))
        G[r, i] = 0
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
