"""LSML: metric learning from comparisons of distances, near a prior."""

from __future__ import annotations

import numpy as np

from nearkin._types import Auto, Prior, RandomState
from nearkin.learners.constraint.certified import warn_above
from nearkin.learners.constraint.priors import check_prior, prior_factor
from nearkin.learners.settings import check_count, check_positive, check_tolerance
from nearkin.learners.weak_supervision import QuadrupletLearner
from nearkin.numerics.linear_metric import Span, principal_rows
from nearkin.numerics.logdet_metric import PairLoss, nearest_metric
from nearkin.numerics.pair_differences import PairDifferences
from nearkin.supervision.constraints import Quadruplets, TripletList
from nearkin.supervision.label_pairs import balanced_pairs


class LSML(QuadrupletLearner):
    """Metric learning from relative comparisons, by least squares.

    The metric nearest to a prior, in LogDet divergence, under which distances known to be smaller than
    others are smaller; the square of each violation is penalised.

    Parameters
    ----------
    strength : float, default=1.0
        Weight of the comparisons relative to the prior. It has no unit: the weights of all comparisons sum
        to ``strength * d / (mean squared prior distance of their pairs)``.
    prior : {"identity", "covariance"} or ndarray of shape (n_features, n_features), default="identity"
        Metric to stay near: Euclid, the inverse covariance of the rows, or any positive definite matrix.
    n_comparisons : int or "auto", default="auto"
        Comparisons of a similar with a dissimilar pair made from labels; "auto" is 20 C^2 for C classes, at
        most 20 n.
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
    n_comparisons_ : int
        Comparisons learned from.
    objective_ : float
        The objective of the notes.
    gap_ : float
        Relative duality gap: the objective is at most this share of its size above the optimum.
    n_iter_ : int
        Steps taken.
    classes_, n_features_in_
        As for every learner; `classes_` only if fitted from labels.

    Notes
    -----
    Minimises ``Dld(M, M0) + sum w_q max(0, d(a, b) - d(c, d))^2`` over quadruplets (a, b, c, d), with
    distances d that are not squared. The problem is convex, also for contradictory comparisons.

    With more features than rows the metric is learned in the span of the rows, outside which they do not
    differ. The result does not depend on a common unit of the features.

    Cost: in each of some tens of steps, min(T, n) d^2 + T d + d^3 for T comparisons.
    Memory: min(T, n) d + d^2 + T.

    References
    ----------
    E. Y. Liu, Z. Guo, X. Zhang, V. Jojic, W. Wang (2012). Metric learning from relative comparisons by
    minimizing squared residual. ICDM.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin.learners.constraint.lsml import LSML
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = LSML().fit(X, y)
    >>> learner.n_comparisons_, learner.gap_ <= 1e-6
    (180, True)

    Row 0 is nearer to row 1 than to row 2:

    >>> learner = LSML(strength=100).fit([[0, 0], [4, 0], [0, 3]], triplets=[[0, 1, 2]])
    >>> near, far = learner.pair_distances([[0, 0], [4, 0], [0, 3]], [[0, 1], [0, 2]])
    >>> bool(near < 1.01 * far)
    True
    """

    summary = "The metric nearest to a prior that keeps given comparisons of distances; certified."
    cost = "n·d² + T·d + d³ per step"

    def __init__(
        self,
        strength: float = 1.0,
        *,
        prior: Prior = "identity",
        n_comparisons: int | Auto = "auto",
        n_components: int | None = None,
        tol: float = 1e-6,
        max_iter: int = 500,
        random_state: RandomState = None,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.strength = strength
        self.prior = prior
        self.n_comparisons = n_comparisons
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"strength": [0.1, 1.0, 10.0]}

    def _check_settings(self, n_features: int) -> None:
        check_positive(strength=self.strength)
        check_prior(self.prior, n_features)
        check_count(words=("auto",), n_comparisons=self.n_comparisons)
        check_count(words=(None,), most=n_features, n_components=self.n_components)
        check_tolerance(self.tol, self.max_iter)

    def _constraints_of_labels(self, X, codes):
        count = self.n_comparisons
        if count == "auto":
            count = 20 * min((int(codes.max()) + 1) ** 2, len(codes))
        if np.bincount(codes).max() < 2:
            raise ValueError(
                "LSML compares pairs of one class with pairs of two, but every class has a single row; "
                "give more rows, or triplets or quadruplets."
            )
        near, far = balanced_pairs(codes, 2 * count, self._rng()).split()
        return Quadruplets(near.left, near.right, far.left, far.right, np.ones(count))

    def _learn(self, X, constraints):
        if isinstance(constraints, TripletList):
            constraints = constraints.as_quadruplets()
        span = Span.of(X)
        factor = prior_factor(self.prior, span)
        rows = span.rows @ factor.T
        differences = PairDifferences(
            rows,
            np.concatenate([constraints.near_left, constraints.far_left]),
            np.concatenate([constraints.near_right, constraints.far_right]),
        )
        level = differences.base_lengths.mean()
        # If all rows coincide there is nothing to learn.
        price = self.strength * rows.shape[1] / level if level > 0 else 0.0
        loss = residual_loss(price * constraints.weight / len(constraints))
        found = nearest_metric(differences, loss, tol=self.tol, max_iter=self.max_iter)
        self.n_comparisons_ = len(constraints)
        self.objective_, self.gap_, self.n_iter_ = found.objective, found.gap, max(1, found.n_iter)
        warn_above("LSML", found.gap, self.tol, found.n_iter)
        return principal_rows(span.lifted(found.factor @ factor), self.n_components)


def residual_loss(price: np.ndarray) -> PairLoss:
    """The sum of price (sqrt a - sqrt c)^2 over comparisons with a > c; p holds all a, then all c.

    >>> value, slopes = residual_loss(np.ones(1))(np.array([4.0, 1.0]))
    >>> value, slopes
    (1.0, array([ 0.5, -1. ]))
    """
    T = len(price)

    def loss(p):
        near, far = np.sqrt(p[:T]), np.sqrt(p[T:])
        excess = np.maximum(near - far, 0)
        slopes = np.zeros(2 * T)
        np.divide(price * excess, near, out=slopes[:T], where=excess > 0)
        # A far pair of equal rows has length zero under every metric, hence no slope.
        np.divide(-price * excess, far, out=slopes[T:], where=(excess > 0) & (far > 0))
        return float(price @ excess**2), slopes

    return loss
