"""A distance and an index together: from raw queries to nearest references."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import sparse
from sklearn.base import clone

from nearkin._types import MatrixLike
from nearkin.distances import Distance, EmbeddedDistance
from nearkin.search.base import Index
from nearkin.search.bound import BoundIndex
from nearkin.search.exact import ExactIndex
from nearkin.search.faiss import FaissIndex
from nearkin.search.policy import IndexPolicy
from nearkin.search.tree import TreeIndex

NAMED: dict[str, Callable[[], Index]] = {
    "exact": ExactIndex,
    "tree": TreeIndex,
    "faiss": FaissIndex,
    "faiss-ivf": partial(FaissIndex, "ivf"),
    "faiss-hnsw": partial(FaissIndex, "hnsw"),
}


def choose_index(index: str | Index, embedded: MatrixLike) -> Index:
    """A new index for the embedded references, not built yet.

    Parameters
    ----------
    index : str or Index
        "auto", "exact", "tree", "faiss", "faiss-ivf", "faiss-hnsw", or an Index, of which a clone is
        returned so that several predictors can share one instance. "auto" is always exact: a k-d tree for
        many points in few dimensions, otherwise blocked products.
    embedded : array or CSR matrix of shape (n, e)
        The references it will hold.
    """
    if isinstance(index, Index):
        return clone(index)
    if isinstance(index, str) and index in NAMED:
        return NAMED[index]()
    if isinstance(index, str) and index == "auto":
        n, width = embedded.shape
        few_dimensions = not sparse.issparse(embedded) and width <= IndexPolicy.tree_dimensions
        return TreeIndex() if few_dimensions and n >= IndexPolicy.tree_references else ExactIndex()
    names = ", ".join(repr(name) for name in ("auto", *NAMED))
    raise ValueError(f"index={index!r}: expected one of {names}, or a nearkin.search.Index.")


class NeighbourSearch:
    """Nearest references of raw queries under a distance.

    Embedded distances are searched in the embedded space by the chosen index; any other distance
    is evaluated block by block.

    Examples
    --------
    >>> import numpy as np
    >>> search = NeighbourSearch(EmbeddedDistance()).build(np.array([[0.0], [2.0], [5.0]]))
    >>> search.query(np.array([[1.5]]), 2)
    (array([[0.25, 2.25]]), array([[1, 0]]))
    """

    def __init__(self, distance: Distance, index: str | Index = "auto") -> None:
        self.distance = distance
        self.index = index

    def build(self, references: MatrixLike) -> NeighbourSearch:
        self.n_references = references.shape[0]
        if isinstance(self.distance, EmbeddedDistance):
            embedded = self.distance.embed_references(references)
            self._index = choose_index(self.index, embedded).build(embedded)
        else:
            if not (isinstance(self.index, str) and self.index in ("auto", "exact")):
                raise ValueError(
                    f"{type(self.distance).__name__} has no embedding, so index={self.index!r} cannot hold "
                    "it; use index='auto'."
                )
            self._index = BoundIndex(self.distance).build(references)
        return self

    def query(self, queries: MatrixLike, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """Squared distances and row numbers of the nearest references, nearest first."""
        if isinstance(self.distance, EmbeddedDistance):
            queries = self.distance.embed_queries(queries)
        return self._index.query(queries, n_neighbors)


class SearchedOnce:
    """Searches for the neighbours of given queries once and reuses the result for those queries.

    Votes of several numbers of neighbours, hubness and retrieval scores then share one search.
    """

    def __init__(self, search: NeighbourSearch | SearchedOnce, queries: MatrixLike, n_neighbors: int) -> None:
        self._search, self._queries, self._most = search, queries, n_neighbors
        self._found: tuple[np.ndarray, np.ndarray] | None = None

    def query(self, queries: MatrixLike, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """As `NeighbourSearch.query`; other queries, or more neighbours, are searched for as usual."""
        if n_neighbors > self._most or not _same_rows(queries, self._queries):
            return self._search.query(queries, n_neighbors)
        if self._found is None:
            self._found = self._search.query(self._queries, self._most)
        squared, indices = self._found
        return squared[:, :n_neighbors], indices[:, :n_neighbors]


def _same_rows(first: MatrixLike, second: MatrixLike) -> bool:
    if first is second:
        return True
    if first.shape != second.shape or sparse.issparse(first) != sparse.issparse(second):
        return False
    if not sparse.issparse(first):
        return np.array_equal(first, second)
    return all(np.array_equal(getattr(first, p), getattr(second, p)) for p in ("indptr", "indices", "data"))
