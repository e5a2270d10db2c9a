"""Mixtures of large margin nearest neighbours: local metrics with soft gates."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nearkin._types import Auto, MatrixLike, RandomState, Start
from nearkin.distances.embeddings import BlendedEmbedding, GatedEmbedding
from nearkin.learners.gradient.base import GradientLearner, after_kernel, named_solver
from nearkin.learners.gradient.early_stopping import errors_of_unseen
from nearkin.learners.gradient.lmnn import at_best_scale, check_margin_settings
from nearkin.learners.gradient.policy import EarlyStoppingPolicy, FitPolicy
from nearkin.losses import LargeMarginLoss
from nearkin.maps import GatedMap
from nearkin.maps.kernel import KernelLike
from nearkin.solvers import SolverResult
from nearkin.solvers.base import SolverLike


class MoLMNN(GradientLearner):
    """A mixture of large margin nearest neighbours: gates divide the space, each region has a metric.

    Alternates between gates and local projections, choosing targets and impostors again under the current
    distance before each, until both settle or the classification of unseen rows no longer improves
    (Algorithm 1 of the paper, which stops when "the classification result does not improve any further").

    Parameters
    ----------
    n_regions : int, default=2
    gating : {"softmax", "sigmoid"}, default="softmax"
        Softmax gates compete, so that each sample has one region; sigmoid gates cooperate.
    n_components : int or None, default=None
        Dimensions of each local projection; None keeps all.
    n_targets : int, default=3
    mu : float in [0, 1], default=0.5
        Weight of the push relative to the pull.
    init : {"pca", "auto", "identity", "lda", "random"} or array, default="pca"
        Where every local projection starts.
    kernel : None, {"rbf", "polynomial", "linear"}, callable or KernelMap, default=None
        Learn in the feature space of a kernel instead of the input space.
    solver : {"lbfgs", "cg", "gd"}, default="lbfgs"
        "gd", gradient descent with line search, is the paper's.
    max_iter : int, default=30
        Budget of rounds, each of gates and then projections.
    steps_per_round : int, default=10
        Budget of solver steps for either part in a round.
    tol : float, default=1e-3
        Stop when a round gains less than this share of the objective (or of 1, if that is larger).
    early_stopping : bool or "auto", default="auto"
        Take only as many rounds as improve the classification of unseen rows, found by fitting halves of the
        samples first; "auto" does so below 1,000 samples. With False, rounds continue until the objective
        settles, long after small samples are overfitted. A warm start ignores it.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.
    n_init : int, default=1
        Number of runs from perturbed starts; the best objective is kept.
    warm_start : bool, default=False
        Start where the last fit ended.
    verbose : int, default=0
    random_state : int, RandomState or None, default=None
        Gates start small and random.

    Attributes
    ----------
    projections_ : ndarray of shape (n_regions, n_components, n_features)
    gates_ : ndarray of shape (n_regions, n_features + 1)
        Slopes and, in the last column, thresholds, for centred features.
    distance_ : EmbeddedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    objective_ : float
        Final loss per sample, over all impostors and the targets of the last round.
    history_ : ndarray
        The objective after each solver step; it may rise when targets are chosen again.
    n_iter_ : int
        Rounds.
    classes_ : ndarray

    Notes
    -----
    Each evaluation costs n d e P multiply-adds for the map with P regions and as much as one of `LMNN` for
    embeddings of e P dimensions.

    References
    ----------
    M. Semerci, E. Alpaydin (2013). Mixtures of Large Margin Nearest Neighbor Classifiers. ECML PKDD.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> mixture = MoLMNN(n_regions=2, n_components=2, random_state=0).fit(scale(X), y)
    >>> mixture.gate(scale(X)).shape, mixture.region_embedding(scale(X), 0).shape
    ((178, 2), (178, 2))
    """

    slow = True
    summary = "Mixture of local large-margin metrics with soft gates (MoLMNN)."
    cost = "P times LMNN"

    projections_: np.ndarray
    gates_: np.ndarray

    # A round is up to twenty solver steps, so fewer rounds without improvement are allowed.
    fit_policy = FitPolicy(early_stopping=EarlyStoppingPolicy(most_halvings=3, patience=4))
    _judged_by = staticmethod(errors_of_unseen)

    def __init__(
        self,
        n_regions: int = 2,
        gating: Literal["softmax", "sigmoid"] = "softmax",
        n_components: int | None = None,
        *,
        n_targets: int = 3,
        mu: float = 0.5,
        init: Start = "pca",
        kernel: KernelLike | None = None,
        solver: SolverLike = "lbfgs",
        max_iter: int = 30,
        steps_per_round: int = 10,
        tol: float = 1e-3,
        early_stopping: bool | Auto = "auto",
        euclid_share: float | Auto = "auto",
        n_init: int = 1,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(solver, max_iter, tol, n_init, warm_start, verbose, random_state)
        self.n_regions = n_regions
        self.gating = gating
        self.n_components = n_components
        self.n_targets = n_targets
        self.mu = mu
        self.init = init
        self.kernel = kernel
        self.steps_per_round = steps_per_round
        self.early_stopping = early_stopping
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"n_regions": [2, 4], "gating": ["softmax", "sigmoid"]}

    def gate(self, X: MatrixLike) -> np.ndarray:
        """How open each region's gate is for each row, from 0 to 1 (n_samples x n_regions)."""
        X = self._validate_new(X)
        return self._embedding.gate(X)

    def region(self, X: MatrixLike) -> np.ndarray:
        """The region whose gate is most open for each row."""
        return self.gate(X).argmax(axis=1)

    def region_embedding(self, X: MatrixLike, region: int, n_dimensions: int = 2) -> np.ndarray:
        """Rows under one region's projection, rotated so that the first dimensions show most of it.

        For plots of the rows of `region`. The dimensions are the leading singular directions of the
        projection; missing ones are zero.
        """
        X = self._validate_new(X)
        if not 0 <= region < len(self.projections_):
            raise ValueError(f"region={region!r}: expected a number from 0 to {len(self.projections_) - 1}.")
        turn = np.linalg.svd(self.projections_[region], full_matrices=False)[0][:, :n_dimensions]
        local = self._embedding.local(X, region) @ turn.astype(X.dtype)
        return np.pad(local, [(0, 0), (0, n_dimensions - local.shape[1])])

    @property
    def _embedding(self) -> GatedEmbedding:
        embedding = self.distance_.queries
        if isinstance(embedding, BlendedEmbedding):
            embedding = embedding.embedding
        assert isinstance(embedding, GatedEmbedding)
        return embedding

    def _map(self):
        gated = GatedMap(self.n_regions, self.gating, self.n_components, self.init)
        return after_kernel(self.kernel, gated)

    def _loss(self):
        check_margin_settings(self)
        return LargeMarginLoss(self.n_targets, self.mu)

    def _solver(self):
        # Within a round the value must settle to a tighter tolerance than between rounds.
        return named_solver(self.solver, self.steps_per_round, 0.1 * self.tol)

    def _most_steps(self) -> int:
        return self.max_iter

    def _descend_half(self, objective, start, callback) -> SolverResult:
        return self._optimise(objective, self._improved_start(objective, start), callback)

    def _improved_start(self, objective, theta0):
        return at_best_scale(objective, theta0, self._parts(objective)[1])

    def _parts(self, objective) -> list[slice]:
        """The parts of theta with the gates and with the projections."""
        n_gates = self.n_regions * (objective.F.shape[1] + 1)
        return [slice(-n_gates, None), slice(0, -n_gates)]

    def _optimise(self, objective, theta, callback) -> SolverResult:
        parts = self._parts(objective)
        # Each part continues with what its solver learned about the curvature in the last round.
        solvers = [self._solver()] * 2
        history: list[float] = []
        rounds, evaluations, before, converged = 0, 0, np.inf, False
        while rounds < self.max_iter and not converged:
            rounds += 1
            for place, part in enumerate(parts):
                objective = objective.renewed(theta)
                result = solvers[place].minimise(objective.restricted(theta, part), theta[part])
                solvers[place] = solvers[place].continued(result)
                theta = theta.copy()
                theta[part] = result.theta
                history += result.history if not history else result.history[1:]
                evaluations += result.n_evaluations
            stopped = bool(callback(theta, result.value))
            converged = stopped or abs(before - result.value) <= self.tol * max(abs(result.value), 1.0)
            before = result.value
        history[-1] = value = objective.exact(theta)[0]
        message = "rounds settled" if converged else "the budget of rounds ran out"
        return SolverResult(theta, value, rounds, evaluations, converged, message, history)

    def _fitted(self, map_, theta, lift, n_features, dtype) -> dict:
        attributes = super()._fitted(map_, theta, lift, n_features, dtype)
        embedding = attributes["distance_"].queries
        return {**attributes, "projections_": embedding.projections, "gates_": embedding.gates}
