"""Exact search by blocked matrix products."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nearkin.numerics.products import squared_distances, squared_norms
from nearkin.numerics.selection import smallest_per_row
from nearkin.search.base import Index


class ExactIndex(Index):
    """True nearest neighbours in bounded memory; dense or sparse, float32 kept."""

    def __init__(self, memory_budget: int = 128 * 2**20):
        self.memory_budget = memory_budget

    def build(self, references) -> ExactIndex:
        self._references = references if sparse.issparse(references) else np.ascontiguousarray(references)
        self._norms = squared_norms(references)
        return self

    def query(self, queries, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        rows = max(1, self.memory_budget // (8 * self._references.shape[0]))
        found = []
        for start in range(0, queries.shape[0], rows):
            D = squared_distances(queries[start : start + rows], self._references, norms_b=self._norms)
            found.append(smallest_per_row(D, n_neighbors))
        return np.concatenate([d for d, _ in found]), np.concatenate([i for _, i in found])
