"""Compiled loops over pairs of which each stands once and serves the rows of both its partners.

Partners of row ``first + r`` are ``starts[r]`` to ``starts[r + 1]``, all of them greater. Only rows below
`stop` have all their pairs, so others get nothing. Target t of row i is ``values[i, t]``, in place
``places[i, t]`` of the sums: for classes a single one, their code.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from nearkin.numerics.fast_exp import exp
from nearkin.pairwise.kernels import _distance


@njit(cache=True, nogil=True, fastmath=True)
def note_nearest(Z, first, starts, partners, lows, nearest):
    """Update the least squared distance of each row, and to whom."""
    for r in range(starts.size - 1):
        i = first + r
        low, best = lows[i], nearest[i]
        for e in range(starts[r], starts[r + 1]):
            j = partners[e]
            distance = _distance(Z, i, j)
            if distance < low:
                low, best = distance, j
            if distance < lows[j]:
                lows[j] = distance
                nearest[j] = i
        lows[i], nearest[i] = low, best


@njit(cache=True, nogil=True, fastmath=True)
def _both_weights(Z, i, near, stop, lows, sharpness, lowest, own, others):
    """Kernel weights of row i's partners in its own row, and of row i in theirs; one for the nearest."""
    zero = Z.dtype.type(0)
    for p in range(near.size):
        own[p] = _distance(Z, i, near[p])
    for p in range(near.size):
        j = near[p]
        exponent = sharpness[j] * (lows[j] - own[p])
        others[p] = exp(exponent) if exponent >= lowest and j < stop else zero
    low, sharp = lows[i], sharpness[i]
    for p in range(near.size):
        exponent = sharp * (low - own[p])
        own[p] = exp(exponent) if exponent >= lowest else zero


@njit(cache=True, nogil=True)
def _longest(starts):
    longest = 0
    for r in range(starts.size - 1):
        longest = max(longest, starts[r + 1] - starts[r])
    return longest


@njit(cache=True, nogil=True, fastmath=True)
def both_sums(Z, first, starts, partners, stop, lows, sharpness, decay, places, values, sums):
    """Add up the partners' targets of each row, weighted, and in the last place the weights."""
    longest, lowest = _longest(starts), -Z.dtype.type(decay)
    own, others = np.empty(longest, Z.dtype), np.empty(longest, Z.dtype)
    n_targets, last = places.shape[1], sums.shape[1] - 1
    for r in range(starts.size - 1):
        i, near = first + r, partners[starts[r] : starts[r + 1]]
        _both_weights(Z, i, near, stop, lows, sharpness, lowest, own, others)
        for p in range(near.size):
            j = near[p]
            if own[p] != 0:
                for t in range(n_targets):
                    sums[i, places[j, t]] += own[p] * values[j, t]
                sums[i, last] += own[p]
            if others[p] != 0:
                for t in range(n_targets):
                    sums[j, places[i, t]] += others[p] * values[i, t]
                sums[j, last] += others[p]


@njit(cache=True, nogil=True, fastmath=True)
def both_pulls(Z, first, starts, partners, stop, lows, sharpness, decay, places, values, slopes, offsets, dZ):
    """Add the gradient: dE/dD_ij is the weight times (slope of i . targets of j + offset of i)."""
    longest, lowest = _longest(starts), -Z.dtype.type(decay)
    own, others = np.empty(longest, Z.dtype), np.empty(longest, Z.dtype)
    width, n_targets = Z.shape[1], places.shape[1]
    for r in range(starts.size - 1):
        i, near = first + r, partners[starts[r] : starts[r + 1]]
        _both_weights(Z, i, near, stop, lows, sharpness, lowest, own, others)
        for p in range(near.size):
            j = near[p]
            factor = offsets[i]
            for t in range(n_targets):
                factor += slopes[i, places[j, t]] * values[j, t]
            weight = own[p] * factor
            if others[p] != 0:
                factor = offsets[j]
                for t in range(n_targets):
                    factor += slopes[j, places[i, t]] * values[i, t]
                weight += others[p] * factor
            if weight != 0:
                for c in range(width):
                    pull = 2 * weight * (Z[i, c] - Z[j, c])
                    dZ[i, c] += pull
                    dZ[j, c] -= pull
