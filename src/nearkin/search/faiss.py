"""FAISS indexes; FAISS itself is loaded on first use."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from nearkin._types import MatrixLike
from nearkin.search.base import Index, check_query, float_rows
from nearkin.search.exact import ExactIndex
from nearkin.search.policy import IndexPolicy

KINDS = ("flat", "ivf", "hnsw")


class FaissIndex(Index):
    """A FAISS index: ``"flat"`` is exact, ``"ivf"`` and ``"hnsw"`` trade exactness for speed.

    Parameters
    ----------
    kind : {"flat", "ivf", "hnsw"}
        Compare all references; only those in the nearest lists of a k-means partition; or those met on a
        walk through a neighbour graph.
    n_lists : int or None
        "ivf": number of lists; about 4 sqrt(n) by default, fewer if lists would have too few points.
    n_probe : int or None
        "ivf": lists searched for each query; by default one in sixteen, at least 8.
    n_links : int
        "hnsw": links of each point in the graph.
    ef_construction, ef_search : int
        "hnsw": size of the candidate list while building and while searching (at least twice the number of
        neighbours). Larger is slower and closer to exact.

    Attributes
    ----------
    faiss_index : faiss.Index
        The FAISS index itself, for `faiss.write_index` or your own service.

    Notes
    -----
    FAISS works in float32, so float64 references and queries are rounded, and distances are returned as
    float32. They are computed from expanded products: near zero and with large common offsets they are
    less accurate than those of `ExactIndex`. Rows are sorted by distance, then by row number; ties at the
    last place are broken arbitrarily. Threads are FAISS's own (`faiss.omp_set_num_threads`).
    """

    policy: ClassVar[IndexPolicy] = IndexPolicy()

    def __init__(
        self,
        kind: str = "flat",
        *,
        n_lists: int | None = None,
        n_probe: int | None = None,
        n_links: int = 32,
        ef_construction: int = 200,
        ef_search: int = 128,
    ) -> None:
        self.kind = kind
        self.n_lists = n_lists
        self.n_probe = n_probe
        self.n_links = n_links
        self.ef_construction = ef_construction
        self.ef_search = ef_search

    @property
    def exact(self) -> bool:  # type: ignore[override]
        return self.kind == "flat"

    def build(self, references: MatrixLike) -> FaissIndex:
        self.faiss_index = self.hold(references)
        self.shape_ = (self.faiss_index.ntotal, self.faiss_index.d)
        return self

    def hold(self, vectors: np.ndarray, *, inner_product: bool = False) -> Any:
        """A new FAISS index of this kind with these vectors, by inner product or by L2."""
        if self.kind not in KINDS:
            raise ValueError(f"kind={self.kind!r} is not a kind of FAISS index; choose one of {list(KINDS)}.")
        faiss = load_faiss()
        vectors = float_rows(vectors, self)
        with np.errstate(over="ignore"):  # checked right below
            vectors = vectors.astype(np.float32, copy=False)
        if not np.isfinite(vectors).all():
            raise ValueError(
                "the references hold NaN, infinities, or values beyond float32; clean or scale them."
            )
        metric = faiss.METRIC_INNER_PRODUCT if inner_product else faiss.METRIC_L2
        if self.kind == "flat":
            index = faiss.IndexFlat(vectors.shape[1], metric)
        elif self.kind == "hnsw":
            index = faiss.IndexHNSWFlat(vectors.shape[1], self.n_links, metric)
            index.hnsw.efConstruction = self.ef_construction
            index.hnsw.efSearch = self.ef_search
        else:
            index = self._partition(faiss, vectors, metric)
        index.add(vectors)
        return index

    def _partition(self, faiss: Any, vectors: np.ndarray, metric: Any) -> Any:
        n, width = vectors.shape
        n_lists = self.n_lists or max(1, min(int(4 * np.sqrt(n)), n // self.policy.points_per_list))
        if n_lists > n:
            raise ValueError(f"n_lists={n_lists} is more than the {n} references.")
        index = faiss.IndexIVFFlat(faiss.IndexFlat(width, metric), width, n_lists, metric)
        # Small sets are partitioned as well as possible; FAISS's warning would not help.
        index.cp.min_points_per_centroid = 1
        index.cp.max_points_per_centroid = self.policy.most_points_per_list
        index.cp.spherical = metric == faiss.METRIC_INNER_PRODUCT
        index.train(vectors)
        index.nprobe = min(n_lists, self.n_probe or max(8, n_lists // 16))
        return index

    def query(self, queries: MatrixLike, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        queries = float_rows(queries, self)
        check_query(self, queries, n_neighbors)
        queries = np.ascontiguousarray(queries, dtype=np.float32)
        if self.kind == "hnsw":
            self.faiss_index.hnsw.efSearch = max(self.ef_search, 2 * n_neighbors)
        distances, indices = self.faiss_index.search(queries, n_neighbors)
        short = np.flatnonzero((indices < 0).any(axis=1))
        if len(short):
            distances[short], indices[short] = self._search_all(queries[short], n_neighbors)
        order = np.lexsort((indices, distances), axis=1)
        distances = np.maximum(np.take_along_axis(distances, order, axis=1), 0)
        return distances, np.take_along_axis(indices, order, axis=1)

    def _search_all(self, queries: MatrixLike, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """Exact answers for queries whose lists or graph walk found fewer than k references."""
        if self.kind == "ivf":
            self.faiss_index.make_direct_map()
        return (
            ExactIndex().build(self.faiss_index.reconstruct_n(0, self.shape_[0])).query(queries, n_neighbors)
        )


def load_faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise ImportError(
            "FAISS is not installed: pip install 'nearkin[search]', or use index='exact'."
        ) from error
    return faiss
