"""Exact search under a distance that is not an embedding, block by block of queries."""

from __future__ import annotations

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances import Distance
from nearkin.numerics.selection import smallest_per_row
from nearkin.search.base import Index, check_query


class BoundIndex(Index):
    """Computes the distances from a block of queries to all references and keeps the nearest.

    Parameters
    ----------
    distance : Distance
        Any distance; only its `bind` is used.
    memory_budget : int
        Bytes that one block of distances may take.
    """

    def __init__(self, distance: Distance, memory_budget: int = 128 * 2**20) -> None:
        self.distance = distance
        self.memory_budget = memory_budget

    def build(self, references: MatrixLike) -> BoundIndex:
        self.shape_ = references.shape
        self._to_references = self.distance.bind(references)
        return self

    def query(self, queries: MatrixLike, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        check_query(self, queries, n_neighbors)
        rows = max(1, self.memory_budget // (8 * self.shape_[0]))
        found = [
            smallest_per_row(self._to_references(queries[start : start + rows]), n_neighbors)
            for start in range(0, queries.shape[0], rows)
        ]
        return np.concatenate([d for d, _ in found]), np.concatenate([i for _, i in found])
