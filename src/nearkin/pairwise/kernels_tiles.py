"""Compiled loops over tiles of inner products that serve the rows of both sides: softmax sums and weights.

A tile G holds the products of rows ``row...`` with rows ``column...``, and stands for its pairs i < j. Rows
are sorted by class: those of class c are ``segments[c]`` to ``segments[c + 1]``. With real targets, a row of
`values` each, there is one class. Sums and slopes have a place for each class, then one for each target.
Distances are halved, ``halves[i] + halves[j] - G``, so `scales` are twice the sharpness. What is looped over
is sliced first: only loops from zero on are vectorised.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from nearkin.numerics.fast_exp import exp
from nearkin.pairwise.kernels import FAR

#: Exponents below this give nothing at all: numbers too small to be normal would slow products down.
_LOWEST = -60


@njit(cache=True, nogil=True, fastmath=True)
def _own_weights(distances, scale, low, out):
    lowest, zero = out.dtype.type(_LOWEST), out.dtype.type(0)
    for c in range(out.size):
        exponent = scale * (low - distances[c])
        out[c] = exp(exponent) if exponent >= lowest else zero


@njit(cache=True, nogil=True, fastmath=True)
def _other_weights(distances, scales, lows, out):
    lowest, zero = out.dtype.type(_LOWEST), out.dtype.type(0)
    for c in range(out.size):
        exponent = scales[c] * (lows[c] - distances[c])
        out[c] = exp(exponent) if exponent >= lowest else zero


@njit(cache=True, nogil=True, fastmath=True)
def _to_distances(products, half, halves):
    for c in range(products.size):
        products[c] = half + halves[c] - products[c]


@njit(cache=True, nogil=True)
def _come_nearer(i, low, partner, scales, lows, nearest, sums):
    """Let a nearer partner of row i be the one whose weight is one."""
    if lows[i] < FAR:
        factor = exp(scales[i] * (low - lows[i]))
        for s in range(sums.shape[1]):
            sums[i, s] *= factor
    lows[i] = low
    nearest[i] = partner


@njit(cache=True, nogil=True, fastmath=True)
def _note_nearest(D, row, column, scales, lows, nearest, sums):
    """Update the nearest of both sides' rows from a tile of distances."""
    n_rows, n_columns = D.shape
    least = np.full(n_columns, FAR, D.dtype)
    for r in range(n_rows):
        first = max(row + r + 1 - column, 0)
        distances, so_far = D[r, first:], least[first:]
        low = D.dtype.type(FAR)
        for c in range(distances.size):
            low = min(low, distances[c])
            so_far[c] = min(so_far[c], distances[c])
        if low < lows[row + r]:
            c = first
            while D[r, c] > low:
                c += 1
            _come_nearer(row + r, low, column + c, scales, lows, nearest, sums)
    for c in range(n_columns):
        if least[c] < lows[column + c]:
            r = 0
            while D[r, c] > least[c]:
                r += 1
            _come_nearer(column + c, least[c], row + r, scales, lows, nearest, sums)


@njit(cache=True, nogil=True, fastmath=True)
def _add_own(D, row, column, scales, segments, codes, values, lows, sums):
    """Add the weighted targets of the columns to the sums of the rows."""
    n_columns, n_classes, zero = D.shape[1], segments.size - 1, D.dtype.type(0)
    buffer = np.empty(n_columns, D.dtype)
    for r in range(D.shape[0]):
        i, first = row + r, max(row + r + 1 - column, 0)
        if first == n_columns:
            continue
        weights = buffer[first:]
        _own_weights(D[r, first:], scales[i], lows[i], weights)
        for s in range(codes[column + first], codes[column + n_columns - 1] + 1):
            part = buffer[max(segments[s] - column, first) : min(segments[s + 1] - column, n_columns)]
            total = zero
            for c in range(part.size):
                total += part[c]
            sums[i, s] += total
        for t in range(values.shape[0]):
            total, target = zero, values[t, column + first : column + n_columns]
            for c in range(weights.size):
                total += weights[c] * target[c]
            sums[i, n_classes + t] += total


@njit(cache=True, nogil=True, fastmath=True)
def _add_other(D, row, column, scales, segments, codes, values, lows, sums):
    """Add the weighted targets of the rows to the sums of the columns."""
    (n_rows, n_columns), n_classes, n_targets = D.shape, segments.size - 1, values.shape[0]
    buffer, added = np.empty(n_columns, D.dtype), np.zeros((n_targets + 1, n_columns), D.dtype)
    stop = column + n_columns
    for r in range(n_rows):
        i, first = row + r, max(row + r + 1 - column, 0)
        start, weights, total = column + first, buffer[first:], added[n_targets, first:]
        _other_weights(D[r, first:], scales[start:stop], lows[start:stop], weights)
        for c in range(weights.size):
            total[c] += weights[c]
        for t in range(n_targets):
            value, target_total = values[t, i], added[t, first:]
            for c in range(weights.size):
                target_total[c] += weights[c] * value
        # Weights of one class are added up in one place, and written when it ends.
        if r + 1 == n_rows or codes[i + 1] != codes[i]:
            for c in range(n_columns):
                sums[column + c, codes[i]] += added[n_targets, c]
                added[n_targets, c] = 0
    for t in range(n_targets):
        for c in range(n_columns):
            sums[column + c, n_classes + t] += added[t, c]


@njit(cache=True, nogil=True)
def tile_sums(G, row, column, halves, scales, segments, codes, values, lows, nearest, sums):
    """Add each side's weighted targets to the other's sums; a row's nearest so far has the weight one."""
    for r in range(G.shape[0]):
        _to_distances(G[r], halves[row + r], halves[column : column + G.shape[1]])
        # Not a pair.
        G[r, : max(row + r + 1 - column, 0)] = FAR
    _note_nearest(G, row, column, scales, lows, nearest, sums)
    _add_own(G, row, column, scales, segments, codes, values, lows, sums)
    _add_other(G, row, column, scales, segments, codes, values, lows, sums)


@njit(cache=True, nogil=True, fastmath=True)
def tile_weights(G, row, column, halves, scales, segments, codes, values, lows, slopes, offsets):
    """Overwrite products with dE/dD, added up over both sides: weight * (slope . targets + offset).

    Slopes have a column for each row.
    """
    n_columns, n_classes, n_targets = G.shape[1], segments.size - 1, values.shape[0]
    stop = column + n_columns
    own_buffer, other_buffer = np.empty(n_columns, G.dtype), np.empty(n_columns, G.dtype)
    for r in range(G.shape[0]):
        i, first = row + r, max(row + r + 1 - column, 0)
        start, out = column + first, G[r, first:]
        G[r, :first] = 0
        if first == n_columns:
            continue
        own, other = own_buffer[first:], other_buffer[first:]
        _to_distances(out, halves[i], halves[start:stop])
        _own_weights(out, scales[i], lows[i], own)
        _other_weights(out, scales[start:stop], lows[start:stop], other)
        offset, slope = offsets[start:stop], slopes[codes[i], start:stop]
        for c in range(out.size):
            out[c] = other[c] * (offset[c] + slope[c])
        for t in range(n_targets):
            slope, own_slope = slopes[n_classes + t, start:stop], slopes[n_classes + t, i]
            value, target = values[t, i], values[t, start:stop]
            for c in range(out.size):
                out[c] += other[c] * slope[c] * value + own[c] * own_slope * target[c]
        for s in range(codes[start], codes[stop - 1] + 1):
            begin, end = max(segments[s] - column, first), min(segments[s + 1] - column, n_columns)
            part, weights, factor = G[r, begin:end], own_buffer[begin:end], offsets[i] + slopes[s, i]
            for c in range(part.size):
                part[c] += weights[c] * factor
