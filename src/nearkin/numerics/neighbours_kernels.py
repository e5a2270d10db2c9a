"""Compiled scan of score blocks for the best columns; imported only for large searches."""

from __future__ import annotations

import numpy as np
from numba import njit

import nearkin.numerics.compiling  # noqa: F401

# A stretch of scores is compared with the worst kept score in a few vector instructions; only if one
# is better are the shorter pieces, and then the scores, examined.
STRETCH = 128
PIECE = 16


@njit(cache=True, nogil=True)
def _anything_above(scores, half_norms, bound):
    # The compiler vectorises counting in 32 bits, but not `any` with an early exit.
    count = np.int32(0)
    for j in range(scores.shape[0]):
        count = np.int32(count + np.int32(scores[j] - half_norms[j] > bound))
    return count > 0


@njit(cache=True, nogil=True)
def _replace_worst(best, columns, score, column):
    """Put an entry into a heap whose root is the worst: lowest score, then highest column."""
    k = best.shape[0]
    place = 0
    child = 1
    while child < k:
        other = child + 1
        if other < k and (
            best[other] < best[child] or (best[other] == best[child] and columns[other] > columns[child])
        ):
            child = other
        if not (best[child] < score or (best[child] == score and columns[child] > column)):
            break
        best[place] = best[child]
        columns[place] = columns[child]
        place = child
        child = 2 * place + 1
    best[place] = score
    columns[place] = column


@njit(cache=True, nogil=True)
def _take_better(scores, half_norms, first_column, best, columns):
    for j in range(scores.shape[0]):
        score = scores[j] - half_norms[j]
        if score > best[0]:
            _replace_worst(best, columns, score, first_column + j)


@njit(cache=True, nogil=True)
def keep_best(products, half_norms, first_column, best, columns):
    """Update each row's k best ``product - half_norm`` with one block of products.

    Parameters
    ----------
    products : float array (m, b)
        Inner products of m queries with b references.
    half_norms : float array (b,)
        Half the squared lengths of those references.
    first_column : int
        Number of the block's first reference; blocks must come in rising order, so that of equal
        scores the lowest column is kept.
    best, columns : float and intp arrays (m, k)
        Heaps, changed in place; start them with -inf and any column.
    """
    m, n = products.shape
    end = n - n % STRETCH
    for i in range(m):
        for a in range(0, end, STRETCH):
            if _anything_above(products[i, a : a + STRETCH], half_norms[a : a + STRETCH], best[i, 0]):
                for b in range(a, a + STRETCH, PIECE):
                    piece = products[i, b : b + PIECE]
                    norms = half_norms[b : b + PIECE]
                    if _anything_above(piece, norms, best[i, 0]):
                        _take_better(piece, norms, first_column + b, best[i], columns[i])
        _take_better(products[i, end:], half_norms[end:], first_column + end, best[i], columns[i])
