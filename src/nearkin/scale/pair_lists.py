"""Lists of targets and impostors of rows that are spread over chunks, searched by FAISS.

Each chunk is an index of its rows as the present map embeds them, sorted by class; the anchors of a chunk ask
the index of every chunk for their nearest of the own class and of the others, and the answers are merged.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nearkin.numerics.row_hash import row_hash
from nearkin.search.faiss import FaissIndex, load_faiss

#: Rows of a chunk from which inverted lists are worth it where the search may be approximate.
LISTS_FROM = 20_000


class Chunk(NamedTuple):
    """Successive rows with their classes; `start` is the number of the first. Or rows `picked` from such."""

    rows: np.ndarray
    codes: np.ndarray
    start: int
    picked: np.ndarray | None = None

    @property
    def numbers(self) -> np.ndarray:
        return self.start + (np.arange(len(self.codes)) if self.picked is None else self.picked)


class Found(NamedTuple):
    """Numbers of the nearest rows and their squared distances; -1 and infinity where there are fewer."""

    numbers: np.ndarray
    distances: np.ndarray

    def merged(self, other: Found) -> Found:
        """The nearest of both."""
        k = max(self.numbers.shape[1], other.numbers.shape[1])
        numbers = np.hstack([self.numbers, other.numbers])
        distances = np.hstack([self.distances, other.distances])
        order = np.lexsort((numbers, distances), axis=1)[:, :k]
        return Found(*(np.take_along_axis(table, order, axis=1) for table in (numbers, distances)))


class Neighbours(NamedTuple):
    """What a search gives for the anchors of a chunk."""

    own: Found
    others: Found

    def merged(self, other: Neighbours) -> Neighbours:
        return Neighbours(self.own.merged(other.own), self.others.merged(other.others))


class ChunkIndex:
    """An index of the embedded rows of a chunk that tells classes apart.

    Parameters
    ----------
    chunk : Chunk
    L : ndarray of shape (e, d)
        The present map.
    search : {"exact", "auto"}
        "auto" searches large chunks by inverted lists.
    """

    def __init__(self, chunk: Chunk, L: np.ndarray, search: str):
        order = np.argsort(chunk.codes, kind="stable")
        self.codes, self.numbers = chunk.codes[order], chunk.start + order
        self.by_lists = search == "auto" and len(order) >= LISTS_FROM
        Z = embedded(chunk.rows[order], L)
        self.index = FaissIndex("ivf" if self.by_lists else "flat").build(Z).faiss_index

    def nearest(self, Z: np.ndarray, code: int, k: int, *, own: bool) -> Found:
        """The k nearest of one class, or of all others."""
        faiss = load_faiss()
        first, end = (int(place) for place in np.searchsorted(self.codes, [code, code + 1]))
        available = end - first if own else len(self.codes) - (end - first)
        found = Found(np.full((len(Z), k), -1), np.full((len(Z), k), np.inf, np.float32))
        if available == 0:
            return found
        chosen = faiss.IDSelectorRange(first, end)
        selector = chosen if own else faiss.IDSelectorNot(chosen)
        limits = (
            faiss.SearchParametersIVF(sel=selector, nprobe=self.index.nprobe)
            if self.by_lists
            else faiss.SearchParameters(sel=selector)
        )
        distances, places = self.index.search(Z, min(k, available), params=limits)
        taken = places >= 0
        found.numbers[:, : places.shape[1]] = np.where(taken, self.numbers[places], -1)
        found.distances[:, : places.shape[1]] = np.where(taken, distances, np.inf)
        return found


def embedded(rows: np.ndarray, L: np.ndarray) -> np.ndarray:
    """Rows under a linear map, in float32 as FAISS wants them."""
    return np.ascontiguousarray(rows.astype(np.float32, copy=False) @ L.T.astype(np.float32))


def neighbours_in(chunk: Chunk, index: ChunkIndex, L: np.ndarray, n_own: int, n_others: int) -> Neighbours:
    """The nearest rows in an index of the rows of a chunk, themselves left out."""
    n, Z = len(chunk.codes), embedded(chunk.rows, L)
    own = Found(np.full((n, n_own + 1), -1), np.full((n, n_own + 1), np.inf, np.float32))
    others = Found(np.full((n, n_others), -1), np.full((n, n_others), np.inf, np.float32))
    for code in np.unique(chunk.codes):
        rows = np.flatnonzero(chunk.codes == code)
        if n_own:
            _put(own, rows, index.nearest(Z[rows], code, n_own + 1, own=True))
        _put(others, rows, index.nearest(Z[rows], code, n_others, own=False))
    own.distances[own.numbers == chunk.numbers[:, None]] = np.inf
    own.numbers[~np.isfinite(own.distances)] = -1
    order = np.argsort(own.distances, axis=1, kind="stable")[:, :n_own]
    own = Found(*(np.take_along_axis(table, order, axis=1) for table in own))
    return Neighbours(own, others)


def _put(into: Found, rows: np.ndarray, found: Found) -> None:
    into.numbers[rows], into.distances[rows] = found.numbers, found.distances


def merged(a: Neighbours, b: Neighbours) -> Neighbours:
    return a.merged(b)


def probe_of(chunk: Chunk, n: int) -> Chunk:
    """Some rows of a chunk, by the hash of their numbers, to try a search on."""
    chosen = np.sort(np.argsort(row_hash(chunk.numbers))[:n])
    return Chunk(chunk.rows[chosen], chunk.codes[chosen], chunk.start, chosen)


def found_share(tried: Neighbours, truth: Neighbours) -> tuple[int, int]:
    """How many of the true neighbours were found, and how many there are."""
    right = wanted = 0
    for mine, theirs in zip(tried, truth):
        for a, b in zip(mine.numbers, theirs.numbers):
            right += len(np.intersect1d(a[a >= 0], b[b >= 0]))
            wanted += int(np.count_nonzero(b >= 0))
    return right, wanted
