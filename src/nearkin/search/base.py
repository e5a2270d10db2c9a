"""The two verbs every index has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np


class Index(ABC):
    """Nearest references under squared Euclid.

    `query` returns squared distances and row numbers, each m x k, every row sorted by distance and,
    where distances are equal, by row number.
    """

    #: Whether the neighbours found are the true ones.
    exact: bool = True

    @abstractmethod
    def build(self, references) -> Self:
        """Take the references (n x e) and return self, ready for queries."""

    @abstractmethod
    def query(self, queries, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """The `n_neighbors` nearest references of each query."""
