"""The contract every fitted distance keeps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances.display import as_html

#: Pairs of rows measured together: the table of which they are the diagonal stays small.
PAIRS_AT_ONCE = 128


class Distance(ABC):
    """A squared dissimilarity from queries to references; not necessarily symmetric.

    A subclass says how to `bind` references: everything that depends on them alone is computed
    there once, and the returned function only does what each new batch of queries needs.
    """

    @abstractmethod
    def bind(self, references: MatrixLike) -> Callable[[np.ndarray], np.ndarray]:
        """Fix the references; the result maps queries (m x d) to squared distances (m x n)."""

    def of_pairs(self, X: MatrixLike, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Squared distance from row left[t] as a query to row right[t] as a reference, for every t.

        A block of pairs is measured as a small table of which the diagonal is kept; distances that can
        do better say so.
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
