"""Exact search by blocked matrix products."""

from __future__ import annotations

from math import isfinite

import numpy as np
from scipy import sparse

from nearkin._types import MatrixLike
from nearkin.numerics.neighbours_blocked import DEFAULT, ScanPolicy, coarse_origin, nearest_references
from nearkin.numerics.products import squared_norms
from nearkin.search.base import Index, check_query, float_rows


class ExactIndex(Index):
    """True nearest neighbours in bounded memory; dense or CSR, float32 kept.

    Parameters
    ----------
    memory_budget : int
        Bytes for blocks of scores during a query, in addition to references, queries and results.
    policy : numerics.neighbours_blocked.ScanPolicy or None, default=None
        How blocks are cut and scanned; None takes the defaults.

    Notes
    -----
    Scores are matrix products; the distances of the few best references of each query are then computed
    from differences, so that identical rows are at distance exactly 0 and large offsets do no harm.
    Rows are sorted by distance, then by row number, and ties at the last place go to the lowest row
    numbers: exactly if the products are exact (integers), otherwise up to rounding.

    m queries cost m n d multiply-adds, in as many threads as BLAS is allowed, one block of queries each.
    Large searches (from 3e8 scores) scan the blocks with a compiled kernel, which loads Numba.

    Queries are compared in the dtype of the references.

    Examples
    --------
    >>> index = ExactIndex().build(np.array([[0.0], [2.0], [5.0]]))
    >>> index.query(np.array([[1.5]]), 2)
    (array([[0.25, 2.25]]), array([[1, 0]]))
    """

    policy: ScanPolicy | None = None

    def __init__(self, memory_budget: int = 128 * 2**20, policy: ScanPolicy | None = None) -> None:
        self.memory_budget = memory_budget
        self.policy = policy

    def build(self, references: MatrixLike) -> ExactIndex:
        references = float_rows(references, self, accept_sparse=True)
        if references.shape[0] == 0:
            raise ValueError("there are no references to search: got 0 rows.")
        self._origin, self._transposed = None, None
        if sparse.issparse(references):
            self._transposed = references.T.tocsr()
        else:
            self._origin = coarse_origin(references)
            if self._origin is not None:
                references = references - self._origin
        self._half_norms = squared_norms(references) / 2
        if not np.isfinite(self._half_norms).all():
            raise ValueError(
                f"the references hold NaN, infinities, or values whose squares overflow {references.dtype}; "
                "clean or scale the features."
            )
        self._references = references
        self.shape_ = references.shape
        return self

    def query(self, queries: MatrixLike, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        queries = float_rows(queries, self, accept_sparse=True)
        check_query(self, queries, n_neighbors)
        distances, indices = nearest_references(
            queries,
            self._references,
            self._half_norms,
            n_neighbors,
            transposed=self._transposed,
            origin=self._origin,
            memory_budget=self.memory_budget,
            policy=self.policy or DEFAULT,
        )
        # NaN is sorted last, so the last column shows whether there is any.
        farthest = distances[:, -1]
        if not (isfinite(farthest[0]) if len(farthest) == 1 else np.isfinite(farthest).all()):
            raise ValueError(
                f"the queries hold NaN, infinities, or values whose squares overflow {distances.dtype}; "
                "clean or scale the features."
            )
        return distances, indices
