"""SCML: a metric as a sparse sum of discriminative directions."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from nearkin._types import Auto, FilePath, MatrixLike, RandomState
from nearkin.distances.mixed import MixedDistance, SquaredLinearWeights
from nearkin.learners.constraint.discriminant_bases import discriminant_bases, triplet_bases
from nearkin.learners.constraint.local_composition import compose_locally, kernel_components
from nearkin.learners.constraint.neighbour_differences import SquaredDifferences
from nearkin.learners.settings import check_count, check_positive, check_tolerance
from nearkin.learners.weak_supervision import TripletLearner
from nearkin.numerics.hinge_program import solve_hinge_program
from nearkin.numerics.linear_metric import Span, metric_factor
from nearkin.numerics.products import row_distances
from nearkin.supervision.constraints import TripletList
from nearkin.supervision.label_triplets import nearest_triplets

# Squared differences of more bytes than this are stored in float32: half the memory on 3,500 digits, and
# the objective agrees to seven digits.
SINGLE_FROM = 32 * 2**20
# Number of kernel coordinates that local weights are functions of.
KERNEL_COMPONENTS = 40


class SCML(TripletLearner):
    """Sparse compositional metric learning: a few directions, chosen by a linear program over triplets.

    The metric is ``M = sum_b w_b b b'``. The unit directions b are local linear discriminants of the classes,
    computed beforehand; the weights w >= 0 minimise the mean hinge of the triplets plus beta times their sum.
    This is a linear program, which is solved to a certified duality gap.

    Parameters
    ----------
    n_bases : int, default=400
        Directions to choose from, at most.
    beta : float, default=1e-5
        Penalty on the sum of the weights (if local, of the lengths of their slopes), for rows scaled so that
        the far pairs have a mean squared distance of one. Larger values choose fewer directions.
    n_targets, n_impostors : int, default=3 and 10
        From labels: every row should be nearer to each of its `n_targets` nearest rows of its class than to
        each of its `n_impostors` nearest rows of other classes.
    bases : {"auto", "discriminant", "triplets"} or array of shape (n_bases, n_features), default="auto"
        Local discriminants, which need labels; eigenvectors of sums over random groups of triplets; or given
        directions, scaled to unit length. "auto" takes discriminants if there are labels.
    n_components : int or None, default=None
        Directions of the result that are kept, those of the largest eigenvalues.
    local : bool, default=False
        Let the weights vary from place to place: each is the square of a linear function of 40 kernel
        principal components, found by descent from the global weights. Distances use the weights at the
        query, so there is no embedding and no `transform`.
    tol : float, default=1e-3
        Relative duality gap at which to stop; local steps stop when ten of them gain less than this.
    max_iter : int, default=300
        Newton steps, and local steps.
    random_state : int, RandomState or None
        For k-means or the groups of triplets; None always draws the same ones.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Not with `local`.
    distance_ : EmbeddedDistance or MixedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    bases_ : ndarray of shape (n_bases, n_features)
        The directions.
    weights_ : ndarray of shape (n_bases,)
        Their weights; zero for unused directions.
    objective_ : float
        Mean hinge plus penalty.
    gap_ : float
        Relative duality gap of the global weights.
    n_iter_ : int
        Newton steps.
    classes_, n_features_in_
        As for every learner; `classes_` only if fitted from labels.

    Notes
    -----
    With T triplets over P pairs of rows, E of them near the margin and J weights that may move, a Newton
    step costs 2 P n_bases + E J^2 + J^3; some tens of steps. Memory is O(T + n d) and squared
    differences of the pairs along the directions, P n_bases numbers, or blocks of them beyond 256 MB.

    References
    ----------
    Shi, Bellet, Sha (2014). Sparse compositional metric learning. AAAI.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from nearkin.learners.constraint.scml import SCML
    >>> X, y = load_wine(return_X_y=True)
    >>> model = SCML(n_bases=50).fit(scale(X), y)
    >>> model.bases_.shape, bool(model.gap_ <= 1e-3)
    ((50, 13), True)
    >>> D = SCML().fit(scale(X), triplets=[[0, 1, 100]]).pair_distances(scale(X), [[0, 1], [0, 100]])
    >>> bool(D[0] < D[1])
    True
    """

    summary = "A sparse sum of local discriminant directions, by a certified linear program over triplets."
    cost = "n·K·P per step, P bases"

    bases_: np.ndarray

    def __init__(
        self,
        n_bases: int = 400,
        beta: float = 1e-5,
        *,
        n_targets: int = 3,
        n_impostors: int = 10,
        bases: Literal["auto", "discriminant", "triplets"] | np.ndarray = "auto",
        n_components: int | None = None,
        local: bool = False,
        tol: float = 1e-3,
        max_iter: int = 300,
        random_state: RandomState = None,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.n_bases = n_bases
        self.beta = beta
        self.n_targets = n_targets
        self.n_impostors = n_impostors
        self.bases = bases
        self.n_components = n_components
        self.local = local
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"beta": [1e-5, 1e-4, 1e-3]}

    def _check_settings(self, n_features: int) -> None:
        check_count(n_bases=self.n_bases, n_targets=self.n_targets, n_impostors=self.n_impostors)
        check_positive(beta=self.beta)
        check_tolerance(self.tol, self.max_iter)
        check_count(words=(None,), most=n_features, n_components=self.n_components)
        if isinstance(self.bases, str):
            if self.bases not in ("auto", "discriminant", "triplets"):
                raise ValueError(
                    f"bases={self.bases!r}: expected 'auto', 'discriminant', 'triplets' or an array."
                )
        elif np.ndim(self.bases) != 2 or np.shape(self.bases)[1] != n_features:
            raise ValueError(f"bases has shape {np.shape(self.bases)}; expected (n_bases, {n_features}).")

    def _constraints_of_labels(self, X: np.ndarray, codes: np.ndarray) -> TripletList:
        return nearest_triplets(X, codes, self.n_targets, self.n_impostors)

    def _learn_from_labels(self, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return self._solve(X, self._constraints_of_labels(X, codes), codes)

    def _learn(self, X: np.ndarray, constraints: TripletList) -> np.ndarray:
        if isinstance(self.bases, str) and self.bases == "discriminant":
            raise ValueError("bases='discriminant' needs labels; from triplets use bases='triplets'.")
        return self._solve(X, constraints, None)

    def _solve(self, X: np.ndarray, triplets: TripletList, codes: np.ndarray | None) -> np.ndarray:
        span = Span.of(X)
        scale = np.sqrt(np.mean(row_distances(span.rows, span.rows, triplets.anchor, triplets.far)))
        rows = span.rows / (scale or 1.0)
        bases = self._bases_in(span, rows, triplets, codes) if scale > 0 else rows[:0]
        self.bases_ = span.lifted(bases)
        if len(bases) == 0:
            self.weights_, self.objective_, self.gap_, self.n_iter_ = np.zeros(0), 1.0, 0.0, 1
            return self._euclid(X, "no direction sets apart rows that should be far from each other")
        n = len(rows)
        # Triplets share pairs, so there are fewer of these: (3 + 10) n for 30 n triplets from labels.
        near, far = triplets.anchor * n + triplets.near, triplets.anchor * n + triplets.far
        pairs, numbers = np.unique(np.concatenate([near, far]), return_inverse=True)
        differences = SquaredDifferences(rows @ bases.T, pairs // n, pairs % n, single_from=SINGLE_FROM)
        program = (
            differences,
            numbers[: len(triplets)],
            numbers[len(triplets) :],
            triplets.weight / len(triplets),
        )
        solution = solve_hinge_program(
            *program,
            float(self.beta),
            tol=float(self.tol),
            max_iter=int(self.max_iter),
        )
        self.objective_, self.gap_, self.n_iter_ = solution.objective, solution.gap, solution.n_iter
        self.weights_ = solution.weights / scale**2
        if not solution.converged:
            warnings.warn(
                f"SCML stopped at max_iter={self.max_iter} with a relative gap of {solution.gap:.1e}; "
                "raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=5,
            )
        used = self.weights_ > 0
        if not used.any():
            return self._euclid(X, f"no direction is worth beta={self.beta}; lower it")
        if self.local:
            self._localise(X, scale, program, solution.weights)
        M = (bases[used].T * self.weights_[used]) @ bases[used]
        kept = min(int(used.sum()), len(M)) if self.n_components is None else int(self.n_components)
        return span.lifted(metric_factor(M, kept))

    def _localise(self, X: np.ndarray, scale: float, program: tuple, weights: np.ndarray) -> None:
        """Learn the distance whose weights vary from place to place; `_keep` makes it `distance_`."""
        coordinates = kernel_components(X.astype(np.float64, copy=False), KERNEL_COMPONENTS, self._rng())
        pairs, near, far, shares = program
        found = compose_locally(
            pairs,
            near,
            far,
            shares,
            weights,
            coordinates(X.astype(np.float64, copy=False)),
            float(self.beta),
            tol=float(self.tol),
            max_iter=int(self.max_iter),
        )
        self.objective_, self.n_iter_ = found.objective, self.n_iter_ + found.n_iter
        used = found.slopes.any(axis=1)
        weigh = SquaredLinearWeights(coordinates, found.slopes[used] / scale)
        origin = X.mean(axis=0, dtype=np.float64)
        self._local_distance = MixedDistance(weigh, self.bases_[used, None, :], origin)

    def _keep(self, L: np.ndarray) -> None:
        super()._keep(L)
        if "_local_distance" in self.__dict__:
            self.distance_ = self.__dict__.pop("_local_distance")
            del self.components_

    def transform(self, X: MatrixLike, out: FilePath | None = None) -> np.ndarray:
        """Rows of X in the learned space, where plain Euclid is the learned distance; not with `local`."""
        if self.local:
            raise AttributeError("SCML(local=True) is not an embedding: use KNNClassifier or distance_.")
        return super().transform(X, out)

    def _bases_in(self, span: Span, rows, triplets, codes) -> np.ndarray:
        """Directions of unit length in the coordinates of the span."""
        if not isinstance(self.bases, str):
            bases = np.asarray(self.bases, dtype=np.float64)
            bases = bases if span.axes is None else bases @ span.axes.T
            lengths = np.linalg.norm(bases, axis=1, keepdims=True)
            return np.divide(bases, lengths, out=np.zeros_like(bases), where=lengths > 0)
        rng = self._rng()
        if codes is None or self.bases == "triplets":
            return triplet_bases(rows, triplets, int(self.n_bases), rng)
        return discriminant_bases(rows, codes, int(self.n_bases), rng)

    def _euclid(self, X: np.ndarray, reason: str) -> np.ndarray:
        warnings.warn(f"SCML falls back to the Euclidean distance: {reason}.", UserWarning, stacklevel=6)
        return np.eye(X.shape[1])[: self.n_components]
