"""Targets among many rows: exactly, or by FAISS where that pays, with the recall measured and told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from nearkin.numerics.neighbours import same_class_neighbours
from nearkin.numerics.row_hash import row_hash
from nearkin.search.faiss import FaissIndex

EXACT, AUTO = "exact", "auto"


@dataclass(frozen=True)
class SearchPolicy:
    """When neighbours are searched by lists, and how well.

    Attributes
    ----------
    from_rows : int
        Rows from which lists are tried: below, exact products take seconds. By hand.
    from_class_rows : int
        A class of fewer rows is searched exactly, which is as fast.
    probed_rows : int
        Rows of each class whose neighbours are also searched exactly, for the recall.
    least_recall : float
        Twice as many lists are searched until this share of the neighbours is found.
    """

    from_rows: int = 100_000
    from_class_rows: int = 5_000
    probed_rows: int = 200
    least_recall: float = 0.98


class FoundTargets(NamedTuple):
    """Neighbours of the own class (-1 for none), and the share of the true ones among them."""

    rows: np.ndarray
    recall: float


def found_targets(
    X, codes: np.ndarray, k: int, search: str = EXACT, *, among=None, policy: SearchPolicy | None = None
) -> FoundTargets:
    """The k nearest rows of each row's own class.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    codes : int array of shape (n,)
    k : int
    search : {"exact", "auto"}
        "auto" searches large classes of large data by FAISS's inverted lists, and measures on a sample how
        many of the true neighbours these find.
    among : bool array of shape (n,), optional
        Only these rows may be neighbours.
    policy : SearchPolicy, optional

    Examples
    --------
    >>> X, codes = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    >>> found_targets(X, codes, 1, "auto").recall
    1.0
    """
    policy = policy or SearchPolicy()
    if search == EXACT or sparse.issparse(X) or len(codes) < policy.from_rows:
        return FoundTargets(same_class_neighbours(X, codes, k, among=among), 1.0)
    offered = np.ones(len(codes), dtype=bool) if among is None else among
    large = np.bincount(codes[offered]) >= policy.from_class_rows
    rows = np.full((len(codes), k), -1, dtype=np.intp)
    few = ~large[codes] if large.size else np.ones(len(codes), dtype=bool)
    if few.any():
        places = np.flatnonzero(few)
        exact = same_class_neighbours(X[places], codes[places], k, among=offered[places])
        rows[places] = np.where(exact >= 0, places[exact], -1)
    hits, asked = 0, 0
    for code in np.flatnonzero(large):
        members = np.flatnonzero(codes == code)
        found, right, wanted = _by_lists(X, members, members[offered[members]], k, policy)
        rows[members], hits, asked = found, hits + right, asked + wanted
    return FoundTargets(rows, hits / asked if asked else 1.0)


def _by_lists(X, members: np.ndarray, offered: np.ndarray, k: int, policy: SearchPolicy):
    """Neighbours of one class's members, and how many of a sample's true ones were found, of how many."""
    origin = X[offered].mean(axis=0)
    index = FaissIndex("ivf").build(X[offered] - origin)
    probed = members[np.argsort(row_hash(members))[: policy.probed_rows]]
    truth = _without_self(FaissIndex("flat").build(X[offered] - origin), X, probed, offered, origin, k)
    lists = index.faiss_index
    while True:
        tried = _without_self(index, X, probed, offered, origin, k)
        right = sum(len(np.intersect1d(a[a >= 0], b[b >= 0])) for a, b in zip(tried, truth))
        wanted = int(np.count_nonzero(truth >= 0))
        if right >= policy.least_recall * wanted or lists.nprobe >= lists.nlist:
            break
        lists.nprobe = min(lists.nlist, 2 * lists.nprobe)
    return _without_self(index, X, members, offered, origin, k), right, wanted


def _without_self(index: FaissIndex, X, rows: np.ndarray, offered: np.ndarray, origin, k: int) -> np.ndarray:
    _, places = index.query(X[rows] - origin, min(k + 1, len(offered)))
    found = offered[places]
    own = found == rows[:, None]
    # The row itself goes; where it was not found, the farthest does.
    own[~own.any(axis=1), -1] = True
    kept = found[~own].reshape(len(rows), -1)[:, :k]
    return np.pad(kept, [(0, 0), (0, k - kept.shape[1])], constant_values=-1)
