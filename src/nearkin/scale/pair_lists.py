"""Targets and impostors of rows in chunks: each chunk searches every chunk for its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nearkin.numerics.row_hash import row_hash
from nearkin.pairwise.references import others_within
from nearkin.scale.statistics import Block, Candidates
from nearkin.scale.targets import nearest_of_own_class
from nearkin.search.faiss import FaissIndex, load_faiss

#: One in this many inverted lists is searched.
PROBED = 32
#: Queries of one range search, which has one radius for all of them.
QUERIES_AT_ONCE = 512


class Chunk(NamedTuple):
    """Successive rows with their classes, the first numbered `start`; or rows `picked` from such a chunk."""

    rows: np.ndarray
    codes: np.ndarray
    start: int
    picked: np.ndarray | None = None

    @property
    def numbers(self) -> np.ndarray:
        return self.start + (np.arange(len(self.codes)) if self.picked is None else self.picked)


class Found(NamedTuple):
    """Numbers of the nearest rows and their squared distances; -1 and infinity if there are fewer."""

    numbers: np.ndarray
    distances: np.ndarray


class Listed(NamedTuple):
    """Numbers of the rows near to each anchor: ``numbers[starts[i]:starts[i + 1]]``."""

    starts: np.ndarray
    numbers: np.ndarray


def nearest_of_both(a: Found, b: Found) -> Found:
    """The nearest rows of the results of two searches."""
    numbers, distances = (np.hstack(pair) for pair in zip(a, b))
    order = np.lexsort((numbers, distances), axis=1)[:, : a.numbers.shape[1]]
    return Found(*(np.take_along_axis(table, order, axis=1) for table in (numbers, distances)))


def joined(*lists: Listed) -> Listed:
    """The lists of several searches, concatenated row by row."""
    counts = np.array([np.diff(found.starts) for found in lists])
    starts = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    places = starts[:-1] + np.cumsum(counts, axis=0) - counts
    numbers = np.empty(starts[-1], dtype=np.int64)
    for found, count, place in zip(lists, counts, places):
        numbers[np.arange(len(found.numbers)) + np.repeat(place - found.starts[:-1], count)] = found.numbers
    return Listed(starts, numbers)


def targets_in(chunk: Chunk, other: Chunk, index: ChunkIndex | None, k: int) -> Found:
    """The k nearest rows of the same class in another chunk, or its index, for each row except itself."""
    if index is not None and index.index is not None:
        return index.nearest_of_own_class(chunk, k)
    candidates = Candidates(other.rows, other.codes, other.numbers)
    places = nearest_of_own_class(Block(*chunk), candidates, k)
    distances = np.full(places.shape, np.inf, chunk.rows.dtype)
    for place, column in zip(places.T, distances.T):
        found = place >= 0
        column[found] = np.sum((chunk.rows[found] - other.rows[place[found]]) ** 2, axis=1)
    return Found(np.where(places >= 0, other.start + places, -1), distances)


class ChunkIndex:
    """The candidates for impostors in a chunk, embedded by the current map and sorted by class.

    Parameters
    ----------
    chunk : Chunk
    L : ndarray of shape (e, d) or None
        The current map; None leaves rows as they are.
    shares : ndarray of shape (n_classes,)
        Share of each class that are candidates: rows with low hashes of their numbers.
    lists_from : float
        Number of candidates from which they are searched with inverted lists instead of exactly.
    """

    def __init__(self, chunk: Chunk, L: np.ndarray | None, shares: np.ndarray, lists_from: float = np.inf):
        offered = np.flatnonzero(row_hash(chunk.numbers) / 2.0**64 <= shares[chunk.codes])
        order = offered[np.argsort(chunk.codes[offered], kind="stable")]
        self.codes, self.numbers = chunk.codes[order], chunk.numbers[order]
        self.Z, self.index = embedded(chunk.rows[order], L), None
        if len(order) >= lists_from:
            n_lists = int(2 * np.sqrt(len(order)))
            self.index = (
                FaissIndex("ivf", n_lists=n_lists, n_probe=-(-n_lists // PROBED)).build(self.Z).faiss_index
            )

    def within(self, chunk: Chunk, L: np.ndarray, limits: np.ndarray) -> Listed:
        """Rows of other classes within the limit (a squared distance) of each row of a chunk."""
        Z = embedded(chunk.rows, L)
        if self.index is None:
            starts, places = others_within(Z, chunk.codes, limits, self.Z, self.codes)
            return Listed(starts, self.numbers[places])
        lists: list = [np.empty(0, dtype=np.int64)] * len(Z)
        for code in np.unique(chunk.codes):
            rows = np.flatnonzero((chunk.codes == code) & (limits >= 0))
            # Rows with similar limits are searched together, with one radius.
            rows = rows[np.argsort(limits[rows], kind="stable")]
            for first in range(0, len(rows), QUERIES_AT_ONCE):
                part = rows[first : first + QUERIES_AT_ONCE]
                ends, distances, places = self.index.range_search(
                    Z[part], float(limits[part[-1]]), params=self._of_class(code, others=True)
                )
                near = distances <= np.repeat(limits[part], np.diff(ends.astype(np.int64)))
                for row, begin, end in zip(part, ends[:-1], ends[1:]):
                    lists[row] = self.numbers[places[begin:end][near[begin:end]]]
        counts = [len(found) for found in lists]
        return Listed(np.concatenate([[0], np.cumsum(counts)]), np.concatenate(lists))

    def nearest_of_own_class(self, chunk: Chunk, k: int) -> Found:
        """The k nearest rows of the same class for each row of a chunk, except itself."""
        n, Z = len(chunk.codes), embedded(chunk.rows, None)
        numbers, distances = np.full((n, k + 1), -1), np.full((n, k + 1), np.inf, np.float32)
        for code in np.unique(chunk.codes):
            rows = np.flatnonzero(chunk.codes == code)
            near, places = self.index.search(Z[rows], k + 1, params=self._of_class(code))  # type: ignore[union-attr]
            numbers[rows] = np.where(places >= 0, self.numbers[places], -1)
            distances[rows] = np.where(places >= 0, near, np.inf)
        itself = numbers == chunk.numbers[:, None]
        numbers[itself], distances[itself] = -1, np.inf
        order = np.argsort(distances, axis=1, kind="stable")[:, :k]
        return Found(*(np.take_along_axis(table, order, axis=1) for table in (numbers, distances)))

    def _of_class(self, code: int, *, others: bool = False):
        faiss = load_faiss()
        first, end = (int(place) for place in np.searchsorted(self.codes, [code, code + 1]))
        chosen = faiss.IDSelectorRange(first, end)
        selector = faiss.IDSelectorNot(chosen) if others else chosen
        return faiss.SearchParametersIVF(sel=selector, nprobe=self.index.nprobe)  # type: ignore[union-attr]


def embedded(rows: np.ndarray, L: np.ndarray | None) -> np.ndarray:
    """Rows under a linear map, in float32 as FAISS requires."""
    rows = rows.astype(np.float32, copy=False)
    return np.ascontiguousarray(rows if L is None else rows @ L.T.astype(np.float32))


def within(index: ChunkIndex, chunk: Chunk, L: np.ndarray, limits: np.ndarray) -> Listed:
    return index.within(chunk, L, limits)


def picked_from(chunk: Chunk, n: int) -> Chunk:
    """Some rows of a chunk, chosen by a hash of their numbers, to measure the recall of a search."""
    chosen = np.sort(np.argsort(row_hash(chunk.numbers))[:n])
    return Chunk(chunk.rows[chosen], chunk.codes[chosen], chunk.start, chosen)


def found_share(tried: Listed, truth: Listed) -> tuple[int, int]:
    """How many of the rows in the true lists were found, and how many there are."""
    both = zip(np.split(tried.numbers, tried.starts[1:-1]), np.split(truth.numbers, truth.starts[1:-1]))
    return sum(len(np.intersect1d(a, b)) for a, b in both), len(truth.numbers)
