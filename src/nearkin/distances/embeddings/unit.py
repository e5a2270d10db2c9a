"""Rows scaled to length one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances.embeddings.base import Embedding
from nearkin.numerics.products import squared_norms


@dataclass(frozen=True)
class UnitEmbedding:
    """A fitted embedding with its rows scaled to length one; zero rows stay zero."""

    inner: Embedding

    def __call__(self, X: MatrixLike, /) -> np.ndarray:
        return unit_rows(self.inner(X))[0]


def unit_rows(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of length one, and the lengths they had; the length of a zero row is given as infinity."""
    # Dividing by the largest entry first keeps tiny and huge rows in range when they are squared.
    largest = np.abs(Z).max(axis=1, initial=0)
    lengths = largest * np.sqrt(squared_norms(Z / np.where(largest > 0, largest, 1)[:, None]))
    lengths = np.where(lengths > 0, lengths, np.inf).astype(Z.dtype, copy=False)
    return Z / lengths[:, None], lengths
