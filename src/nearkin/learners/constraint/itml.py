"""Information-theoretic metric learning: the metric nearest to a prior that keeps pairs within bounds."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nearkin._types import Auto, Prior, RandomState
from nearkin.learners.constraint.certified import apart, warn_above
from nearkin.learners.constraint.priors import check_prior, prior_factor
from nearkin.learners.settings import check_bounds, check_choice, check_count, check_positive, check_tolerance
from nearkin.learners.weak_supervision import PairLearner
from nearkin.numerics.linear_metric import Span, principal_rows
from nearkin.numerics.logdet_metric import PairLoss, nearest_metric
from nearkin.numerics.pair_differences import PairDifferences
from nearkin.numerics.products import row_distances
from nearkin.supervision.label_pairs import balanced_pairs, nearest_pairs, random_pairs

# Pairs of rows whose distances determine the default bounds.
PAIRS_FOR_BOUNDS = 100_000


class ITML(PairLearner):
    """Information-theoretic metric learning.

    The metric nearest to a prior, in LogDet divergence, under which similar pairs lie below one bound and
    dissimilar pairs beyond another; violations are penalised.

    Parameters
    ----------
    gamma : float, default=1.0
        Penalty on pairs that violate their bound; with a small one the metric stays at the prior.
    prior : {"identity", "covariance"} or ndarray of shape (n_features, n_features), default="identity"
        Metric to stay near: Euclid, the inverse covariance of the rows, or any positive definite matrix.
    n_pairs : int or "auto", default="auto"
        Pairs made from labels; "auto" is 40 C (C - 1) for C classes, at most 20 for each row.
    selection : {"balanced", "random", "nearest"}, default="balanced"
        How pairs are derived from labels: half of either kind at random, random pairs of rows, or each row
        with its nearest of either kind.
    bounds : (float, float), optional
        Distances (not squared, in the prior metric) within which similar pairs should lie, and beyond which
        dissimilar ones should; by default the 5th and 95th percentile of the distances of all rows.
    n_components : int, optional
        Number of directions to keep, those that the metric stretches most; all by default.
    tol : float, default=1e-6
        Relative duality gap at which to stop.
    max_iter : int, default=500
        Largest number of steps.
    random_state : int, RandomState instance or None, default=None
        Draws pairs; None always draws the same ones.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Square root of the metric, longest rows first.
    distance_ : EmbeddedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    bounds_ : (float, float)
        The bounds used.
    n_pairs_ : int
        Pairs learned from.
    objective_ : float
        The objective of the notes, per pair.
    gap_ : float
        Relative duality gap: the objective is at most this share of its size above the optimum.
    n_iter_ : int
        Steps taken.
    classes_, n_features_in_
        As for every learner; `classes_` only if fitted from labels.

    Notes
    -----
    Minimises ``Dld(A, A0) + gamma sum h(xi_c / b_c)`` with ``h(r) = r - log r - 1``, where xi_c is the
    squared distance of pair c if it violates its (squared) bound b_c, and b_c otherwise. This is the original
    problem with its slack variables eliminated. The original algorithm projects onto one constraint at a
    time; here all pairs are used in every step, and some tens of steps suffice.

    With more features than rows the metric is learned in the span of the rows, outside which they do not
    differ. The result does not depend on a common unit of the features.

    Cost: in each of some tens of steps, min(T, n) d^2 + T d + d^3 for T pairs.
    Memory: min(T, n) d + d^2 + T.

    References
    ----------
    J. V. Davis, B. Kulis, P. Jain, S. Sra, I. S. Dhillon (2007). Information-theoretic metric learning. ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from nearkin.learners.constraint.itml import ITML
    >>> X, y = load_wine(return_X_y=True)
    >>> learner = ITML(prior="covariance").fit(X, y)
    >>> learner.transform(X).shape, learner.gap_ <= 1e-6
    ((178, 13), True)

    From pairs of three rows:

    >>> ITML().fit([[0, 0], [4, 0], [0, 3]], pairs=[[0, 1], [0, 2]], similar=[True, False]).n_pairs_
    2
    """

    summary = (
        "The metric nearest to a prior that keeps similar pairs near and dissimilar ones far; certified."
    )
    cost = "n·d² + T·d + d³ per step"

    def __init__(
        self,
        gamma: float = 1.0,
        *,
        prior: Prior = "identity",
        n_pairs: int | Auto = "auto",
        selection: Literal["balanced", "random", "nearest"] = "balanced",
        bounds: tuple[float, float] | None = None,
        n_components: int | None = None,
        tol: float = 1e-6,
        max_iter: int = 500,
        random_state: RandomState = None,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.gamma = gamma
        self.prior = prior
        self.n_pairs = n_pairs
        self.selection = selection
        self.bounds = bounds
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"gamma": [0.01, 0.1, 1.0, 10.0]}

    def _check_settings(self, n_features: int) -> None:
        check_positive(gamma=self.gamma)
        check_prior(self.prior, n_features)
        check_count(words=("auto",), n_pairs=self.n_pairs)
        check_choice(("balanced", "random", "nearest"), selection=self.selection)
        check_bounds(self.bounds)
        check_count(words=(None,), most=n_features, n_components=self.n_components)
        check_tolerance(self.tol, self.max_iter)

    def _constraints_of_labels(self, X, codes):
        n, n_classes = len(codes), int(codes.max()) + 1
        n_pairs = min(40 * n_classes * (n_classes - 1), 20 * n) if self.n_pairs == "auto" else self.n_pairs
        if self.selection == "nearest":
            each = max(1, round(n_pairs / (2 * n)))
            return nearest_pairs(X, codes, each, each)
        draw = balanced_pairs if self.selection == "balanced" else random_pairs
        return draw(codes, n_pairs, self._rng())

    def _learn(self, X, constraints):
        span = Span.of(X)
        factor = prior_factor(self.prior, span)
        rows = span.rows @ factor.T
        pairs = apart(constraints, row_distances(rows, rows, constraints.left, constraints.right), "ITML")
        self.bounds_ = self._bounds(rows)
        self.n_pairs_ = len(pairs)
        near, far = np.square(self.bounds_)
        loss = slack_loss(pairs.similar, np.where(pairs.similar, near, far), self.gamma * pairs.weight)
        differences = PairDifferences(rows, pairs.left, pairs.right)
        found = nearest_metric(differences, loss, tol=self.tol, max_iter=self.max_iter)
        self.objective_ = found.objective / max(1, len(pairs))
        self.gap_, self.n_iter_ = found.gap, max(1, found.n_iter)
        warn_above("ITML", found.gap, self.tol, found.n_iter)
        return principal_rows(span.lifted(found.factor @ factor), self.n_components)

    def _bounds(self, rows) -> tuple[float, float]:
        if self.bounds is not None:
            return float(self.bounds[0]), float(self.bounds[1])
        return prior_bounds(rows, self._rng())


def slack_loss(similar: np.ndarray, bound: np.ndarray, price: np.ndarray) -> PairLoss:
    """The sum of price h(p / bound) over pairs that violate their bound, h(r) = r - log r - 1.

    >>> loss = slack_loss(np.array([True, False]), np.array([1.0, 1.0]), np.array([1.0, 1.0]))
    >>> value, slopes = loss(np.array([2.0, 2.0]))  # similar and too far; dissimilar and far enough
    >>> round(value, 4), slopes
    (0.3069, array([0.5, 0. ]))
    """

    def loss(p):
        ratio = p / bound
        # A pair that satisfies its bound has a ratio of one.
        ratio = np.where(similar, np.maximum(ratio, 1), np.minimum(ratio, 1))
        return float(price @ (ratio - 1 - np.log(ratio))), price * (1 - 1 / ratio) / bound

    return loss


def prior_bounds(rows: np.ndarray, rng) -> tuple[float, float]:
    """The 5th and 95th percentile of the distances between rows, from up to 100,000 pairs.

    If many rows coincide, the lower one is the smallest positive distance.

    >>> prior_bounds(np.arange(3.0)[:, None], np.random.RandomState(0))
    (1.0, 1.9...)
    """
    n = len(rows)
    if n * (n - 1) // 2 <= PAIRS_FOR_BOUNDS:
        left, right = np.triu_indices(n, 1)
    else:
        left = rng.randint(n, size=PAIRS_FOR_BOUNDS)
        right = (left + 1 + rng.randint(n - 1, size=PAIRS_FOR_BOUNDS)) % n
    distances = np.sqrt(row_distances(rows, rows, left, right))
    near, far = np.percentile(distances, [5, 95])
    positive = distances[distances > 1e-10 * distances.max()]
    if not len(positive):
        return 1.0, 1.0
    near = max(near, positive.min())
    return float(near), float(max(far, near))
