"""Every pair of rows that lies within given limits, each once, in bounded memory.

A list of near pairs is kept in rows: partner ``others[indptr[i]:indptr[i + 1]]`` of row i, all of them
greater than i. Large blocks of inner products find it; only the pairs found are ever stored.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from nearkin.numerics.products import squared_norms
from nearkin.numerics.workers import run_parts, run_striped, worker_count

#: Bytes that one worker's block of inner products may take.
BLOCK_BYTES = 12 * 2**20
#: A tile of inner products is read again as soon as it is made: it should still be in the cache.
TILE_ROWS = 256
TILE_COLUMNS = 1_024
#: To look at an inner product costs as much as so many more dimensions of it.
LOOK_COST = 30
#: To visit a listed pair and its two rows costs as much as so many multiply-adds.
PAIR_COST = 400
#: How many times its share of the allowed pairs a stretch of rows may have.
UNEVENNESS = 16

#: Row starts and partners, as above.
PairList = tuple[np.ndarray, np.ndarray]


def block_rows(n_columns: int, itemsize: int) -> int:
    """Rows of a block of `n_columns` columns: enough for efficient products, within `BLOCK_BYTES`."""
    return int(np.clip(BLOCK_BYTES // max(1, n_columns * itemsize), 32, 512))


def near_pairs(Z, limits, *, max_pairs: int, groups=None) -> tuple[PairList, np.ndarray] | None:
    """Pairs i < j with ``|z_i - z_j|^2 <= max(limits[i], limits[j])``, and about how far apart they are.

    Parameters
    ----------
    Z : ndarray of shape (n, e)
        Rows, best centred: inner products lose digits in proportion to the norms. The loss is
        allowed for, so that no pair is missed; a few just outside may be listed.
    limits : ndarray of shape (n,)
    max_pairs : int
        Give up beyond this many, or far more than an even share of them among a few hundred rows.
    groups : integer array of shape (n,), optional
        List only pairs of different groups; sorted.

    Returns
    -------
    ((indptr, others), distances) or None
        None if there are more than `max_pairs` pairs. The squared distances come from the inner
        products, with the digits that these have lost.

    Notes
    -----
    n^2 e / 2 multiply-adds in matrix products; memory for one block per worker and the pairs.

    Examples
    --------
    >>> near_pairs(np.array([[0.0], [1.0], [5.0]]), np.array([2.0, 0.0, 0.0]), max_pairs=9)
    ((array([0, 1, 1, 1]), array([1], dtype=int32)), array([1.]))
    """
    n, width = Z.shape
    norms = squared_norms(Z).astype(Z.dtype, copy=False)
    # Partners of another group that come after a row begin where its group ends.
    firsts = np.arange(1, n + 1) if groups is None else np.searchsorted(groups, groups, side="right")
    rounding = (width + 8) * np.finfo(Z.dtype).eps / 2
    halves = (norms * ((1 - rounding) / 2)).astype(Z.dtype, copy=False)
    half_limits = (limits / 2).astype(Z.dtype, copy=False)
    starts = range(0, n, TILE_ROWS)
    found: list = [None] * len(starts)
    totals = np.zeros(len(starts), dtype=np.int64)
    # A stretch of rows with many times its share tells early that the rest would be too many.
    most = min(max_pairs, UNEVENNESS * max_pairs // len(starts) + TILE_ROWS * TILE_COLUMNS // 2)

    def search(_, blocks) -> None:
        scratch = _Scratch(Z)
        for block in blocks:
            if totals.sum() > max_pairs:
                return
            part = scratch.pairs_of_rows(starts[block], norms, halves, half_limits, firsts, most)
            found[block] = part
            totals[block] = max_pairs + 1 if part is None else len(part[1])

    run_striped(search, len(starts), worker_count(n * n * (width + LOOK_COST) / 2))
    if totals.sum() > max_pairs:
        return None
    counts, others, distances = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return (np.concatenate([[0], np.cumsum(counts)]), others), distances


class _Scratch:
    """Buffers of one worker: a tile of inner products and room for the pairs found in it."""

    def __init__(self, Z: np.ndarray):
        self.Z = Z
        self.tile = np.empty(TILE_ROWS * TILE_COLUMNS, dtype=Z.dtype)
        self._make_room(2**15)

    def _make_room(self, size: int) -> None:
        self.room = (*np.empty((2, size), dtype=np.int32), np.empty(size, dtype=self.Z.dtype))

    def products(self, row: int, column: int) -> np.ndarray:
        """Inner products of a tile of rows with a tile of rows, in the buffer."""
        rows, columns = self.Z[row : row + TILE_ROWS], self.Z[column : column + TILE_COLUMNS]
        G = self.tile[: len(rows) * len(columns)].reshape(len(rows), len(columns))
        return np.dot(rows, columns.T, out=G)

    def pairs_of_rows(self, row: int, norms, halves, limits, firsts, max_pairs: int):
        """Near pairs (i, j) of a stretch of rows i, in rising order of i, then j; None if too many.

        Returned as how many each i has, the j, and the squared distances.
        """
        from nearkin.numerics.kernels_near_pairs import collect_near, sort_by_row

        total = 0
        for column in range(firsts[row], len(self.Z), TILE_COLUMNS):
            G = self.products(row, column)
            more = -1
            while more < 0:
                more = collect_near(G, row, column, norms, halves, limits, firsts, total, *self.room)
                if more < 0:
                    kept, size = self.room, 4 * len(self.room[0])
                    self._make_room(size)
                    for old, new in zip(kept, self.room, strict=True):
                        new[:total] = old[:total]
            total = more
            if total > max_pairs:
                return None
        counts = np.empty(min(TILE_ROWS, len(self.Z) - row), dtype=np.int64)
        columns, distances = np.empty(total, dtype=np.int32), np.empty(total, dtype=self.Z.dtype)
        rows_found, columns_found, distances_found = (out[:total] for out in self.room)
        sort_by_row(rows_found, columns_found, distances_found, row, counts, columns, distances)
        return counts, columns, distances


def nearest_rows(Z, k: int = 1) -> np.ndarray:
    """The k nearest other rows of each row, nearest first up to rounding, by blocked products.

    Meant for a small k: each row's best so far are kept in order.

    >>> nearest_rows(np.array([[0.0], [1.0], [5.0]]), 2)
    array([[1, 2],
           [0, 2],
           [1, 0]])
    """
    from nearkin.numerics.kernels_near_pairs import FAR, nearest_others

    n, width = Z.shape
    halves = (squared_norms(Z) / 2).astype(Z.dtype, copy=False)
    minima = np.full((n, k), FAR, dtype=Z.dtype)
    nearest = np.zeros((n, k), dtype=np.int64)
    starts = range(0, n, TILE_ROWS)

    def search(_, blocks) -> None:
        scratch = _Scratch(Z)
        for block in blocks:
            for column in range(0, n, TILE_COLUMNS):
                G = scratch.products(starts[block], column)
                nearest_others(G, starts[block], column, halves, minima, nearest)

    run_striped(search, len(starts), worker_count(n * n * (width + LOOK_COST)))
    return nearest


def distances_of(Z, table: np.ndarray) -> np.ndarray:
    """Squared distance of each row to the rows of a table, from differences; zero where it holds -1.

    >>> distances_of(np.array([[0.0], [1.0], [5.0]]), np.array([[1], [0], [0]])).ravel()
    array([ 1.,  1., 25.])
    """
    from nearkin.numerics.kernels_near_pairs import distances_to

    out = np.empty(table.shape, dtype=Z.dtype)
    distances_to(Z, table, out)
    return out


def row_stripes(indptr: np.ndarray, parts: int) -> list[tuple[int, int]]:
    """Ranges of rows that hold about equally many pairs each.

    >>> row_stripes(np.array([0, 10, 11, 12, 20]), 2)
    [(0, 1), (1, 4)]
    """
    if parts == 1:
        return [(0, len(indptr) - 1)]
    goals = np.linspace(0, indptr[-1], parts + 1)[1:-1]
    cuts = [0, *np.searchsorted(indptr, goals, side="left").tolist(), len(indptr) - 1]
    return [(a, max(a, b)) for a, b in pairwise(cuts)]


def list_distances(Z, indptr, others) -> np.ndarray:
    """Squared distances of the listed pairs, from differences."""
    from nearkin.numerics.kernels_near_pairs import pair_distances

    out = np.empty(others.size, dtype=Z.dtype)
    workers = worker_count(others.size * Z.shape[1] * 8)
    stripes = row_stripes(indptr, workers)
    run_parts(lambda part: pair_distances(Z, indptr, others, *stripes[part], out), workers)
    return out


def pairs_within(Z, pairs: PairList, limits) -> tuple[PairList, np.ndarray]:
    """Those of the pairs with ``|z_i - z_j|^2 <= max(limits[i], limits[j])``, and these distances.

    >>> pairs = np.array([0, 2, 3, 3]), np.array([1, 2, 2], dtype=np.int32)
    >>> pairs_within(np.array([[0.0], [1.0], [5.0]]), pairs, np.array([2.0, 0.0, 0.0]))
    ((array([0, 1, 1, 1]), array([1], dtype=int32)), array([1.]))
    """
    from nearkin.numerics.kernels_near_pairs import keep_within

    indptr, others = pairs
    counts = np.zeros(len(indptr), dtype=np.int64)
    kept, distances = np.empty_like(others), np.empty(others.size, dtype=Z.dtype)
    limits = limits.astype(Z.dtype, copy=False)
    stripes = row_stripes(indptr, worker_count(others.size * Z.shape[1] * 8))
    run_parts(
        lambda part: keep_within(Z, *pairs, limits, *stripes[part], counts[1:], kept, distances),
        len(stripes),
    )
    # Each worker has written from the start of its own stretch on.
    found = np.cumsum(counts)
    parts = [slice(indptr[first], indptr[first] + found[stop] - found[first]) for first, stop in stripes]
    return (found, np.concatenate([kept[part] for part in parts])), np.concatenate(
        [distances[part] for part in parts]
    )


def pair_workers(n_pairs: int) -> int:
    """How many threads a pass over so many listed pairs deserves."""
    return worker_count(n_pairs * PAIR_COST)
