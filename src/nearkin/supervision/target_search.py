"""Targets among many rows: exactly, or by FAISS where that pays, with the recall measured and reported."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

from nearkin.numerics.neighbours import same_class_neighbours
from nearkin.numerics.row_hash import row_hash
from nearkin.numerics.selection import others_found
from nearkin.search.base import Index
from nearkin.search.exact import ExactIndex
from nearkin.search.faiss import FaissIndex

EXACT, AUTO = "exact", "auto"


@dataclass(frozen=True)
class SearchPolicy:
    """When neighbours are searched by lists, and how well.

    Attributes
    ----------
    from_rows : int
        Number of rows from which lists are tried; with fewer, exact products take seconds.
    from_class_rows : int
        Classes with fewer rows are searched exactly, which is as fast.
    probed_rows : int
        Rows of each class whose neighbours are also searched exactly, for the recall.
    least_recall : float
        Share of the neighbours to be found.
    probed_lists : tuple of int
        One in this many lists is searched: the first number that reaches the recall. If none does, the class
        is searched exactly. A row in a list costs eight to ten times as much as a row in a product
        (measured), so that searching more than one list in sixteen would be no faster.
    sampled_rows, promising_recall : int, float
        Before lists are made of a class, they are made of this many of its rows, which costs next to nothing;
        if they find less than this share, listing all rows would be in vain [measured: 0.50 in 64 dimensions
        of noise, where lists never pay; 0.84 to 0.99 where they do].
    """

    from_rows: int = 100_000
    from_class_rows: int = 20_000
    probed_rows: int = 200
    least_recall: float = 0.98
    probed_lists: tuple[int, ...] = (64, 32, 16)
    sampled_rows: int = 4_000
    promising_recall: float = 0.75


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
        found, right, wanted = _of_class(X, members, members[offered[members]], k, policy)
        rows[members], hits, asked = found, hits + right, asked + wanted
    return FoundTargets(rows, hits / asked if asked else 1.0)


def _of_class(X, members: np.ndarray, offered: np.ndarray, k: int, policy: SearchPolicy):
    """Neighbours of one class's members; how many of a sample's true ones were found, and of how many."""
    some = np.sort(offered[np.argsort(row_hash(offered))[: policy.sampled_rows]])
    _, right, wanted = _by_lists(X, some, some, k, policy, policy.probed_lists[-1:], policy.promising_recall)
    if right >= policy.promising_recall * wanted:
        search, right, wanted = _by_lists(
            X, members, offered, k, policy, policy.probed_lists, policy.least_recall
        )
        if right >= policy.least_recall * wanted:
            return search(), right, wanted
    exact = same_class_neighbours(X[members], np.zeros(len(members), int), k, among=np.isin(members, offered))
    return np.where(exact >= 0, members[exact], -1), wanted, wanted


def _by_lists(X, members, offered, k: int, policy: SearchPolicy, probed_lists, least_recall: float):
    """A search by the first number of lists that finds enough; its hits on a sample, and of how many."""
    origin, n_lists = X[offered].mean(axis=0), int(2 * np.sqrt(len(offered)))
    rows = X[offered] - origin
    lists, everything = FaissIndex("ivf", n_lists=n_lists).build(rows), ExactIndex().build(rows)
    probed = members[np.argsort(row_hash(members))[: policy.probed_rows]]
    truth = _without_self(everything, X, probed, offered, origin, k)
    right, wanted = 0, int(np.count_nonzero(truth >= 0))
    for share in probed_lists:
        lists.faiss_index.nprobe = -(-n_lists // share)
        tried = _without_self(lists, X, probed, offered, origin, k)
        right = sum(len(np.intersect1d(a[a >= 0], b[b >= 0])) for a, b in zip(tried, truth))
        if right >= least_recall * wanted:
            break
    return partial(_without_self, lists, X, members, offered, origin, k), right, wanted


def _without_self(index: Index, X, rows: np.ndarray, offered: np.ndarray, origin, k: int) -> np.ndarray:
    _, places = index.query(X[rows] - origin, min(k + 1, len(offered)))
    found = offered[places]
    kept = found[others_found(found, rows)].reshape(len(rows), -1)[:, :k]
    return np.pad(kept, [(0, 0), (0, k - kept.shape[1])], constant_values=-1)
