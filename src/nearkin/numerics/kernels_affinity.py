"""Compiled passes over squared distances within a class; imported only for many rows."""

from __future__ import annotations

import numpy as np
from numba import njit

from nearkin.numerics.fast_exp import exp

HIGHEST = np.finfo(np.float32).max
#: Up to this many values, counting ranks (quadratic) is the fastest.
FEW = 100


@njit(cache=True, nogil=True, fastmath=True)
def _kth(values, k):
    """The (k + 1)-th smallest of a few values."""
    found = HIGHEST
    for value in values:
        # Counting avoids the unpredictable branches of sorting.
        rank = np.int32(0)
        for other in values:
            rank = np.int32(rank + np.int32(other <= value))
        found = value if rank > k and value < found else found
    return found


@njit(cache=True, nogil=True, fastmath=True)
def _kth_of_many(values, k):
    """The same for many values, in at most k passes."""
    level = values.min()
    for _ in range(k):
        within, higher = 0, HIGHEST
        for value in values:
            within += value <= level
            higher = value if level < value < higher else higher
        if within > k:
            break
        level = higher
    return level


@njit(cache=True, nogil=True, fastmath=True)
def _smaller(left, right, into):
    # As a separate function this is vectorised, which makes it eight times as fast.
    for j in range(into.shape[0]):
        a, b = left[j], right[j]
        into[j] = a if a < b else b


@njit(cache=True, nogil=True, fastmath=True)
def _within(values, bound, into):
    """Copy the values up to the bound to the front of another array; returns their number."""
    count = 0
    for j in range(values.shape[0]):
        # Without an unpredictable branch.
        into[count] = values[j]
        count += values[j] <= bound
    return count


@njit(cache=True, nogil=True, fastmath=True)
def kth_smallest(D, k, out):
    """``np.partition(D, k)[:, k]`` into `out`: the (k + 1)-th smallest entry of each row.

    A row is folded onto itself until few minima are left. They bound the result, and a second pass finds few
    entries within the bound: half the time of a partition.

    Parameters
    ----------
    D : float array (m, n)
        Finite; n > k.
    k : int
    out : float array (m,)
    """
    m, n = D.shape
    small, minima = np.empty(n + 1, D.dtype), np.empty((2, n), D.dtype)
    for i in range(m):
        half, length = n // 2, n - n // 2
        _smaller(D[i, :half], D[i, length:], minima[0, :half])
        minima[0, half] = D[i, half]
        last = 0
        while length >= 4 * (k + 1):
            half, rest = length // 2, length - length // 2
            _smaller(minima[last, :half], minima[last, rest:length], minima[1 - last, :half])
            minima[1 - last, half] = minima[last, half]
            length, last = rest, 1 - last
        # With too few or too many minima there is no useful bound.
        bound = _kth(minima[last, :length], k) if k < length <= FEW else D[i].max()
        count = _within(D[i], bound, small)
        out[i] = _kth(small[:count], k) if count <= FEW else _kth_of_many(small[:count], k)


@njit(cache=True, nogil=True, fastmath=True)
def turn_into_affinities(D, first, inverse, degrees):
    """Squared distances to affinities ``exp(-D_ij / (s_i s_j))`` of each row with those before it, in place.

    Parameters
    ----------
    D : float array (m, n), or only its first columns, up to first + m
        Distances of rows first, first + 1, ... to all rows; those of a row to itself and to later rows of D
        become zero, and later columns are not used.
    first : int
    inverse : float array (n,)
        1 / s_i.
    degrees : float array (n,)
        The affinities are added to those of both rows.
    """
    m = D.shape[0]
    for i in range(m):
        row, own = D[i], first + i
        scale, total = -inverse[own], D.dtype.type(0)
        for j in range(own):
            near = exp(row[j] * scale * inverse[j])
            row[j] = near
            degrees[j] += near
            total += near
        degrees[own] += total
        row[own : first + m] = 0
