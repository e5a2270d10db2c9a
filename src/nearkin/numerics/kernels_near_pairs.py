"""Compiled loops over pairs of rows that lie near each other."""

from __future__ import annotations

import numpy as np
from numba import njit

from nearkin.numerics.lane_masks import LANES, first_bit, mask_below, mask_within

# Beyond any squared distance; finite, as fast-math loops may assume that nothing is infinite.
FAR = 1e37


@njit(cache=True, nogil=True)
def collect_near(
    G, row, column, norms, halves, limits, firsts, written, rows_out, columns_out, distances_out
):
    """Add the near pairs of a tile: those with ``halves[i] + halves[j] - G <= max of their limits``.

    G holds the inner products of rows ``row...`` with rows ``column...``; only partners from
    ``firsts[i]`` on are listed. Returns how many pairs are written then, or -1 if the output is too short.
    """
    zero = G.dtype.type(0)
    n_rows, n_columns = G.shape
    others, other_limits = halves[column : column + n_columns], limits[column : column + n_columns]
    for r in range(n_rows):
        i = row + r
        first = firsts[i] - column
        products = G[r]
        for start in range(max(first, 0) // LANES * LANES, n_columns, LANES):
            mask = mask_within(products, others, other_limits, start, halves[i], limits[i])
            if start < first:
                mask &= ~((np.uint64(1) << np.uint64(first - start)) - np.uint64(1))
            if mask != 0 and written + LANES > rows_out.size:
                return -1
            while mask != 0:
                c = start + np.int64(first_bit(mask))
                mask &= mask - np.uint64(1)
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


@njit(cache=True, nogil=True)
def nearest_others(G, row, column, halves, minima, nearest):
    """Update each row's nearest other rows, in rising order, from a tile of inner products.

    `halves` are half the squared norms; `minima` are half the distances, less that of the row.
    """
    n_rows, n_columns = G.shape
    last = minima.shape[1] - 1
    others = halves[column : column + n_columns]
    for r in range(n_rows):
        i = row + r
        products, distances, found = G[r], minima[i], nearest[i]
        for start in range(0, n_columns, LANES):
            mask = mask_below(products, others, start, distances[last])
            while mask != 0:
                c = start + np.int64(first_bit(mask))
                mask &= mask - np.uint64(1)
                distance = others[c] - products[c]
                if distance < distances[last] and column + c != i:
                    place = last
                    while place > 0 and distances[place - 1] > distance:
                        distances[place] = distances[place - 1]
                        found[place] = found[place - 1]
                        place -= 1
                    distances[place] = distance
                    found[place] = column + c


@njit(cache=True, nogil=True, fastmath=True)
def _distance(Z, i, j):
    """Squared distance of two rows, from differences: nothing cancels."""
    total = Z.dtype.type(0)
    for c in range(Z.shape[1]):
        difference = Z[i, c] - Z[j, c]
        total += difference * difference
    return total


@njit(cache=True, nogil=True, fastmath=True)
def pair_distances(Z, indptr, others, first, stop, out):
    """Squared distances of listed pairs (rows first..stop)."""
    for i in range(first, stop):
        for p in range(indptr[i], indptr[i + 1]):
            out[p] = _distance(Z, i, others[p])


@njit(cache=True, nogil=True, fastmath=True)
def keep_within(Z, indptr, others, limits, first, stop, counts, others_out, distances_out):
    """Keep the pairs listed in rows first..stop that are within the larger of their limits.

    They are written from where the first of the rows begins; `counts` are those kept of each row.
    """
    written = indptr[first]
    for i in range(first, stop):
        before = written
        for p in range(indptr[i], indptr[i + 1]):
            j = others[p]
            distance = _distance(Z, i, j)
            # Writing all and keeping some is faster than to branch on each.
            others_out[written] = j
            distances_out[written] = distance
            written += np.int64(distance <= max(limits[i], limits[j]))
        counts[i] = written - before


@njit(cache=True, nogil=True, fastmath=True)
def distances_to(Z, targets, out):
    """Squared distance of each row to each of its listed rows; -1 in the list stands for none."""
    n, k = targets.shape
    for i in range(n):
        for t in range(k):
            j = targets[i, t]
            out[i, t] = _distance(Z, i, j) if j >= 0 else 0


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
def pair_moves(indptr, others, distances, roots, excesses, half_margin, remember, first, stop, sums):
    """How the pairs listed in rows first..stop have moved since their excesses were remembered.

    An excess is the root of the distance minus the larger of the rows' roots. Adds up the moves
    inwards, their squares, the pairs without excess now, and those of them that had more than
    `half_margin`.
    """
    moved, squares = 0.0, 0.0
    inside, entered = 0, 0
    for i in range(first, stop):
        root = roots[i]
        for p in range(indptr[i], indptr[i + 1]):
            now, before = np.sqrt(distances[p]) - max(root, roots[others[p]]), excesses[p]
            move = before - now
            moved += move
            squares += move * move
            inside += np.int64(now < 0)
            entered += np.int64(now < 0 and before > half_margin)
            if remember:
                excesses[p] = now
    sums[0], sums[1], sums[2], sums[3] = moved, squares, inside, entered
