"""Compiled loops over pairs of rows that lie near each other."""

from __future__ import annotations

import numpy as np
from numba import njit

# Products looked at together: first many, then, where something is found, few.
FEW, MANY = 16, 64
# Beyond any squared distance; finite, as fast-math loops may assume that nothing is infinite.
FAR = 1e37


@njit(cache=True, nogil=True, fastmath=True)
def collect_near(
    G, row, column, norms, halves, limits, firsts, written, rows_out, columns_out, distances_out
):
    """Add the near pairs of a tile: those with ``halves[i] + halves[j] - G <= max of their limits``.

    G holds the inner products of rows ``row...`` with rows ``column...``; only partners from
    ``firsts[i]`` on are listed. Returns how many pairs are written then, or -1 if the output is too short.
    """
    zero = G.dtype.type(0)
    n_rows, n_columns = G.shape
    found = np.empty(FEW, np.int32)
    # Loops over plain ranges of views, counting instead of branching, are what the compiler vectorises.
    others, other_limits = halves[column : column + n_columns], limits[column : column + n_columns]
    for r in range(n_rows):
        i = row + r
        half, limit, first = halves[i], limits[i], firsts[i] - column
        products = G[r]
        for first_of_many in range(0, n_columns, MANY):
            end = min(first_of_many + MANY, n_columns)
            if end <= first:
                continue
            count = np.int32(0)
            for c in range(first_of_many, end):
                count += np.int32(half + others[c] - products[c] <= max(limit, other_limits[c]))
            if count == 0:
                continue
            if written + count > rows_out.size:
                return -1
            for start in range(first_of_many, end, FEW):
                stop = min(start + FEW, end)
                count = np.int32(0)
                for c in range(start, stop):
                    count += np.int32(half + others[c] - products[c] <= max(limit, other_limits[c]))
                if count == 0:
                    continue
                # Writing all and keeping some is faster than to branch on each.
                finds = np.int64(0)
                for c in range(max(start, first), stop):
                    found[finds] = c
                    finds += np.int64(half + others[c] - products[c] <= max(limit, other_limits[c]))
                for f in range(finds):
                    c = found[f]
                    rows_out[written] = i
                    columns_out[written] = column + c
                    distances_out[written] = max(norms[i] + norms[column + c] - 2 * products[c], zero)
                    written += 1
    return written


@njit(cache=True, nogil=True)
def sort_by_row(rows, columns, distances, row, counts, columns_out, distances_out):
    """Bring pairs of rows ``row...`` into rising order of the rows, otherwise as they are, and count them."""
    counts[:] = 0
    for p in range(rows.size):
        counts[rows[p] - row] += 1
    places = np.cumsum(counts) - counts
    for p in range(rows.size):
        r = rows[p] - row
        columns_out[places[r]] = columns[p]
        distances_out[places[r]] = distances[p]
        places[r] += 1


@njit(cache=True, nogil=True, fastmath=True)
def nearest_other(G, row, column, norms, minima, nearest):
    """Update each row's nearest other row from a tile of inner products; minima lack the row's norm."""
    n_rows, n_columns = G.shape
    others = norms[column : column + n_columns]
    for r in range(n_rows):
        i = row + r
        products = G[r]
        for start in range(0, n_columns, MANY):
            stop = min(start + MANY, n_columns)
            low = minima[i]
            count = np.int32(0)
            for c in range(start, stop):
                count += np.int32(others[c] - 2 * products[c] < low)
            if count > 0:
                for c in range(start, stop):
                    if column + c != i and others[c] - 2 * products[c] < minima[i]:
                        minima[i] = others[c] - 2 * products[c]
                        nearest[i] = column + c


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


@njit(cache=True, nogil=True)
def count_partners(indptr, others, weights, first, stop, counts):
    """Count for each row its pairs among those listed in rows first..stop, if they weigh anything."""
    for i in range(first, stop):
        for p in range(indptr[i], indptr[i + 1]):
            if weights[p] != 0:
                counts[i] += 1
                counts[others[p]] += 1


@njit(cache=True, nogil=True)
def fill_partners(indptr, others, weights, first, stop, places, partners_out, weights_out):
    """Write the pairs counted so to both their rows, from the given places on."""
    for i in range(first, stop):
        for p in range(indptr[i], indptr[i + 1]):
            weight = weights[p]
            if weight != 0:
                j = others[p]
                here, there = places[i], places[j]
                partners_out[here] = j
                weights_out[here] = weight
                places[i] = here + 1
                partners_out[there] = i
                weights_out[there] = weight
                places[j] = there + 1


@njit(cache=True, nogil=True, fastmath=True)
def gather_pairs(Z, starts, partners, weights, first, stop, dZ):
    """Gradient of sum of weight * distance over mirrored pairs, for rows first..stop."""
    width = Z.shape[1]
    own = np.empty(width, Z.dtype)
    for i in range(first, stop):
        own[:] = 0
        total = Z.dtype.type(0)
        p, end = starts[i], starts[i + 1]
        # Several partners at a time: the sums are read and written once for all of them.
        while p + 3 < end:
            wa, wb, wc, wd = weights[p], weights[p + 1], weights[p + 2], weights[p + 3]
            a, b = Z[partners[p]], Z[partners[p + 1]]
            c, d = Z[partners[p + 2]], Z[partners[p + 3]]
            total += wa + wb + wc + wd
            for k in range(width):
                own[k] += wa * a[k] + wb * b[k] + wc * c[k] + wd * d[k]
            p += 4
        while p < end:
            wa = weights[p]
            a = Z[partners[p]]
            total += wa
            for k in range(width):
                own[k] += wa * a[k]
            p += 1
        for k in range(width):
            dZ[i, k] = 2 * (total * Z[i, k] - own[k])


@njit(cache=True, nogil=True, fastmath=True)
def scatter_targets(Z, targets, weights, dZ):
    """Add the gradient of sum of weight * distance over a table of listed rows; -1 stands for none."""
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


@njit(cache=True, nogil=True, fastmath=True)
def pair_excesses(indptr, others, distances, roots):
    """Root of each listed pair's distance minus the larger of its rows' roots."""
    out = np.empty_like(distances)
    for i in range(indptr.size - 1):
        for p in range(indptr[i], indptr[i + 1]):
            out[p] = np.sqrt(distances[p]) - max(roots[i], roots[others[p]])
    return out
