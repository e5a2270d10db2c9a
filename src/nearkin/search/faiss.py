"""FAISS indexes behind the two verbs; FAISS itself is loaded on first use."""

from __future__ import annotations

import numpy as np

from nearkin.search.base import Index


class FaissIndex(Index):
    """A FAISS index: ``"flat"`` is exact, ``"ivf"`` and ``"hnsw"`` trade exactness for speed."""

    def __init__(self, kind: str = "flat"):
        self.kind = kind

    @property
    def exact(self) -> bool:  # type: ignore[override]
        return self.kind == "flat"

    def build(self, references) -> FaissIndex:
        import faiss

        self.faiss_index = faiss.IndexFlatL2(references.shape[1])
        self.faiss_index.add(np.ascontiguousarray(references, dtype=np.float32))
        return self

    def query(self, queries, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        return self.faiss_index.search(np.ascontiguousarray(queries, dtype=np.float32), n_neighbors)
