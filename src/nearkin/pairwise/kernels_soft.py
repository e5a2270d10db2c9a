"""Compiled loops of softly weighted neighbours: p_ij = exp(-sharpness_i * D_ij) / (sum over j != i).

Rows ``first..stop`` mean ``range(first, stop)``: each worker has a stretch of its own.
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
            # Counting is vectorised where a running minimum is not, and new minima are rare.
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
def softmax_histogram(distances, sharpness, per_unit, counts, shares):
    """Add up, over rows, how many neighbours and what share of the weights lie how far below the largest.

    Bins hold ``1 / per_unit`` of an exponent each; `shares` has one more bin than `counts`, for all
    that lies beyond.
    """
    n_rows, n = distances.shape
    beyond = counts.size
    weights = np.empty(beyond + 1)
    for r in range(n_rows):
        low = distances[r, 0]
        for j in range(n):
            low = min(low, distances[r, j])
        weights[:] = 0.0
        total = 0.0
        for j in range(n):
            exponent = sharpness[r] * (distances[r, j] - low)
            bin_ = beyond if exponent * per_unit >= beyond else int(exponent * per_unit)
            weight = exp(-exponent)
            weights[bin_] += weight
            total += weight
            if bin_ < beyond:
                counts[bin_] += 1
        for b in range(beyond + 1):
            shares[b] += weights[b] / total


@njit(cache=True, nogil=True, fastmath=True)
def row_softmax(starts, partners, first, stop, distances, sharpness, decay, nearest):
    """Overwrite listed distances with the softmax rows p, for rows first..stop; note the nearest.

    Exponents farther than `decay` below the row's largest give zero: what a longer list holds besides
    does not count, so that the values do not depend on the list at hand.
    """
    lowest = -distances.dtype.type(decay)
    zero = distances.dtype.type(0)
    for i in range(first, stop):
        begin = starts[i]
        row = distances[begin : starts[i + 1]]
        if row.size == 0:
            continue
        low = row[0]
        for e in range(row.size):
            low = min(low, row[e])
        where = 0
        while row[where] > low:
            where += 1
        nearest[i] = partners[begin + where]
        sharp = sharpness[i]
        total = zero
        for e in range(row.size):
            exponent = sharp * (low - row[e])
            weight = exp(exponent) if exponent >= lowest else zero
            row[e] = weight
            total += weight
        inverse = 1 / total
        for e in range(row.size):
            row[e] *= inverse


@njit(cache=True, nogil=True, fastmath=True)
def row_target_sums(starts, partners, first, stop, P, targets, out):
    """Sums of the partners' target rows, weighted with p, of rows first..stop."""
    for i in range(first, stop):
        sums = out[i - first]
        for e in range(starts[i], starts[i + 1]):
            if P[e] != 0:
                j = partners[e]
                for t in range(targets.shape[1]):
                    sums[t] += P[e] * targets[j, t]


@njit(cache=True, nogil=True, fastmath=True)
def row_class_sums(starts, partners, first, stop, P, codes, out):
    """The same for one-hot targets given as codes."""
    # Partners of one class often follow each other: two sums in turn need not wait for each other.
    others = np.zeros(out.shape[1], out.dtype)
    for i in range(first, stop):
        sums = out[i - first]
        begin, end = starts[i], starts[i + 1]
        for e in range(begin, end - 1, 2):
            sums[codes[partners[e]]] += P[e]
            others[codes[partners[e + 1]]] += P[e + 1]
        if (end - begin) % 2:
            sums[codes[partners[end - 1]]] += P[end - 1]
        for c in range(others.size):
            sums[c] += others[c]
            others[c] = 0


@njit(cache=True, nogil=True, fastmath=True)
def row_weigh_targets(starts, partners, first, stop, P, targets, slopes, offsets):
    """Overwrite p_ij with p_ij * (slope of i . targets[j] + offset of i), for rows first..stop."""
    for i in range(first, stop):
        slope, offset = slopes[i - first], offsets[i - first]
        for e in range(starts[i], starts[i + 1]):
            if P[e] != 0:
                j = partners[e]
                factor = offset
                for t in range(targets.shape[1]):
                    factor += slope[t] * targets[j, t]
                P[e] *= factor


@njit(cache=True, nogil=True, fastmath=True)
def row_weigh_classes(starts, partners, first, stop, P, codes, slopes, offsets):
    """The same for one-hot targets given as codes."""
    for i in range(first, stop):
        slope, offset = slopes[i - first], offsets[i - first]
        for e in range(starts[i], starts[i + 1]):
            P[e] *= slope[codes[partners[e]]] + offset
