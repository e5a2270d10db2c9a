"""Distance metric learning with eigenvalue optimisation: push the nearest dissimilar pairs apart."""

from __future__ import annotations

import numpy as np

from nearkin._types import Auto
from nearkin.learners.constraint.certified import warn_above
from nearkin.learners.constraint.similar_scatter import both_kinds, mean_scatter, told_apart, whitening
from nearkin.learners.euclid_share import SharePolicy
from nearkin.learners.settings import check_count, check_positive, check_share, check_tolerance
from nearkin.learners.weak_supervision import PairLearner
from nearkin.numerics.linear_metric import Span, principal_rows
from nearkin.numerics.pair_differences import PairDifferences
from nearkin.numerics.spectrahedron import PairGain, best_of_trace_one
from nearkin.supervision.label_pairs import nearest_pairs


class DMLEig(PairLearner):
    """DML-eig: make the smallest distance of a dissimilar pair as large as possible.

    The mean squared distance of the similar pairs is fixed at one. Solutions have few directions, so the
    dimension is reduced.

    Parameters
    ----------
    mu : float, default=0.1
        Smoothing of the smallest distance: pairs have weights ``exp(-p / (mu p0))``, p being their squared
        distance and p0 its mean under equal weights of all directions. Large values weigh all pairs equally.
    n_neighbors : int, default=3
        Nearest rows of its own class, and of other classes, that each row is paired with if labels are given.
    ridge : float in [0, 1), default=1e-3
        Share of the mean variance that is added to the variance of similar pairs in every direction.
    n_components : int, optional
        Number of directions to keep, those that the metric stretches most; all by default.
    tol : float, default=1e-6
        Relative duality gap at which to stop.
    max_iter : int, default=1000
        Largest number of steps.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Square root of the metric, longest rows first, without zero rows.
    distance_ : EmbeddedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    objective_ : float
        Smoothed minimum of the squared distances of dissimilar pairs, before any share of Euclid.
    gap_ : float
        Relative duality gap: the objective is at most this share of its size below the optimum.
    n_iter_ : int
        Steps taken.
    classes_, n_features_in_
        As for every learner; `classes_` only if fitted from labels.

    Notes
    -----
    Maximises ``-mu log mean exp(-D_M / mu)`` over dissimilar pairs with ``<S, M> = 1``, S being the mean
    scatter of the similar pairs. The original has a sum instead of the mean, which only shifts the value,
    and takes thousands of Frank-Wolfe steps, each with an eigenvector.

    Dissimilar pairs of equal rows are left out with a warning; this does not change the solution.
    With more features than rows the metric is learned in the span of the rows.

    Cost: in each of some tens to hundreds of steps, min(T, n) d^2 + T d for T dissimilar pairs; d^3 every
    fifth step; the pairs of labels take n^2 d once. Memory: min(T, n) d + d^2 + T.

    References
    ----------
    Y. Ying, P. Li (2012). Distance metric learning with eigenvalue optimization. JMLR 13.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin.learners.constraint.dml_eig import DMLEig
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = DMLEig(euclid_share=0.0).fit(X, y)  # as published: few directions
    >>> learner.transform(X).shape, bool(learner.gap_ <= 1e-6)
    ((150, 3), True)
    """

    summary = (
        "Pushes the nearest dissimilar pairs apart while similar ones stay close; certified, few directions."
    )
    cost = "n·d² + T·d + d³ per step"
    # Its few directions ignore the rest of the space, so a share of Euclid is always kept.
    share_policy = SharePolicy(shares=(0.1, 0.25, 0.5, 0.75, 1.0))

    def __init__(
        self,
        mu: float = 0.1,
        *,
        n_neighbors: int = 3,
        ridge: float = 1e-3,
        n_components: int | None = None,
        tol: float = 1e-6,
        max_iter: int = 1000,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.mu = mu
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"mu": [0.01, 0.1]}

    def _check_settings(self, n_features: int) -> None:
        check_positive(mu=self.mu)
        check_count(n_neighbors=self.n_neighbors)
        check_share(ridge=self.ridge)
        check_count(words=(None,), most=n_features, n_components=self.n_components)
        check_tolerance(self.tol, self.max_iter)

    def _constraints_of_labels(self, X, codes):
        return nearest_pairs(X, codes, self.n_neighbors, self.n_neighbors)

    def _learn(self, X, constraints):
        similar, dissimilar = both_kinds(constraints, "DMLEig")
        span = Span.of(X)
        whiten = whitening(mean_scatter(span.rows, similar), self.ridge, "DMLEig")
        rows = span.rows @ whiten.T
        dissimilar = told_apart(rows, dissimilar, "DMLEig")
        differences = PairDifferences(rows, dissimilar.left, dissimilar.right)
        even = differences.base_lengths.mean() / rows.shape[1]
        gain = smoothed_minimum(self.mu * even, dissimilar.weight)
        found = best_of_trace_one(differences, gain, tol=self.tol, max_iter=self.max_iter)
        self.objective_, self.gap_, self.n_iter_ = found.objective, found.gap, max(1, found.n_iter)
        warn_above("DMLEig", found.gap, self.tol, found.n_iter)
        # Directions that would vanish at the optimum may have a length up to the size of the gap.
        L = principal_rows(found.factor, negligible=self.tol) @ whiten
        return principal_rows(span.lifted(L), self.n_components)


def smoothed_minimum(mu: float, weight: np.ndarray) -> PairGain:
    """-mu log of the weighted mean of exp(-p / mu), a bit above the smallest p; its slopes sum to one.

    >>> gain = smoothed_minimum(0.01, np.ones(2))
    >>> value, slopes = gain(np.array([1.0, 2.0]))
    >>> round(value, 3), slopes.round(3)  # 1 + 0.01 log 2
    (1.007, array([1., 0.]))
    """
    total = float(weight.sum())

    def gain(p):
        least = float(p.min())
        shares = weight * np.exp((least - p) / mu)
        size = float(shares.sum())
        return least - mu * float(np.log(size / total)), shares / size

    return gain
