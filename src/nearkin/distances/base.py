"""The contract every fitted distance keeps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np


class Distance(ABC):
    """A squared dissimilarity from queries to references; not necessarily symmetric.

    A subclass says how to `bind` references: everything that depends on them alone is computed
    there once, and the returned function only does what each new batch of queries needs.
    """

    @abstractmethod
    def bind(self, references) -> Callable[[np.ndarray], np.ndarray]:
        """Fix the references; the result maps queries (m x d) to squared distances (m x n)."""

    def pairwise(self, queries, references) -> np.ndarray:
        """Squared distances, one row per query and one column per reference."""
        return self.bind(references)(queries)
