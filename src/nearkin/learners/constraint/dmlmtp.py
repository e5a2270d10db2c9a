"""Metric learning for multi-target regression by maximum margin over ordered triplets."""

from __future__ import annotations

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from nearkin.distances import EmbeddedDistance
from nearkin.learners.base import REGRESSION, EmbeddingLearner
from nearkin.learners.constraint.feature_scaling import FeatureScaling
from nearkin.learners.constraint.leave_one_out import leave_one_out_arrmse
from nearkin.learners.constraint.metric_path import Candidate, diagonal_path
from nearkin.supervision.triplets import output_ordered_triplets, standardised_targets

AUTO_N_NEIGHBORS = (2, 3, 4, 5, 6)
AUTO_NU = (1.0, 0.98, 0.95, 0.9, 0.8)
# Numbers of neighbours a prediction may use when metrics are compared on the training rows.
PREDICTION_NEIGHBORS = tuple(range(3, 36, 2))
# At most this many training rows are predicted to compare two metrics.
SCORED_ROWS = 2000


class DMLMTP(EmbeddingLearner):
    """Distance metric learning for multi-target prediction.

    Of any two near neighbours of a training row, the one with the nearer targets should lie
    nearer. The metric makes the mean of the lowest `nu` share of these margins as large as it can
    be for its size; features that do not help get a weight of exactly zero.

    Parameters
    ----------
    n_neighbors : int, sequence of int or "auto", default=4
        How many nearest inputs of each row are compared with each other; at least 2. Of several
        the best is chosen, see Notes; "auto" tries 2 to 6.
    nu : float in (0, 1], sequence of float or "auto", default=0.9
        Share of the triplets, worst first, whose mean margin counts. If it is too small for noisy
        targets the triplets contradict each other: then raise it. "auto" tries 0.8 to 1.
    metric : {"diagonal"}, default="diagonal"
        One weight per feature.
    tol : float, default=1e-6
        Relative duality gap at which the solver stops.
    max_iter : int, default=1000
        Newton steps for each setting on the path.
    verbose : int, default=0
        If positive, print a line for each setting tried.
    random_state : int, RandomState instance or None, default=None
        Draws the training rows on which settings are compared where there are more than 2,000;
        unused otherwise.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        Weight of each feature, exactly 0 for those left out.
    sparsity_ : float
        Share of the features left out.
    ignored_features_ : ndarray of str
        Their names.
    distance_ : EmbeddedDistance
    components_ : ndarray of shape (n_components, n_features_in_)
        Square root of the metric, without rows of zeros; made when asked for.
    objective_ : float
        ``1/2 ||w||^2 -`` mean of the lowest `nu` share of the margins, at the weights found.
    gap_ : float
        Relative duality gap: the objective is at most this share of its size from the optimum.
    n_iter_ : int
        Newton steps for the setting chosen.
    n_triplets_ : int
    n_neighbors_, nu_ : int, float
        The setting chosen.
    fell_back_ : bool
        Whether the metric is plain Euclid, because the triplets taught nothing.
    path_ : list of dict
        Each setting tried, with its leave-one-out aRRMSE; empty where there was no choice.

    Notes
    -----
    Distances between raw features decide what a neighbour is, so scale the features first, for
    instance with ``MinMaxScaler`` as the paper does.

    Where several settings are offered, triplets are built once for the largest neighbourhood, the
    solutions for falling `nu` start from each other, and the setting with the lowest leave-one-out
    aRRMSE of k-NN regression on the training rows (best k among 3, 5, ..., 35) is kept. Plain Euclid
    takes part, so that a metric is only learned where it pays.

    Cost: one exact neighbour search, then some tens of Newton steps of O(n K p) and a small
    factorisation each. Memory is O(n K p + T), or O(n K + T) beyond 256 MB, for the
    T <= n K (K - 1) / 2 triplets.

    References
    ----------
    H. Gonzalez, C. Morell, F. J. Ferri. Improving Nearest Neighbor Based Multi-target Prediction
    Through Metric Learning. CIARP 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from nearkin.learners.constraint.dmlmtp import DMLMTP
    >>> X = np.random.default_rng(0).uniform(size=(200, 3))
    >>> Y = np.column_stack([X[:, 0], X[:, 0] ** 2])
    >>> learner = DMLMTP().fit(X, Y)
    >>> learner.weights_.round(3)
    array([0.027, 0.   , 0.   ])
    >>> list(learner.ignored_features_)
    ['x1', 'x2']
    """

    summary = "max-margin feature weights for one or many regression targets"
    tasks = (REGRESSION,)

    def __init__(
        self,
        n_neighbors=4,
        nu=0.9,
        metric="diagonal",
        *,
        tol=1e-6,
        max_iter=1000,
        verbose=0,
        random_state=None,
    ):
        self.n_neighbors = n_neighbors
        self.nu = nu
        self.metric = metric
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"n_neighbors": [2, 4, 6], "nu": [0.9, 1.0]}

    def fit(self, X, y) -> DMLMTP:
        """Learn the metric from rows and their targets.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,) or (n, q)
            Real targets, one or many.
        """
        X, Y = self._validate_rows_and_targets(X, y)
        neighbourhoods, nus = self._settings(X.shape[0])
        triplets = output_ordered_triplets(X, Y, max(neighbourhoods))
        self.n_triplets_ = len(triplets)
        candidates = diagonal_path(X, triplets, neighbourhoods, nus, tol=self.tol, max_iter=self.max_iter)
        self.path_ = []
        if len(neighbourhoods) * len(nus) == 1:
            chosen = next(candidates, None)
        else:
            chosen = self._best(candidates, X, Y)
        if chosen is None or chosen.contradictory:
            self._fall_back(X, len(triplets), neighbourhoods, nus)
        else:
            self._keep(chosen, X, triplets)
        return self

    def _validate_rows_and_targets(self, X, y):
        X, y = validate_data(
            self,
            X,
            y,
            dtype=[np.float64, np.float32],
            multi_output=True,
            y_numeric=True,
            ensure_min_samples=2,
        )
        if y.dtype.kind not in "fiub":
            raise ValueError(
                f"DMLMTP learns from real targets, but y holds {y.dtype}; encode it as numbers first."
            )
        Y = standardised_targets(y)
        constant = np.flatnonzero(~Y.any(axis=0))
        if len(constant):
            warnings.warn(
                f"target column(s) {constant.tolist()} are constant: they cannot teach a metric, and their RRMSE "
                "is undefined.",
                UserWarning,
                stacklevel=3,
            )
        return X, np.delete(Y, constant, axis=1)

    def _settings(self, n_rows: int) -> tuple[list[int], list[float]]:
        if self.metric != "diagonal":
            raise ValueError(f"metric={self.metric!r}: expected 'diagonal'.")
        if isinstance(self.n_neighbors, str) and self.n_neighbors == "auto":
            neighbourhoods = [k for k in AUTO_N_NEIGHBORS if k < n_rows] or [AUTO_N_NEIGHBORS[0]]
        else:
            neighbourhoods = [self.n_neighbors] if np.ndim(self.n_neighbors) == 0 else list(self.n_neighbors)
        nus = (
            list(AUTO_NU) if isinstance(self.nu, str) and self.nu == "auto" else list(np.atleast_1d(self.nu))
        )
        for k in neighbourhoods:
            if not isinstance(k, Integral) or isinstance(k, bool) or k < 2:
                raise ValueError(
                    f"n_neighbors={k!r}: expected an integer of at least 2 (or 'auto', or several)."
                )
        for nu in nus:
            if not isinstance(nu, Real) or not 0 < nu <= 1:
                raise ValueError(
                    f"nu={nu!r}: expected a share of the triplets in (0, 1] (or 'auto', or several)."
                )
        if not neighbourhoods or not nus:
            raise ValueError("n_neighbors and nu must offer at least one value each.")
        return [int(k) for k in neighbourhoods], [float(nu) for nu in nus]

    def _best(self, candidates, X, Y) -> Candidate | None:
        """The candidate of the lowest leave-one-out error, or None if plain Euclid is at least as good."""
        n = X.shape[0]
        random = check_random_state(self.random_state)
        rows = np.arange(n) if n <= SCORED_ROWS else np.sort(random.choice(n, SCORED_ROWS, replace=False))
        ks = [k for k in PREDICTION_NEIGHBORS if k < n] or [1]
        best, lowest = None, leave_one_out_arrmse(X, Y, ks, rows)
        self._log(n_neighbors=None, nu=None, loo_arrmse=lowest)
        for candidate in candidates:
            if candidate.contradictory:
                continue
            score = leave_one_out_arrmse(candidate.embedding()(X), Y, ks, rows)
            self._log(n_neighbors=candidate.n_neighbors, nu=candidate.nu, loo_arrmse=score)
            if score < lowest:
                best, lowest = candidate, score
        return best

    def _log(self, **tried) -> None:
        self.path_.append(tried)
        if self.verbose:
            print("[DMLMTP]", ", ".join(f"{name}={value}" for name, value in tried.items()))

    def _keep(self, chosen: Candidate, X, triplets) -> None:
        solution = chosen.solution
        self.fell_back_ = False
        self.n_neighbors_, self.nu_ = chosen.n_neighbors, chosen.nu
        self.n_triplets_ = len(triplets.within(chosen.n_neighbors))
        self.objective_, self.gap_, self.n_iter_ = solution.objective, solution.gap, solution.n_iter
        self._set_weights(solution.weights)
        if not solution.converged:
            warnings.warn(
                f"DMLMTP stopped at max_iter={self.max_iter} with a relative duality gap of {solution.gap:.1e}, "
                f"above tol={self.tol:.1e}; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _fall_back(self, X, n_triplets: int, neighbourhoods, nus) -> None:
        """Plain Euclid, with a warning that says why; silent where Euclid won a fair comparison."""
        self.fell_back_ = True
        self.n_neighbors_, self.nu_ = max(neighbourhoods), max(nus)
        self.objective_, self.gap_, self.n_iter_ = 0.0, 0.0, 0
        self._set_weights(np.ones(X.shape[1]))
        if len(self.path_) > 1:
            return
        if n_triplets == 0:
            reason = "the targets of all compared neighbours tie, so there is no triplet to learn from"
        else:
            reason = f"the {n_triplets} triplets contradict each other at nu={max(nus)} (all weights are zero); raise nu"
        warnings.warn(f"DMLMTP falls back to the Euclidean distance: {reason}.", UserWarning, stacklevel=3)

    def _set_weights(self, weights: np.ndarray) -> None:
        self.weights_ = weights
        self.distance_ = EmbeddedDistance.symmetric(FeatureScaling.from_weights(weights))
        self.sparsity_ = float(np.mean(weights == 0))
        self.ignored_features_ = _check_feature_names_in(self).astype(str)[weights == 0]

    @property
    def components_(self) -> np.ndarray:
        check_is_fitted(self)
        return self.distance_.queries.matrix()

    @property
    def _n_features_out(self) -> int:
        return int(np.count_nonzero(self.weights_))
