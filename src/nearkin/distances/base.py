"""The contract of every fitted distance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances.display import as_html

#: Pairs of rows measured together, as the diagonal of a table that must stay small.
PAIRS_AT_ONCE = 128


class Distance(ABC):
    """A squared dissimilarity from queries to references; not necessarily symmetric.

    A subclass implements `bind`, which computes everything that depends on the references alone; the
    function it returns only does the work that each batch of queries needs.
    """

    @abstractmethod
    def bind(self, references: MatrixLike) -> Callable[[np.ndarray], np.ndarray]:
        """Fix the references; the result maps queries (m x d) to squared distances (m x n)."""

    def of_pairs(self, X: MatrixLike, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Squared distance from row left[t] as a query to row right[t] as a reference, for every t.

        Each block of pairs is measured as a small table of which the diagonal is kept; subclasses override
        this if there is a cheaper way.
        """
        out = np.empty(len(left), dtype=X.dtype)
        for start in range(0, len(left), PAIRS_AT_ONCE):
            part = slice(start, start + PAIRS_AT_ONCE)
            out[part] = np.diagonal(self.pairwise(X[left[part]], X[right[part]]))
        return out

    def _repr_html_(self) -> str:
        return as_html(self)

    def pairwise(self, queries: MatrixLike, references: MatrixLike) -> np.ndarray:
        """Squared distances, one row per query and one column per reference."""
        return self.bind(references)(queries)
