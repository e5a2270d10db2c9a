"""Large margin nearest neighbours, and its low-rank form, large margin component analysis."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nearkin._types import Auto, RandomState, Start
from nearkin.learners.gradient.base import GradientLearner, after_kernel, named_solver
from nearkin.learners.gradient.grids import low_rank_choices
from nearkin.learners.gradient.minimising import minimise_exactly
from nearkin.learners.settings import check_choice, check_count, check_number
from nearkin.losses import LargeMarginLoss
from nearkin.losses.base import Scaling
from nearkin.maps import LinearMap
from nearkin.maps.kernel import KernelLike
from nearkin.objective import Objective
from nearkin.solvers.base import SolverLike
from nearkin.solvers.coordinates import whitening
from nearkin.solvers.policy import DescentPolicy
from nearkin.supervision.target_search import AUTO, EXACT, SearchPolicy

#: The start already has the right scale, so a first step as long as the parameters would go too far.
LARGE_MARGIN_DESCENT = DescentPolicy(first_step=0.1)


def check_margin_settings(learner) -> None:
    """Raise if mu, n_targets or refresh_targets is invalid."""
    check_number(high=1, mu=learner.mu)
    check_count(n_targets=learner.n_targets)
    check_count(least=0, words=("auto",), refresh_targets=getattr(learner, "refresh_targets", 0))


def at_best_scale(objective: Objective, theta: np.ndarray, part: slice = slice(None)) -> np.ndarray:
    """theta with one part of it, in which the embedding is linear, scaled for a margin of one.

    The directions of a start are usually better than its scale. Measured: on isolet LMNN reaches after 9
    steps what took 20 without rescaling, and on the digits the start is as good as 17 steps. A start given
    by the user is not changed, nor is one for a loss that cannot tell its scale.
    """
    if objective.map.given_start or not isinstance(objective.loss, Scaling):
        return theta
    Z, _ = objective.map.forward(theta, objective.F)
    theta = theta.copy()
    theta[part] *= objective.loss.best_scale(Z, objective.state)
    return theta


class _LargeMarginLearner(GradientLearner):
    """What LMNN and LMCA share: targets, margin, and choosing targets again."""

    def _learns_by_lists(self, X) -> bool:
        check_choice((EXACT, AUTO), search=self.search)
        many = getattr(X, "shape", (0,))[0] >= SearchPolicy.from_rows
        return self.search == AUTO and many and self.kernel is None

    def _loss(self):
        check_margin_settings(self)
        return LargeMarginLoss(self.n_targets, self.mu)

    def _improved_start(self, objective, theta0):
        return at_best_scale(objective, theta0)

    def _solver(self):
        return named_solver(self.solver, self.max_iter, self.tol, LARGE_MARGIN_DESCENT)

    def _coordinates(self, objective):
        n, d = objective.F.shape
        # With no more rows than features, whitened rows would all be equally far apart.
        return whitening(objective.F) if d < n else None

    def _optimise(self, objective, theta, callback):
        policy = self.fit_policy.refresh
        for _ in range(self._n_refreshes(len(objective.F))):
            # Targets will be chosen again, so this fit need not be precise.
            rough = minimise_exactly(
                named_solver(
                    self.solver, self.max_iter, max(self.tol, policy.rough_tol), LARGE_MARGIN_DESCENT
                ),
                objective,
                theta,
                callback,
                coordinates=self._coordinates(objective),
                most_corrections=0,
            )
            theta = rough.theta
            renewed = objective.renewed(theta)
            if np.array_equal(renewed.state.targets, objective.state.targets):
                break
            objective = renewed
        return super()._optimise(objective, theta, callback)

    def _n_refreshes(self, n_samples: int) -> int:
        if self.refresh_targets == "auto":
            policy = self.fit_policy.refresh
            return policy.most if n_samples < policy.never_from else 0
        return int(self.refresh_targets)


class LMNN(_LargeMarginLearner):
    """Large margin nearest neighbours: pull targets close, push impostors a margin beyond them.

    Parameters
    ----------
    n_targets : int, default=3
        Nearest samples of the same class that each sample should stay close to; fewer in smaller classes. A
        sample alone in its class has none and is left out.
    mu : float in [0, 1], default=0.5
        Weight of the push relative to the pull.
    n_components : int or None, default=None
        Dimensions of the learned space; with all of them (None) the problem is convex in
        ``components_.T @ components_``.
    init : {"auto", "identity", "pca", "lda", "random"} or array, default="identity"
        Where the optimisation starts, rescaled to suit the margin; an array is used as it is.
    kernel : None, {"rbf", "polynomial", "linear"}, callable or KernelMap, default=None
        Learn in the feature space of a kernel instead of the input space.
    refresh_targets : int or "auto", default="auto"
        How often, at most, to choose the targets again under the learned distance and continue. "auto" is
        three times below 5,000 samples and never otherwise; 0 is the published method.
    solver : {"lbfgs", "cg", "gd"} or Solver, default="lbfgs"
    max_iter : int, default=200
    tol : float, default=1e-5
        Stop when a step gains less than this share of the objective (or of 1, if that is larger).
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.
    search : {"exact", "auto"}, default="exact"
        How targets and impostors are found. "auto" searches with FAISS's inverted lists from 100,000 rows
        on. Dask collections are processed chunk by chunk; there "auto" applies to chunks of that size.
    n_init : int, default=1
        Number of runs from perturbed starts; the best objective is kept.
    warm_start : bool, default=False
        Start where the last fit ended.
    verbose : int, default=0
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The matrix of the map; absent with a kernel.
    distance_ : EmbeddedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    objective_ : float
        Final loss per sample, over all impostors.
    history_ : ndarray
        The objective at the start and after each step.
    n_iter_ : int
    search_recall_, impostor_share_ : float
        With search="auto" and for Dask collections: share of the true impostors that were found, measured on
        a sample; and share of the rows that were candidates for impostors. If all rows would be too many,
        each candidate counts for several rows.
    classes_ : ndarray

    Notes
    -----
    Impostors are found by one blocked product of n^2 e / 2 multiply-adds in float32 and kept as a list, so
    memory grows with their number, not with n^2. A list extends beyond the margin and is used until
    impostors might be missing from it, often for several steps. The final objective is exact over all
    impostors, and the optimisation continues if it is worse than expected.

    Steps are taken in coordinates in which the features are uncorrelated and of similar variance (up to a
    ratio of 100): the optimum is the same and takes four fifths (a mixture) to two fifths (MNIST) as many
    steps.

    References
    ----------
    K. Weinberger, L. Saul (2009). Distance Metric Learning for Large Margin Nearest Neighbor
    Classification. JMLR 10.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> lmnn = LMNN().fit(X, y)
    >>> lmnn.components_.shape, lmnn.get_mahalanobis_matrix().shape
    ((4, 4), (4, 4))
    """

    summary = "Linear map with a large margin between targets and impostors (LMNN)."
    cost = "n²·e/2 + impostors per step"

    def __init__(
        self,
        n_targets: int = 3,
        mu: float = 0.5,
        *,
        n_components: int | None = None,
        init: Start = "identity",
        kernel: KernelLike | None = None,
        refresh_targets: int | Auto = "auto",
        solver: SolverLike = "lbfgs",
        max_iter: int = 200,
        tol: float = 1e-5,
        euclid_share: float | Auto = "auto",
        search: Literal["exact", "auto"] = "exact",
        n_init: int = 1,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(solver, max_iter, tol, n_init, warm_start, verbose, random_state)
        self.n_targets = n_targets
        self.mu = mu
        self.n_components = n_components
        self.init = init
        self.kernel = kernel
        self.refresh_targets = refresh_targets
        self.euclid_share = euclid_share
        self.search = search

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"n_targets": [1, 3, 5]}


class LMCA(_LargeMarginLearner):
    """Large margin component analysis: the loss of LMNN for a map to few dimensions.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimensions of the learned space; None takes half of the features, rounded up.
    n_targets, mu, kernel, refresh_targets, solver, max_iter, tol, search, n_init, warm_start, verbose
        As for `LMNN`, and so is random_state.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.
    init : {"auto", "identity", "pca", "lda", "random"} or array, default="pca"

    Attributes
    ----------
    components_, distance_, objective_, history_, n_iter_, classes_
        As for `LMNN`. The problem is no longer convex: the start decides which optimum is found.

    Notes
    -----
    Cost as for `LMNN`, in e dimensions.

    References
    ----------
    L. Torresani, K. Lee (2007). Large Margin Component Analysis. NIPS 19.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> LMCA(n_components=2).fit(scale(X), y).components_.shape
    (2, 13)
    """

    summary = "Map to few dimensions with a large margin between targets and impostors (LMCA)."
    cost = "n²·e/2 + impostors per step"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        n_targets: int = 3,
        mu: float = 0.5,
        init: Start = "pca",
        kernel: KernelLike | None = None,
        refresh_targets: int | Auto = 0,
        solver: SolverLike = "lbfgs",
        max_iter: int = 200,
        tol: float = 1e-5,
        euclid_share: float | Auto = "auto",
        search: Literal["exact", "auto"] = "exact",
        n_init: int = 1,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(solver, max_iter, tol, n_init, warm_start, verbose, random_state)
        self.n_components = n_components
        self.n_targets = n_targets
        self.mu = mu
        self.init = init
        self.kernel = kernel
        self.refresh_targets = refresh_targets
        self.euclid_share = euclid_share
        self.search = search

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"n_components": low_rank_choices(n_samples, n_features), "n_targets": [1, 3]}

    def _map(self):
        unset = self.n_components is None and isinstance(self.init, str)
        components = 0.5 if unset else self.n_components
        return after_kernel(self.kernel, LinearMap(components, self.init))
