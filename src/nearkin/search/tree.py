"""scikit-learn's space-partitioning trees as an index."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import BallTree, KDTree

from nearkin._types import MatrixLike
from nearkin.search.base import Index, check_query, float_rows

TREES = {"kd_tree": KDTree, "ball_tree": BallTree}


class TreeIndex(Index):
    """Exact search with a k-d or ball tree: fast in a few dimensions, slow in many.

    Parameters
    ----------
    kind : {"kd_tree", "ball_tree"}
    leaf_size : int
        Points at or below which a node is searched exhaustively.

    Notes
    -----
    The tree works in float64; distances are returned in the references' dtype.

    Examples
    --------
    >>> index = TreeIndex().build(np.array([[0.0], [2.0], [5.0]]))
    >>> index.query(np.array([[1.5]]), 2)
    (array([[0.25, 2.25]]), array([[1, 0]]))
    """

    def __init__(self, kind: str = "kd_tree", leaf_size: int = 40) -> None:
        self.kind = kind
        self.leaf_size = leaf_size

    def build(self, references: MatrixLike) -> TreeIndex:
        if self.kind not in TREES:
            raise ValueError(f"kind={self.kind!r} is not a tree; choose one of {sorted(TREES)}.")
        references = float_rows(references, self)
        self._tree = TREES[self.kind](references, leaf_size=self.leaf_size)
        self._dtype = references.dtype
        self.shape_ = references.shape
        return self

    def query(self, queries: MatrixLike, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        queries = float_rows(queries, self)
        check_query(self, queries, n_neighbors)
        # One extra neighbour shows whether there is a tie at the last place.
        asked = min(n_neighbors + 1, self.shape_[0])
        distances, indices = self._tree.query(queries, k=asked)
        order = np.lexsort((indices, distances), axis=1)
        distances = np.take_along_axis(distances, order, axis=1)
        indices = np.take_along_axis(indices, order, axis=1)
        if asked > n_neighbors:
            tied = np.flatnonzero(distances[:, n_neighbors - 1] == distances[:, n_neighbors])
            distances, indices = distances[:, :n_neighbors], indices[:, :n_neighbors]
            if len(tied):
                indices[tied] = self._lowest_of_equals(queries[tied], distances[tied], indices[tied])
        return (distances**2).astype(self._dtype, copy=False), indices

    def _lowest_of_equals(
        self, queries: MatrixLike, distances: np.ndarray, indices: np.ndarray
    ) -> np.ndarray:
        """The same neighbours with ties at the last distance given to the lowest row numbers."""
        worst = distances[:, -1]
        # Slightly wider: the tree compares squares, and rounding must not lose the boundary itself.
        within, found = self._tree.query_radius(queries, worst * (1 + 1e-12), return_distance=True)[::-1]
        settled = indices.copy()
        for row, (reach, candidates) in enumerate(zip(within, found)):
            at_rim = np.sort(candidates[reach == worst[row]])
            n_inside = np.count_nonzero(distances[row] < worst[row])
            settled[row, n_inside:] = at_rim[: settled.shape[1] - n_inside]
        return settled
