"""scikit-learn's space-partitioning trees behind the two verbs."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import BallTree, KDTree

from nearkin.search.base import Index


class TreeIndex(Index):
    """Exact search with a k-d or ball tree: fast in a few dimensions, slow in many."""

    def __init__(self, kind: str = "kd_tree", leaf_size: int = 40):
        self.kind = kind
        self.leaf_size = leaf_size

    def build(self, references) -> TreeIndex:
        trees = {"kd_tree": KDTree, "ball_tree": BallTree}
        if self.kind not in trees:
            raise ValueError(f"kind={self.kind!r} is not a tree; choose one of {sorted(trees)}.")
        self._tree = trees[self.kind](references, leaf_size=self.leaf_size)
        return self

    def query(self, queries, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        distances, indices = self._tree.query(queries, k=n_neighbors)
        order = np.lexsort((indices, distances), axis=1)
        return np.take_along_axis(distances, order, axis=1) ** 2, np.take_along_axis(indices, order, axis=1)
