"""Compiled loops over pairs of rows that lie near each other."""

from __future__ import annotations

import numpy as np
from numba import njit

CHUNK = 64
# Beyond any squared distance; finite, as fast-math loops may assume that nothing is infinite.
FAR = 1e37


@njit(cache=True, nogil=True, fastmath=True)
def count_near(G, first, norms, limits, groups, rounding, chunk_counts):
    """Pairs of a block within the limits, counted per row and chunk of columns.

    Row r of the block is sample ``first + r``; column c is sample ``first + c``; only columns after
    the row's own, of another group, are counted. ``G`` holds inner products; `rounding` times the
    norms is granted for what the products may have lost.
    """
    n_rows, n_columns = G.shape
    n_chunks = (n_columns + CHUNK - 1) // CHUNK
    total = 0
    for r in range(n_rows):
        i = first + r
        limit, norm, group = limits[i], norms[i], groups[i]
        for chunk in range(r // CHUNK, n_chunks):
            start = chunk * CHUNK
            stop = min(start + CHUNK, n_columns)
            count = 0
            for c in range(start, stop):
                size = norm + norms[first + c]
                distance = size - 2 * G[r, c] - rounding * size
                count += (distance <= max(limit, limits[first + c])) & (groups[first + c] != group)
            if chunk == r // CHUNK:
                count = 0
                for c in range(r + 1, stop):
                    size = norm + norms[first + c]
                    distance = size - 2 * G[r, c] - rounding * size
                    count += (distance <= max(limit, limits[first + c])) & (groups[first + c] != group)
            chunk_counts[r, chunk] = count
            total += count
        for chunk in range(r // CHUNK):
            chunk_counts[r, chunk] = 0
    return total


@njit(cache=True, nogil=True, fastmath=True)
def fill_near(G, first, norms, limits, groups, rounding, chunk_counts, row_counts, others):
    """Write the partners that `count_near` counted, row by row in rising order."""
    n_rows, n_columns = G.shape
    n_chunks = (n_columns + CHUNK - 1) // CHUNK
    written = 0
    for r in range(n_rows):
        i = first + r
        before = written
        for chunk in range(r // CHUNK, n_chunks):
            if chunk_counts[r, chunk] == 0:
                continue
            for c in range(max(chunk * CHUNK, r + 1), min((chunk + 1) * CHUNK, n_columns)):
                size = norms[i] + norms[first + c]
                distance = size - 2 * G[r, c] - rounding * size
                near = distance <= max(limits[i], limits[first + c])
                if near and groups[first + c] != groups[i]:
                    others[written] = first + c
                    written += 1
        row_counts[r] = written - before
    return written


@njit(cache=True, nogil=True, fastmath=True)
def nearest_other(G, first, norms, minima, nearest):
    """Nearest other sample of each row of a full block of inner products (all columns)."""
    n_rows, n = G.shape
    for r in range(n_rows):
        i = first + r
        best = G.dtype.type(FAR)
        at = 0
        for start in range(0, n, CHUNK):
            stop = min(start + CHUNK, n)
            low = G.dtype.type(FAR)
            for j in range(start, stop):
                low = min(low, norms[j] - 2 * G[r, j])
            if low < best or (start <= i < stop):
                for j in range(start, stop):
                    if j != i and norms[j] - 2 * G[r, j] < best:
                        best = norms[j] - 2 * G[r, j]
                        at = j
        minima[i] = best + norms[i]
        nearest[i] = at


@njit(cache=True, nogil=True, fastmath=True)
def pair_distances(Z, indptr, others, first, stop, out):
    """Squared distances of listed pairs (rows first..stop), from differences: nothing cancels."""
    width = Z.shape[1]
    for i in range(first, stop):
        for p in range(indptr[i], indptr[i + 1]):
            j = others[p]
            total = Z.dtype.type(0)
            for c in range(width):
                difference = Z[i, c] - Z[j, c]
                total += difference * difference
            out[p] = total


@njit(cache=True, nogil=True, fastmath=True)
def distances_to(Z, targets, out):
    """Squared distance of each row to each of its listed rows; -1 in the list stands for none."""
    n, k = targets.shape
    for i in range(n):
        for t in range(k):
            j = targets[i, t]
            total = Z.dtype.type(0)
            if j >= 0:
                for c in range(Z.shape[1]):
                    difference = Z[i, c] - Z[j, c]
                    total += difference * difference
            out[i, t] = total


@njit(cache=True, nogil=True, fastmath=True)
def scatter_pairs(Z, indptr, others, weights, first, stop, dZ):
    """Add the gradient of sum of weight * distance over listed pairs (rows first..stop)."""
    width = Z.shape[1]
    own = np.empty(width, Z.dtype)
    for i in range(first, stop):
        own[:] = 0
        for p in range(indptr[i], indptr[i + 1]):
            weight = 2 * weights[p]
            if weight != 0:
                j = others[p]
                for c in range(width):
                    pull = weight * (Z[i, c] - Z[j, c])
                    own[c] += pull
                    dZ[j, c] -= pull
        for c in range(width):
            dZ[i, c] += own[c]


@njit(cache=True, nogil=True, fastmath=True)
def scatter_targets(Z, targets, weights, dZ):
    """The same for a table of listed rows; -1 stands for none."""
    n, k = targets.shape
    width = Z.shape[1]
    for i in range(n):
        for t in range(k):
            j = targets[i, t]
            weight = 2 * weights[i, t]
            if j >= 0 and weight != 0:
                for c in range(width):
                    pull = weight * (Z[i, c] - Z[j, c])
                    dZ[i, c] += pull
                    dZ[j, c] -= pull
