"""Moving items into the space of their queries, learned from pairs of a query and an item."""

from __future__ import annotations

from itertools import product
from typing import Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from nearkin._types import Auto, ColumnLike, MatrixLike
from nearkin.distances import AffineEmbedding, EmbeddedDistance
from nearkin.learners.closed_form.two_sided import (
    ItemRegression,
    Relations,
    reciprocal_ranks,
)
from nearkin.learners.settings import check_number
from nearkin.numerics.given_rows import checked_rows
from nearkin.search import NeighbourSearch
from nearkin.supervision.constraints import constraint_weights

#: Penalties tried, in units of the mean eigenvalue of the regression's normal matrix.
RELATIVE_ALPHAS = np.logspace(-3.5, 1.5, 6)
#: Weights of skipped items to try, relative to clicked ones.
SKIP_WEIGHTS = (0.0, 0.1, 0.5)
FOLDS = 5
#: Held-out queries that suffice to compare settings; no more folds are run than that takes.
ENOUGH_QUERIES = 1_000
#: Largest size (items x features) of the moved items; beyond it, features should be reduced first.
MAX_MOVED = 2**31


class MoveItems(BaseEstimator):
    """Move items into the space of their queries, by ridge regression on pairs that belong together.

    Queries and items may come from different encoders and have different widths. A matrix W is learned
    that maps an item z to the queries q that should find it: min sum w |q - W z|^2 + alpha |W|^2, with both
    sides centred. Moved items are searched with raw queries by Euclid, or in an index of another metric
    with the help of ``distance_.folded``.

    Parameters
    ----------
    alpha : "auto" or float, default="auto"
        Penalty on W. "auto" tries six values and keeps the one of best mean reciprocal rank on held-out
        queries.
    share : "auto" or float, default="auto"
        How far items are moved, 0 to 1, if both sides have the same width. If alpha is "auto" too, "auto"
        tries 0 (not at all), 0.5 and 1; otherwise it is 1. Always 1 for different widths.
    skip_weight : "auto" or float, default="auto"
        Weight of skipped items, which should lie opposite to the query; for triplets only. If alpha is "auto"
        too, "auto" tries 0, 0.1 and 0.5; otherwise it is 0.

    Attributes
    ----------
    distance_ : EmbeddedDistance
        Moves items but not queries: ``distance_.pairwise(queries, items)``.
    alpha_, share_, skip_weight_ : float
        The settings used.
    score_ : float or None
        Mean reciprocal rank of the chosen settings on held-out queries; None if all were given.
    n_query_features_, n_item_features_ : int
        Widths of the two sides.

    Notes
    -----
    Cost: two products of pairs and features, d^3 for d item features (or the number of items in pairs, if
    that is smaller), and for "auto" one ranking of all items for each setting and up to 1,000 queries.
    Moved items are dense and as wide as the queries.

    References
    ----------
    Y. Shigeto, I. Suzuki, K. Hara, M. Shimbo, Y. Matsumoto (2015). Ridge regression, hubness, and zero-shot
    learning. ECML PKDD.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> queries = rng.normal(size=(200, 8))
    >>> items = queries @ rng.normal(size=(8, 12))          # another encoder, another width
    >>> pairs = np.stack([np.arange(200), np.arange(200)], axis=1)
    >>> model = MoveItems().fit(queries[:150], items[:150], pairs[:150])
    >>> model.move(items[150:]).shape
    (50, 8)
    >>> int((model.kneighbors(queries[150:], items[150:], 1)[1][:, 0] == np.arange(50)).sum())
    50
    """

    def __init__(
        self, alpha: float | Auto = "auto", share: float | Auto = "auto", skip_weight: float | Auto = "auto"
    ) -> None:
        self.alpha = alpha
        self.share = share
        self.skip_weight = skip_weight

    def fit(
        self,
        queries: MatrixLike,
        items: MatrixLike,
        pairs: MatrixLike | None = None,
        weight: ColumnLike | None = None,
        *,
        triplets: MatrixLike | None = None,
    ) -> Self:
        """Learn from pairs of a query and an item, or from triplets of a click log.

        Parameters
        ----------
        queries : array-like or CSR of shape (n_queries, n_query_features)
        items : array-like or CSR of shape (n_items, n_item_features)
        pairs : int array of shape (n_pairs, 2), or sparse matrix of shape (n_queries, n_items)
            Row numbers of a query and an item that belong together; repeated pairs count repeatedly. A
            sparse matrix holds the weight of each pair instead, such as a number of clicks.
        weight : array-like of shape (n_pairs,), optional
            Weights of the pairs or triplets, not negative.
        triplets : int array of shape (n_triplets, 3), optional
            Row numbers of a query, an item clicked and an item shown but skipped; instead of pairs.

        Returns
        -------
        self
        """
        self._check_settings()
        queries = checked_rows(queries, what="queries")
        items = checked_rows(items, what="items")
        relations = _relations(pairs, triplets, weight, (queries.shape[0], items.shape[0]))
        if items.shape[0] * queries.shape[1] > MAX_MOVED:
            raise ValueError(
                f"moved items would be {items.shape[0]} x {queries.shape[1]} and dense; reduce the features "
                "of the queries first, for instance by sklearn.decomposition.TruncatedSVD(300)."
            )
        self.n_query_features_, self.n_item_features_ = queries.shape[1], items.shape[1]
        settings = self._settings(relations)
        chosen = settings[0]
        self.score_ = None
        if len(settings) > 1:
            chosen, self.score_ = _best_setting(queries, items, relations, settings)
        relative, self.share_, self.skip_weight_ = chosen
        form = ItemRegression(queries, items, relations, self.skip_weight_)
        self.alpha_ = float(self.alpha) if relative is None else relative * form.unit
        moved = (
            next(iter(form.maps([self.alpha_]))).part_of_the_way(self.share_)
            if self.share_
            else AffineEmbedding(width=self.n_item_features_)
        )
        self.distance_ = EmbeddedDistance(AffineEmbedding(width=self.n_query_features_), moved)
        return self

    def move(self, items: MatrixLike) -> np.ndarray:
        """Items in the space of the queries, to be stored in an index; also for new items."""
        check_is_fitted(self)
        return self.distance_.embed_references(items)

    def kneighbors(
        self, queries: MatrixLike, items: MatrixLike, n_neighbors: int = 10
    ) -> tuple[np.ndarray, np.ndarray]:
        """Distances and row numbers of the nearest items of each query, nearest first."""
        check_is_fitted(self)
        search = NeighbourSearch(self.distance_).build(checked_rows(items, what="items"))
        squared, found = search.query(checked_rows(queries, what="queries"), n_neighbors)
        return np.sqrt(squared), found

    def _check_settings(self) -> None:
        check_number(words=("auto",), alpha=self.alpha)
        check_number(high=1, words=("auto",), share=self.share, skip_weight=self.skip_weight)

    def _settings(self, relations: Relations) -> list[tuple]:
        """Settings to choose from: relative penalty (None if given), share and weight of skips."""
        choose = self.alpha == "auto"
        same_width = self.n_query_features_ == self.n_item_features_
        if self.share not in ("auto", 1, 1.0) and not same_width:
            raise ValueError(
                f"share={self.share!r} mixes items with their moved selves, but queries have "
                f"{self.n_query_features_} features and items {self.n_item_features_}; use share=1.0."
            )
        alphas = RELATIVE_ALPHAS.tolist() if choose else [None]
        if self.share == "auto":
            shares = [0.0, 0.5, 1.0] if choose and same_width else [1.0]
        else:
            shares = [float(self.share)]
        skips = [0.0]
        if relations.skipped is not None:
            skips = [float(self.skip_weight)] if self.skip_weight != "auto" else [0.0]
            if self.skip_weight == "auto" and choose:
                skips = list(SKIP_WEIGHTS)
        return list(product(alphas, shares, skips))


def _best_setting(queries, items, relations: Relations, settings: list) -> tuple[tuple, float]:
    totals, asked = dict.fromkeys(settings, 0.0), 0
    known = np.flatnonzero(np.diff(relations.wanted.indptr))
    if len(known) < 2:
        raise ValueError("alpha='auto' needs pairs of at least two queries; give more, or set alpha.")
    alphas = sorted({relative for relative, _, _ in settings})
    for number in range(min(FOLDS, len(known))):
        held_out = known[number :: min(FOLDS, len(known))]
        training = relations.without(held_out)
        some = held_out[:ENOUGH_QUERIES]
        for skip in {skip for _, _, skip in settings}:
            form = ItemRegression(queries, items, training, skip)
            maps = form.maps([relative * form.unit for relative in alphas])
            for relative, embedding in zip(alphas, maps, strict=True):
                for share in {share for _, share, _ in settings}:
                    moved = embedding.part_of_the_way(share)(items)
                    ranks = reciprocal_ranks(queries[some], moved, relations.wanted[some])
                    totals[relative, share, skip] += float(ranks.sum())
        asked += len(some)
        if asked >= ENOUGH_QUERIES:
            break
    # Ties go to the larger penalty, which makes fewer hubs.
    best = max(settings, key=lambda setting: (round(totals[setting] / asked, 9), setting[0]))
    return best, totals[best] / asked


def _relations(pairs, triplets, weight, shape: tuple[int, int]) -> Relations:
    if (pairs is None) == (triplets is None):
        raise ValueError("MoveItems learns from pairs or from triplets; give one of the two.")
    if pairs is not None and sparse.issparse(pairs):
        return Relations(_checked_table(pairs, weight, shape))
    name, numbers = ("pairs", pairs) if triplets is None else ("triplets", triplets)
    rows = _row_numbers(name, numbers, shape)
    weights = constraint_weights(weight, len(rows), "weight")
    kept = weights > 0
    rows, weights = rows[kept], weights[kept]
    tables = [
        sparse.coo_array((weights, (rows[:, 0], rows[:, column])), shape=shape).tocsr()
        for column in range(1, rows.shape[1])
    ]
    return Relations(*tables)


def _checked_table(pairs, weight, shape) -> sparse.csr_array:
    if weight is not None:
        raise ValueError("a sparse matrix of pairs holds their weights itself; leave weight out.")
    table = sparse.csr_array(pairs, dtype=np.float64)
    if table.shape != shape:
        raise ValueError(f"pairs has shape {table.shape}; expected (n_queries, n_items), {shape}.")
    if not np.isfinite(table.data).all() or (table.data < 0).any():
        raise ValueError("weights of pairs must be finite and not negative.")
    table.eliminate_zeros()
    if table.nnz == 0:
        raise ValueError("pairs is empty; give at least one query and an item that belong together.")
    return table


def _row_numbers(name: str, rows, shape: tuple[int, int]) -> np.ndarray:
    numbers = np.asarray(rows)
    width = 2 if name == "pairs" else 3
    if numbers.ndim != 2 or numbers.shape[1] != width or len(numbers) == 0:
        raise ValueError(
            f"{name} has shape {numbers.shape}; expected (n, {width}) row numbers, n at least 1."
        )
    if not np.issubdtype(numbers.dtype, np.integer):
        raise ValueError(f"{name} must hold row numbers, but its dtype is {numbers.dtype}.")
    for column, side in enumerate(["queries", "items", "items"][:width]):
        most = shape[min(column, 1)]
        outside = np.flatnonzero((numbers[:, column] < 0) | (numbers[:, column] >= most))
        if len(outside):
            row = outside[0]
            raise ValueError(
                f"{name}[{row}] names row {numbers[row, column]} of the {side}, which are 0 to {most - 1}."
            )
    return numbers.astype(np.intp, copy=False)
