"""The regression from items to queries, in primal and dual form, and its score on held-out queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nearkin.distances import AffineEmbedding, FactoredEmbedding
from nearkin.numerics.products import cross_products, dense, squared_norms
from nearkin.numerics.ridge import cross_normal_equations, dual_coefficients, ridge_path, solve_ridge

#: Entries of a block of scores: some tens of megabytes.
SCORES_AT_ONCE = 2**22


@dataclass(frozen=True)
class Relations:
    """Which items belong to which queries, and which were shown but skipped (queries x items)."""

    wanted: sparse.csr_array
    skipped: sparse.csr_array | None = None

    def without(self, held_out: np.ndarray) -> Relations:
        """The same without some of the queries."""
        stays = np.ones(self.wanted.shape[0])
        stays[held_out] = 0
        keep = sparse.diags_array(stays)

        def kept(pairs):
            left = sparse.csr_array(keep @ pairs)
            left.eliminate_zeros()
            return left

        return Relations(kept(self.wanted), None if self.skipped is None else kept(self.skipped))


class ItemRegression:
    """min sum w |q - W z|^2 + s sum v |q + W z'|^2 + alpha |W|^2, z wanted and z' skipped.

    Queries and items are centred at their means over the pairs. Memory is d x d for d item features, or
    m x m for the m items in pairs, whichever is smaller.
    """

    def __init__(self, queries, items, relations: Relations, skip_weight: float = 0.0):
        weights, outputs = _sums(relations.wanted), relations.wanted.T.tocsr()
        self._mean_z = _weighted_mean(items, weights)
        self._mean_q = _weighted_mean(queries, np.asarray(relations.wanted.sum(axis=1)).ravel())
        if skip_weight and relations.skipped is not None:
            weights = weights + skip_weight * _sums(relations.skipped)
            outputs = sparse.csr_array(outputs - skip_weight * relations.skipped.T)
        self._dtype = np.result_type(queries.dtype, items.dtype)
        self._used = np.flatnonzero(weights)
        self._primal = items.shape[1] <= len(self._used)
        if self._primal:
            self._A, self._B = cross_normal_equations(
                items, weights, outputs, queries, self._mean_z, self._mean_q
            )
            trace, rank = float(np.trace(self._A)), len(self._A)
        else:
            self._weights = weights[self._used]
            self._inputs = items[self._used]
            self._gram = _centred_gram(self._inputs, self._mean_z)
            per_input = np.asarray(outputs[self._used].sum(axis=1)).ravel()
            self._wanted = dense(outputs[self._used] @ queries) - np.outer(per_input, self._mean_q)
            trace, rank = float(self._weights @ np.diagonal(self._gram)), len(self._used)
        #: The natural scale of alpha.
        self.unit = trace / rank or 1.0

    def maps(self, alphas) -> Iterator[AffineEmbedding | FactoredEmbedding]:
        """The map of items for each alpha; several share one eigendecomposition."""
        if self._primal:
            one = len(alphas) == 1
            found = (
                [solve_ridge(self._A, self._B, alphas[0])] if one else ridge_path(self._A, self._B, alphas)
            )
            for transposed in found:
                W = np.ascontiguousarray(transposed.T, dtype=self._dtype)
                yield AffineEmbedding(W, self._mean_z.astype(self._dtype), self._mean_q.astype(self._dtype))
            return
        for F in dual_coefficients(self._gram, self._weights, alphas):
            right = F @ self._wanted
            # Centring the inputs would make sparse ones dense; one more row has the same effect.
            right = np.vstack([right, -right.sum(axis=0)]).astype(self._dtype)
            mean = self._mean_z[None].astype(self._dtype)
            left = (
                sparse.vstack([self._inputs, sparse.csr_array(mean)]).tocsr()
                if sparse.issparse(self._inputs)
                else np.vstack([self._inputs, mean])
            )
            yield FactoredEmbedding(left, right, self._mean_z, self._mean_q)


def reciprocal_ranks(queries, moved: np.ndarray, wanted: sparse.csr_array) -> np.ndarray:
    """Reciprocal rank of the first wanted item among all moved items, for each query; ties share ranks."""
    half_norms = squared_norms(moved) / 2
    step = max(1, SCORES_AT_ONCE // len(moved))
    found = np.zeros(queries.shape[0])
    for first in range(0, queries.shape[0], step):
        scores = cross_products(queries[first : first + step], moved) - half_norms
        rows = wanted[first : first + step]
        best = np.full(len(scores), -np.inf, dtype=scores.dtype)
        which = np.repeat(np.arange(len(scores)), np.diff(rows.indptr))
        np.maximum.at(best, which, scores[which, rows.indices])
        above = (scores > best[:, None]).sum(axis=1)
        equal = (scores == best[:, None]).sum(axis=1)
        found[first : first + step] = 1 / (above + (equal + 1) / 2)
    return found


def _sums(pairs: sparse.csr_array) -> np.ndarray:
    return np.asarray(pairs.sum(axis=0)).ravel()


def _weighted_mean(X, weights: np.ndarray) -> np.ndarray:
    return np.asarray(X.T @ weights).ravel() / weights.sum()


def _centred_gram(X, mean: np.ndarray) -> np.ndarray:
    gram = cross_products(X, X).astype(np.float64)
    to_mean = np.asarray(X @ mean).ravel()
    gram -= to_mean
    gram -= to_mean[:, None]
    gram += mean @ mean
    return gram
