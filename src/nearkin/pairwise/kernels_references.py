"""Compiled loops over rows and references of other classes; loaded only when needed."""

from __future__ import annotations

import numpy as np
from numba import njit

from nearkin.pairwise.kernels import _first_flag


@njit(cache=True, nogil=True)
def collect_others(G, row, column, halves, reference_halves, limits, codes, reference_codes, written, out):
    """Add the references of other classes within the limits of rows ``row...``: a tile of inner products G.

    References ``column...`` are near where ``halves[i] + reference_halves[j] - G <= limits[i]``. Returns how
    many pairs are written to the rows of `out` then, or -1 if it is too short.
    """
    n_rows, n_columns = G.shape
    others = reference_halves[column : column + n_columns]
    # As in `collect_near`: comparisons into bytes are vectorised, eight at a time are passed over.
    words = np.zeros((n_columns + 7) // 8, np.uint64)
    flags = words.view(np.uint8)
    for r in range(n_rows):
        i = row + r
        if written + n_columns > out.shape[1]:
            return -1
        rest, code = limits[i] - halves[i], codes[i]
        for c in range(n_columns):
            flags[c] = others[c] - G[r, c] <= rest
        for w in range(words.size):
            word = words[w]
            while word != 0:
                j = column + 8 * w + _first_flag(word)
                word &= word - np.uint64(1)
                out[0, written] = i
                out[1, written] = j
                written += np.int64(reference_codes[j] != code)
    return written


@njit(cache=True, nogil=True, fastmath=True)
def hinge_rows(starts, partners, distances, reaches, loads, pushes, out):
    """Hinges of each row's listed partners, a partner counting as often as its load says.

    ``pushes[i, t]`` receives the load of all partners within reach t; ``out`` the weight of each pair.
    """
    value = 0.0
    for i in range(starts.size - 1):
        for p in range(starts[i], starts[i + 1]):
            load = loads[partners[p]]
            weight = 0.0
            for t in range(reaches.shape[1]):
                hinge = reaches[i, t] - distances[p]
                if hinge > 0:
                    value += load * hinge
                    weight -= load
                    pushes[i, t] += load
            out[p] = weight
    return value
