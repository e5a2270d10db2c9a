"""Every pair of rows that lies within given limits, each once, in bounded memory.

A list of near pairs is kept in rows: partner ``others[indptr[i]:indptr[i + 1]]`` of row i, all of them
greater than i. Tiles of inner products find it; only the pairs found are ever stored.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from nearkin.numerics.threads import run_parts, run_striped, worker_count
from nearkin.pairwise.policy import ListPolicy

#: Row starts and partners, as above.
PairList = tuple[np.ndarray, np.ndarray]
#: A list and the squared distances of its pairs.
Found = tuple[PairList, np.ndarray]


#: Cost of a look at one product in multiply-adds, by which threads are counted.
LOOK = 30
#: Pairs that a worker has room for at first; four times as many whenever that is too few.
ROOM = 2**15


class Stretches(NamedTuple):
    """Near pairs of some of the first rows, each once, in the stretches of rows in which they were found.

    Parameters
    ----------
    rows : int
        How many of the first rows have all their pairs here; that of two such rows is in that of the first.
    parts : list of (first, starts, partners)
        Partners ``starts[r]`` to ``starts[r + 1]`` are those of row ``first + r``, all of them greater.
    """

    rows: int
    parts: list[tuple[int, np.ndarray, np.ndarray]]

    @property
    def size(self) -> int:
        """How many pairs there are."""
        return sum(partners.size for _, _, partners in self.parts)

    @staticmethod
    def of(pairs: PairList, rows_each: int) -> Stretches:
        """A whole list, cut into stretches of so many rows."""
        indptr, others = pairs
        cuts = [*range(0, len(indptr) - 1, rows_each), len(indptr) - 1]
        parts = [(a, indptr[a : b + 1] - indptr[a], others[indptr[a] : indptr[b]]) for a, b in pairwise(cuts)]
        return Stretches(len(indptr) - 1, parts)

    def joined(self) -> PairList:
        """The same as one list."""
        counts = [np.diff(starts) for _, starts, _ in self.parts]
        others = [partners for _, _, partners in self.parts]
        return np.concatenate([[0], np.cumsum(np.concatenate(counts))]), np.concatenate(others)


def near_stretches(Z, limits, *, most: int, groups=None, policy: ListPolicy | None = None) -> Stretches:
    """Pairs i < j with ``|z_i - z_j|^2 <= max(limits[i], limits[j])``, and perhaps a few just outside.

    Of all rows or, if they have more than `most` pairs, of as many of the first rows as have no more.

    Parameters
    ----------
    Z : ndarray of shape (n, e)
        Rows, best centred: inner products lose digits in proportion to the norms. The loss is allowed for,
        so that no pair is missed.
    limits : ndarray of shape (n,)
    most : int
    groups : integer array of shape (n,), optional
        Only pairs of different groups are found; sorted.
    policy : ListPolicy, optional

    Notes
    -----
    n^2 e / 2 multiply-adds in matrix products; memory for one tile per worker and the pairs.

    Examples
    --------
    >>> near_stretches(np.array([[0.0], [1.0], [5.0]]), np.array([2.0, 0.0, 0.0]), most=9).joined()
    (array([0, 1, 1, 1]), array([1], dtype=int32))
    >>> near_stretches(np.zeros((600, 1)), np.ones(600), most=140_000).rows
    256
    """
    n, policy = len(Z), policy or ListPolicy()
    # Partners of another group that come after a row begin where its group ends.
    firsts = np.arange(1, n + 1) if groups is None else np.searchsorted(groups, groups, side="right")
    found: dict[int, PairList] = {}

    def keep(_, first, starts, others) -> bool:
        found[first] = starts, others
        # Only those before count, so that it does not matter which thread is faster.
        return sum(found[before][1].size for before in list(found) if before <= first) <= most

    each_stretch(Z, limits, keep, firsts=firsts, most=most, policy=policy)
    parts: list[tuple[int, np.ndarray, np.ndarray]] = []
    total = 0
    for first in range(0, n, policy.tile_rows):
        total += found[first][1].size if first in found else most + 1
        if total > most:
            return Stretches(first, parts)
        parts.append((first, *found[first]))
    return Stretches(n, parts)


def each_stretch(
    Z,
    limits,
    use: Callable[[int, int, np.ndarray, np.ndarray], bool],
    *,
    first_row: int = 0,
    firsts=None,
    most: float = np.inf,
    policy: ListPolicy | None = None,
) -> None:
    """Call ``use(worker, first, starts, partners)`` with the near rows of a few rows from `first_row` on.

    Partners ``starts[r]`` to ``starts[r + 1]`` are those of row ``first + r``, itself among them, or only
    those from ``firsts[first + r]`` on. Nothing is kept; several threads share the stretches, and no two
    calls of one worker overlap. A worker to which `use` says False ends early; a stretch is not searched any
    further once it has more than `most` pairs.

    Notes
    -----
    n^2 e multiply-adds; memory for a tile and the near rows of 256 rows.
    """
    policy = policy or ListPolicy()
    n, width = Z.shape
    halves = half_norms(Z)
    half_limits = (limits / 2).astype(Z.dtype, copy=False)
    firsts = np.zeros(n, dtype=np.int64) if firsts is None else firsts
    blocks_of_rows = range(first_row, n, policy.tile_rows)

    def work(worker, blocks) -> None:
        tiles = Tiles(Z, policy)
        for block in blocks:
            first = blocks_of_rows[block]
            counts, partners = tiles.pairs_of_rows(first, halves, half_limits, firsts, most)
            if not use(worker, first, np.concatenate([[0], np.cumsum(counts)]), partners):
                return

    run_striped(work, len(blocks_of_rows), worker_count((n - first_row) * n * (width + LOOK)))


def half_norms(Z: np.ndarray) -> np.ndarray:
    """Half the squared norms, a little less so that rounding loses no pair."""
    rounding = (Z.shape[1] + 8) * np.finfo(Z.dtype).eps / 2
    return (np.einsum("ij,ij->i", Z, Z) * ((1 - rounding) / 2)).astype(Z.dtype, copy=False)


class Tiles:
    """Buffers of one worker: a tile of inner products and room for the pairs found in it."""

    def __init__(self, Z: np.ndarray, policy: ListPolicy):
        self.Z = Z
        self.rows, self.columns = policy.tile_rows, policy.tile_columns
        self.tile = np.empty(self.rows * self.columns, dtype=Z.dtype)
        self.room = np.empty((2, ROOM), dtype=np.int32)

    def products(self, row: int, column: int) -> np.ndarray:
        """Inner products of a stretch of rows with another, in the buffer."""
        rows, columns = self.Z[row : row + self.rows], self.Z[column : column + self.columns]
        G = self.tile[: len(rows) * len(columns)].reshape(len(rows), len(columns))
        return np.dot(rows, columns.T, out=G)

    def pairs_of_rows(self, row: int, halves, limits, firsts, most: float):
        """Near pairs (i, j) of a stretch of rows i, in rising order of i, then j: how many each i has, the j.

        Looks no further once there are more than `most`.
        """
        from nearkin.pairwise.kernels import collect_near, sort_by_row

        total = 0
        for column in range(firsts[row], len(self.Z), self.columns):
            G = self.products(row, column)
            more = -1
            while more < 0:
                more = collect_near(G, row, column, halves, limits, firsts, total, *self.room)
                if more < 0:
                    full, self.room = self.room, np.empty((2, 4 * self.room.shape[1]), dtype=np.int32)
                    self.room[:, :total] = full[:, :total]
            total = more
            if total > most:
                break
        counts = np.empty(min(self.rows, len(self.Z) - row), dtype=np.int64)
        others = np.empty(total, dtype=np.int32)
        rows_found, others_found = self.room[:, :total]
        sort_by_row(rows_found, others_found, row, counts, others)
        return counts, others


def principal_directions(Z: np.ndarray, policy: ListPolicy) -> np.ndarray | None:
    """Directions, as columns, that hold `variance_share` of the variance; None where they are too many.

    No two rows are farther apart in them than in all dimensions, so that near pairs are near in them, too.

    >>> principal_directions(np.eye(40)[:, :20] * 0.1 ** np.arange(20), ListPolicy()).shape
    (20, 8)
    """
    variances, directions = np.linalg.eigh((Z.T @ Z).astype(np.float64))
    held = np.cumsum(variances[::-1])
    # Products of matrices like their widths in multiples of eight.
    count = 8 * -(-int(np.searchsorted(held, policy.variance_share * held[-1]) + 1) // 8)
    if count > policy.dimension_share * Z.shape[1]:
        return None
    return np.ascontiguousarray(directions[:, : -count - 1 : -1].astype(Z.dtype))


def pairs_within(Z, pairs: PairList, limits) -> Found:
    """Those of the pairs with ``|z_i - z_j|^2 <= max(limits[i], limits[j])``, and these distances.

    >>> pairs = np.array([0, 2, 3, 3]), np.array([1, 2, 2], dtype=np.int32)
    >>> pairs_within(np.array([[0.0], [1.0], [5.0]]), pairs, np.array([2.0, 0.0, 0.0]))
    ((array([0, 1, 1, 1]), array([1], dtype=int32)), array([1.]))
    """
    from nearkin.pairwise.kernels import keep_within

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


def list_distances(Z, indptr, others) -> np.ndarray:
    """Squared distances of the listed pairs, from differences."""
    from nearkin.pairwise.kernels import distances_from

    out = np.empty(others.size, dtype=Z.dtype)
    stripes = row_stripes(indptr, worker_count(others.size * Z.shape[1] * 8))

    def work(part: int) -> None:
        first, stop = stripes[part]
        distances_from(Z, first, indptr[first : stop + 1], others, out)

    run_parts(work, len(stripes))
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


def nearest_rows(Z, k: int = 1, *, policy: ListPolicy | None = None) -> np.ndarray:
    """The k nearest other rows of each row, nearest first up to rounding, by tiles of products.

    Meant for a small k: each row's best so far are kept in order.

    >>> nearest_rows(np.array([[0.0], [1.0], [5.0]]), 2)
    array([[1, 2],
           [0, 2],
           [1, 0]], dtype=int32)
    """
    from nearkin.pairwise.kernels import FAR, nearest_others

    policy = policy or ListPolicy()
    n, width = Z.shape
    halves = np.einsum("ij,ij->i", Z, Z) / 2
    minima = np.full((n, k), FAR, dtype=Z.dtype)
    nearest = np.zeros((n, k), dtype=np.int32)
    starts = range(0, n, policy.tile_rows)

    def search(_, blocks) -> None:
        tiles = Tiles(Z, policy)
        for block in blocks:
            for column in range(0, n, policy.tile_columns):
                G = tiles.products(starts[block], column)
                nearest_others(G, starts[block], column, halves, minima, nearest)

    run_striped(search, len(starts), worker_count(n * n * (width + LOOK)))
    return nearest


def distances_of(Z, table: np.ndarray) -> np.ndarray:
    """Squared distance of each row to the rows of a table, from differences; zero where it holds -1.

    >>> distances_of(np.array([[0.0], [1.0], [5.0]]), np.array([[1], [0], [0]])).ravel()
    array([ 1.,  1., 25.])
    """
    n, k = table.shape
    others = table.astype(np.int32, copy=False).ravel()
    return list_distances(Z, np.arange(n + 1) * k, others).reshape(n, k)


def probed_distances(Z, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """A few rows, and their squared distances to all rows: enough to judge how many pairs are near.

    The rows are evenly spread, so that where they are sorted by class each class keeps its share.

    >>> probed_distances(np.array([[0.0], [1.0], [5.0]]), 2)
    (array([0, 2]), array([[ 0.,  1., 25.],
           [25., 16.,  0.]]))
    """
    rows = np.unique(np.linspace(0, len(Z) - 1, n_rows).astype(int))
    norms = np.einsum("ij,ij->i", Z, Z)
    D = Z[rows] @ Z.T
    D *= -2
    D += norms[rows, None]
    D += norms
    return rows, np.maximum(D, 0, out=D)


def class_segments(codes: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """The order that sorts rows by class (None if they are), and where each class starts then.

    >>> class_segments(np.array([1, 0, 1]))
    (array([1, 0, 2]), array([0, 1, 3]))
    """
    segments = np.concatenate([[0], np.cumsum(np.bincount(codes))])
    if np.all(codes[1:] >= codes[:-1]):
        return None, segments
    return np.argsort(codes, kind="stable"), segments


def centred(Z: np.ndarray, order: np.ndarray | None) -> np.ndarray:
    """Rows of Z in the given order, moved to their mean: distances stay, products keep more digits."""
    Z = Z if order is None else Z[order]
    return np.ascontiguousarray(Z - Z.mean(axis=0, dtype=np.float64).astype(Z.dtype))


def unsorted(dZ: np.ndarray, order: np.ndarray | None) -> np.ndarray:
    """Undo the reordering of `centred` on a gradient."""
    if order is None:
        return dZ
    out = np.empty_like(dZ)
    out[order] = dZ
    return out
