"""MMC, the metric of Xing et al.: dissimilar pairs far apart in sum, similar pairs close in sum."""

from __future__ import annotations

import numpy as np

from nearkin._types import Auto, RandomState
from nearkin.learners.constraint.certified import warn_above
from nearkin.learners.constraint.similar_scatter import both_kinds, mean_scatter, told_apart, whitening
from nearkin.learners.settings import check_count, check_share, check_tolerance
from nearkin.learners.weak_supervision import PairLearner
from nearkin.numerics.linear_metric import Span, principal_rows
from nearkin.numerics.neighbours import other_class_neighbours
from nearkin.numerics.pair_differences import PairDifferences
from nearkin.numerics.pair_scatter import class_scatters
from nearkin.numerics.spectrahedron import PairGain, best_of_trace_one
from nearkin.supervision.constraints import Pairs
from nearkin.supervision.label_pairs import all_pairs, random_others

# Squared distances below this share of the mean get the slope at that share: the slope at zero is infinite.
FLOOR = 1e-12


class MMC(PairLearner):
    """Mahalanobis metric for clustering with side information.

    Maximises the mean distance of dissimilar pairs while the mean squared distance of similar pairs is one.
    Solutions have very few directions, often one or two.

    Parameters
    ----------
    n_neighbors, n_random : int, default=3
        How dissimilar pairs are derived from labels: each row with its `n_neighbors` nearest and `n_random`
        random rows of other classes. Similar pairs are all pairs within a class.
    diagonal : bool, default=False
        Learn one weight for each feature instead of a full matrix.
    ridge : float in [0, 1), default=1e-3
        Share of the mean variance that is added to the variance of similar pairs in every direction.
    n_components : int, optional
        Number of directions to keep, those that the metric stretches most; all by default.
    tol : float, default=1e-6
        Relative duality gap at which to stop.
    max_iter : int, default=500
        Largest number of steps.
    random_state : int, RandomState instance or None, default=None
        Draws dissimilar pairs; None always draws the same ones.
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
        Mean distance of dissimilar pairs.
    gap_ : float
        Relative duality gap: the objective is at most this share of its size below the optimum.
    n_iter_ : int
        Steps taken.
    classes_, n_features_in_
        As for every learner; `classes_` only if fitted from labels.

    Notes
    -----
    Maximises the mean of ``sqrt(D_M)`` over dissimilar pairs with ``<S, M> = 1``, S being the mean scatter of
    similar pairs: up to scale, the original problem. After whitening that scatter, it is solved over matrices
    of trace one without projections; the original alternates projections onto both constraints.

    Dissimilar pairs of equal rows are left out with a warning; this does not change the solution.
    With more features than rows a full matrix is learned in the span of the rows.

    Cost: in each of some tens of steps, min(T, n) d^2 + T d for T dissimilar pairs (diagonal: T d); d^3
    every fifth step; the nearest rows of other classes take n^2 d once. Memory: min(T, n) d + d^2 + T.

    References
    ----------
    E. P. Xing, A. Y. Ng, M. I. Jordan, S. Russell (2002). Distance metric learning, with application to
    clustering with side-information. NIPS.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin.learners.constraint.mmc import MMC
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = MMC(euclid_share=0.0).fit(X, y)  # as published: few directions
    >>> learner.transform(X).shape[1] < 4, learner.gap_ <= 1e-6
    (True, True)
    """

    summary = "Dissimilar pairs far apart in sum, similar ones close in sum; certified, very few directions."
    cost = "n·d² + T·d + d³ per step"

    def __init__(
        self,
        n_neighbors: int = 3,
        n_random: int = 3,
        *,
        diagonal: bool = False,
        ridge: float = 1e-3,
        n_components: int | None = None,
        tol: float = 1e-6,
        max_iter: int = 500,
        random_state: RandomState = None,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_random = n_random
        self.diagonal = diagonal
        self.ridge = ridge
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"diagonal": [False, True]}

    def _check_settings(self, n_features: int) -> None:
        check_count(n_neighbors=self.n_neighbors, n_random=self.n_random, least=0)
        if self.n_neighbors + self.n_random == 0:
            raise ValueError("n_neighbors=0 and n_random=0 leave no dissimilar pair; raise one of them.")
        check_share(ridge=self.ridge)
        check_count(words=(None,), most=n_features, n_components=self.n_components)
        check_tolerance(self.tol, self.max_iter)

    def _constraints_of_labels(self, X, codes):
        """All similar pairs and the dissimilar ones; `fit` needs no list of the former."""
        similar, _ = all_pairs(codes).split()
        other = self._dissimilar_pairs(X, codes)
        left, right = np.r_[similar.left, other.left], np.r_[similar.right, other.right]
        return Pairs(left, right, codes[left] == codes[right], np.ones(len(left)))

    def _dissimilar_pairs(self, X, codes) -> Pairs:
        drawn = random_others(codes, self.n_random, self._rng())
        if self.n_neighbors == 0:
            return drawn
        table = other_class_neighbours(X, codes, self.n_neighbors)
        rows, places = np.nonzero(table >= 0)
        left, right = np.r_[rows, drawn.left], np.r_[table[rows, places], drawn.right]
        return Pairs(left, right, np.zeros(len(left), dtype=bool), np.ones(len(left)))

    def _learn_from_labels(self, X, codes):
        if np.bincount(codes).max() < 2:
            raise ValueError(
                "MMC sets similar pairs against dissimilar ones, but every class has a single row."
            )
        span = self._span(X)
        similar, _ = class_scatters(span.rows, codes)
        return self._solve(span, similar, self._dissimilar_pairs(X, codes))

    def _learn(self, X, constraints):
        similar, dissimilar = both_kinds(constraints, "MMC")
        span = self._span(X)
        return self._solve(span, mean_scatter(span.rows, similar), dissimilar)

    def _span(self, X) -> Span:
        """Coordinates to learn in; feature weights need the original ones."""
        if not self.diagonal:
            return Span.of(X)
        rows = np.asarray(X, dtype=np.float64)
        return Span(rows - rows.mean(axis=0), None)

    def _solve(self, span: Span, similar: np.ndarray, dissimilar: Pairs) -> np.ndarray:
        if self.diagonal:
            similar = np.diag(np.diag(similar))
        whiten = whitening(similar, self.ridge, "MMC")
        rows = span.rows @ whiten.T
        dissimilar = told_apart(rows, dissimilar, "MMC")
        differences = PairDifferences(rows, dissimilar.left, dissimilar.right)
        found = best_of_trace_one(
            differences,
            mean_root(dissimilar.weight),
            diagonal=self.diagonal,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self.objective_, self.gap_, self.n_iter_ = found.objective, found.gap, max(1, found.n_iter)
        warn_above("MMC", found.gap, self.tol, found.n_iter)
        factor = np.diag(found.factor) if self.diagonal else found.factor
        # Directions that would vanish at the optimum may have a length up to the size of the gap.
        factor = principal_rows(factor, negligible=self.tol)
        return principal_rows(span.lifted(factor @ whiten), self.n_components)


def mean_root(weight: np.ndarray) -> PairGain:
    """The weighted mean of sqrt(p), and its slopes.

    >>> mean_root(np.ones(2))(np.array([1.0, 4.0]))
    (1.5, array([0.25 , 0.125]))
    """
    share = weight / weight.sum()

    def gain(p):
        roots = np.sqrt(np.maximum(p, FLOOR * p.mean()))
        return float(share @ np.sqrt(p)), share / (2 * roots)

    return gain
