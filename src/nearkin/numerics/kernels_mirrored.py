"""Compiled loops over pairs that stand in the rows of both their partners."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def count_partners(indptr, others, first, stop, counts):
    """Count for each row the pairs, of those listed in rows first..stop, whose other it is."""
    for p in range(indptr[first], indptr[stop]):
        counts[others[p]] += 1


@njit(cache=True, nogil=True)
def fill_partners(indptr, others, middles, first, stop, places, partners, mirrors):
    """Write the pairs counted so to the rows of both partners."""
    for i in range(first, stop):
        shift = middles[i] - indptr[i]
        for p in range(indptr[i], indptr[i + 1]):
            j = others[p]
            there = places[j]
            places[j] = there + 1
            partners[shift + p] = j
            partners[there] = i
            mirrors[p] = there


@njit(cache=True, nogil=True)
def spread(indptr, middles, mirrors, values, first, stop, out):
    """Write the values of the pairs listed in rows first..stop to both their entries."""
    for i in range(first, stop):
        shift = middles[i] - indptr[i]
        for p in range(indptr[i], indptr[i + 1]):
            out[shift + p] = values[p]
            out[mirrors[p]] = values[p]


@njit(cache=True, nogil=True)
def join(indptr, middles, mirrors, first, stop, weights):
    """Replace both weights of the pairs listed in rows first..stop with their sum."""
    for i in range(first, stop):
        shift = middles[i] - indptr[i]
        for p in range(indptr[i], indptr[i + 1]):
            there = mirrors[p]
            total = weights[shift + p] + weights[there]
            weights[shift + p] = total
            weights[there] = total


@njit(cache=True, nogil=True, fastmath=True)
def gather_pairs(starts, partners, weights, first, stop, Z, dZ):
    """Gradient of the sum over all pairs of weight * distance, for rows first..stop."""
    width = Z.shape[1]
    own = np.empty(width, Z.dtype)
    longest = 0
    for i in range(first, stop):
        longest = max(longest, starts[i + 1] - starts[i])
    near, pulls = np.empty(longest + 1, np.int32), np.empty(longest + 1, Z.dtype)
    for i in range(first, stop):
        # Writing all and keeping some is faster than to branch on each.
        count = 0
        for e in range(starts[i], starts[i + 1]):
            near[count] = partners[e]
            pulls[count] = weights[e]
            count += np.int64(weights[e] != 0)
        own[:] = 0
        total = Z.dtype.type(0)
        p = 0
        # Several partners at a time: the sums are read and written once for all of them.
        while p + 3 < count:
            wa, wb, wc, wd = pulls[p], pulls[p + 1], pulls[p + 2], pulls[p + 3]
            a, b, c, d = Z[near[p]], Z[near[p + 1]], Z[near[p + 2]], Z[near[p + 3]]
            total += wa + wb + wc + wd
            for k in range(width):
                own[k] += wa * a[k] + wb * b[k] + wc * c[k] + wd * d[k]
            p += 4
        while p < count:
            wa, a = pulls[p], Z[near[p]]
            total += wa
            for k in range(width):
                own[k] += wa * a[k]
            p += 1
        for k in range(width):
            dZ[i, k] = 2 * (total * Z[i, k] - own[k])
