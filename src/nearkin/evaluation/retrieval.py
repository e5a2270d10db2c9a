"""Scores of ranked lists: does a search bring up what is relevant, and early?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from nearkin._types import ColumnLike, MatrixLike


@dataclass(frozen=True)
class Relevance:
    """Which references are relevant to which queries, and how much.

    Made by `of_labels` or `of_lists`; a query without any relevant reference has no score and is left
    out of means.

    Examples
    --------
    >>> truth = Relevance.of_labels(["a", "b"], ["a", "a", "b"])
    >>> truth.counts, truth.gains(np.array([[2, 0], [2, 1]]))
    (array([2, 1]), array([[0., 1.],
           [1., 0.]]))
    """

    query_codes: np.ndarray
    reference_codes: np.ndarray
    table: sparse.csr_array | None

    @classmethod
    def of_labels(cls, query_labels: ColumnLike, reference_labels: ColumnLike) -> Relevance:
        """References with a query's own label are relevant; no matrix of queries x references is made."""
        queries, references = np.asarray(query_labels), np.asarray(reference_labels)
        codes = np.unique(np.concatenate([queries, references]), return_inverse=True)[1]
        return cls(codes[: len(queries)], codes[len(queries) :], None)

    @classmethod
    def of_lists(cls, relevant: Any, n_references: int) -> Relevance:
        """From a sequence of row numbers per query, or a sparse matrix (queries x references) of gains.

        >>> Relevance.of_lists([[0, 2], [1]], 3).counts
        array([2, 1])
        """
        if sparse.issparse(relevant):
            table = sparse.csr_array(relevant, dtype=np.float64)
            if table.shape[1] != n_references:
                raise ValueError(
                    f"relevance has {table.shape[1]} columns, but there are {n_references} references."
                )
            if (table.data < 0).any():
                raise ValueError("gains of relevant references must not be negative.")
            table.eliminate_zeros()
        else:
            rows = [np.unique(np.asarray(row, dtype=np.intp)) for row in relevant]
            columns = np.concatenate([*rows, np.empty(0, dtype=np.intp)])
            if len(columns) and not (columns.min() >= 0 and columns.max() < n_references):
                raise ValueError(
                    f"relevance names references {columns.min()} to {columns.max()}, but there are only "
                    f"0 to {n_references - 1}."
                )
            starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
            table = sparse.csr_array(
                (np.ones(len(columns)), columns, starts), shape=(len(rows), n_references)
            )
        nothing = np.empty(0, dtype=np.intp)
        return cls(nothing, nothing, table)

    @property
    def n_queries(self) -> int:
        return len(self.query_codes) if self.table is None else self.table.shape[0]

    @property
    def counts(self) -> np.ndarray:
        """R: how many references are relevant to each query."""
        if self.table is not None:
            return np.diff(self.table.indptr)
        sizes = np.bincount(self.reference_codes, minlength=int(self.query_codes.max(initial=0)) + 1)
        return sizes[self.query_codes]

    def gains(self, indices: np.ndarray) -> np.ndarray:
        """Gain of each listed reference, zero where it is not relevant (n_queries x k)."""
        indices = np.asarray(indices)
        if indices.ndim != 2 or len(indices) != self.n_queries:
            raise ValueError(
                f"indices has shape {indices.shape}; expected one ranked list for each of the "
                f"{self.n_queries} queries."
            )
        if self.table is None:
            return (self.reference_codes[indices] == self.query_codes[:, None]).astype(np.float64)
        rows = np.repeat(np.arange(len(indices)), indices.shape[1])
        return np.asarray(self.table[rows, indices.ravel()]).reshape(indices.shape)

    def best_gains(self, k: int) -> np.ndarray:
        """Gains of the best possible list of k for each query, in falling order."""
        best = np.zeros((self.n_queries, k))
        if self.table is None:
            best[np.arange(k) < self.counts[:, None]] = 1.0
            return best
        for row, (first, stop) in enumerate(zip(self.table.indptr[:-1], self.table.indptr[1:], strict=True)):
            top = np.sort(self.table.data[first:stop])[::-1][:k]
            best[row, : len(top)] = top
        return best


def recall_at_k(indices: MatrixLike, relevance: Relevance, k: int = 10) -> float:
    """Mean share of the relevant references that are among the first k.

    >>> recall_at_k(np.array([[0, 1]]), Relevance.of_lists([[0, 2]], 3), 2)
    0.5
    """
    hits = _hits(indices, relevance, k)
    return _mean(hits.sum(axis=1), relevance.counts, relevance)


def precision_at_k(indices: MatrixLike, relevance: Relevance, k: int = 10) -> float:
    """Mean share of the first k that is relevant.

    >>> precision_at_k(np.array([[0, 1]]), Relevance.of_lists([[0, 2]], 3), 2)
    0.5
    """
    return _mean(_hits(indices, relevance, k).sum(axis=1), k, relevance)


def hit_rate_at_k(indices: MatrixLike, relevance: Relevance, k: int = 10) -> float:
    """Share of the queries with at least one relevant reference among the first k.

    >>> hit_rate_at_k(np.array([[0, 1], [0, 1]]), Relevance.of_lists([[1], [2]], 3), 2)
    0.5
    """
    return _mean(_hits(indices, relevance, k).any(axis=1), 1, relevance)


def mean_reciprocal_rank(indices: MatrixLike, relevance: Relevance) -> float:
    """Mean of one over the place of the first relevant reference; zero where the list has none (MRR).

    >>> mean_reciprocal_rank(np.array([[1, 0], [2, 1]]), Relevance.of_lists([[0], [0]], 3))
    0.25
    """
    hits = _hits(indices, relevance, np.shape(indices)[1])
    return _mean(np.where(hits.any(axis=1), 1 / (hits.argmax(axis=1) + 1), 0), 1, relevance)


def map_at_r(indices: MatrixLike, relevance: Relevance) -> float:
    """Mean average precision over the first R of each list, R being the number of relevant references.

    Parameters
    ----------
    indices : int array of shape (n_queries, k)
        k at least the largest R.
    relevance : Relevance

    References
    ----------
    K. Musgrave, S. Belongie, S.-N. Lim (2020). A metric learning reality check. ECCV.

    Examples
    --------
    >>> map_at_r(np.array([[0, 1, 2]]), Relevance.of_lists([[0, 2]], 3))
    0.5
    """
    R = relevance.counts
    k = np.shape(indices)[1]
    if R.max(initial=0) > k:
        raise ValueError(
            f"MAP@R needs lists of at least {R.max()} references, as many as are relevant to some query, but "
            f"they have {k}; ask for more neighbours."
        )
    hits = _hits(indices, relevance, k) & (np.arange(k) < R[:, None])
    precisions = np.cumsum(hits, axis=1) / np.arange(1, k + 1)
    return _mean((precisions * hits).sum(axis=1), R, relevance)


def ndcg_at_k(indices: MatrixLike, relevance: Relevance, k: int = 10) -> float:
    """Normalised discounted cumulative gain of the first k, with gains as they are (not exponentiated).

    References
    ----------
    K. Jarvelin, J. Kekalainen (2002). Cumulated gain-based evaluation of IR techniques. ACM TOIS 20.

    Examples
    --------
    >>> round(ndcg_at_k(np.array([[1, 0]]), Relevance.of_lists([[0]], 2), 2), 4)
    0.6309
    """
    gains = relevance.gains(_first(indices, k))
    discounts = 1 / np.log2(np.arange(2, k + 2))
    best = relevance.best_gains(k) @ discounts
    return _mean(gains @ discounts, best, relevance)


def retrieval_scores(
    indices: MatrixLike, relevance: Relevance, ks: Sequence[int] = (1, 5, 10)
) -> dict[str, float]:
    """The usual scores of ranked lists in one table; MAP@R only where the lists are long enough.

    >>> scores = retrieval_scores(np.array([[0, 1]]), Relevance.of_lists([[0]], 2), ks=(1,))
    >>> scores["recall@1"], scores["MRR"], scores["MAP@R"]
    (1.0, 1.0, 1.0)
    """
    width = np.shape(indices)[1]
    found = {}
    for k in (k for k in ks if k <= width):
        found[f"recall@{k}"] = recall_at_k(indices, relevance, k)
        found[f"precision@{k}"] = precision_at_k(indices, relevance, k)
        found[f"hit rate@{k}"] = hit_rate_at_k(indices, relevance, k)
        found[f"nDCG@{k}"] = ndcg_at_k(indices, relevance, k)
    found["MRR"] = mean_reciprocal_rank(indices, relevance)
    if relevance.counts.max(initial=0) <= width:
        found["MAP@R"] = map_at_r(indices, relevance)
    return found


def _first(indices, k: int) -> np.ndarray:
    indices = np.asarray(indices)
    if k < 1 or indices.ndim != 2 or indices.shape[1] < k:
        raise ValueError(f"k={k}: the ranked lists have shape {indices.shape}; ask for more neighbours.")
    return indices[:, :k]


def _hits(indices: MatrixLike, relevance: Relevance, k: int) -> np.ndarray:
    return relevance.gains(_first(indices, k)) > 0


def _mean(found, ideal, relevance: Relevance) -> float:
    """Mean of found / ideal over the queries to which anything is relevant."""
    answerable = relevance.counts > 0
    if not answerable.any():
        raise ValueError("no query has a relevant reference, so there is nothing to score.")
    ideal = np.broadcast_to(ideal, answerable.shape)
    return float(np.mean(np.asarray(found)[answerable] / ideal[answerable]))
