"""Metric learning for multi-target regression by maximum margin over ordered triplets."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from nearkin._types import Auto, ColumnLike, MatrixLike, RandomState
from nearkin.distances import AffineEmbedding, EmbeddedDistance
from nearkin.distances.embeddings import ScaledEmbedding
from nearkin.learners.base import REGRESSION, EmbeddingLearner
from nearkin.learners.constraint.cross_fitting import (
    arrmse_of,
    best_of_each_mixture,
    cross_fitted_errors,
    simplest_good_setting,
    training_errors,
)
from nearkin.learners.constraint.metric_path import Candidate, diagonal_path, full_path, with_euclid
from nearkin.learners.constraint.path_settings import PathSettings, Setting, path_settings
from nearkin.numerics.margin_dual import MarginSolution
from nearkin.rows_in_blocks import refuse_blocks
from nearkin.supervision.triplets import output_ordered_triplets, standardised_targets

# Relative duality gap at which metrics are good enough to be compared.
COMPARISON_TOL = 1e-3


class DMLMTP(EmbeddingLearner):
    """Distance metric learning for multi-target prediction.

    Of any two near neighbours of a training row, the one with more similar targets should be nearer. The
    metric maximises the mean of the lowest `nu` share of these margins, relative to its norm; features that
    do not help get a weight of exactly zero.

    Parameters
    ----------
    n_neighbors : int, sequence of int or "auto", default=4
        How many nearest inputs of each row are compared with each other; at least 2. If several are given,
        the best is chosen (see Notes); "auto" tries 2 to 6.
    nu : float in (0, 1], sequence of float or "auto", default=0.9
        Share of the triplets, worst first, whose mean margin is maximised. If it is too small for noisy
        targets, the triplets contradict each other: raise it then. "auto" tries 0.8 to 1.
    metric : {"diagonal", "full"}, default="diagonal"
        One weight per feature, or a positive semidefinite matrix.
    rank : int, optional
        Largest rank of a full metric, which is then the best one on the leading `rank` eigenvectors of
        the unrestricted matrix.
    shrinkage : float in [0, 1], sequence of float or "auto", default="auto"
        How far a full metric is shrunk towards the diagonal one of the same setting (both scaled to
        trace 1): 0 is the full, 1 the diagonal metric. "auto" tries five values from 0 to 1, or only
        0 if a rank is given.
    euclid_share : float in [0, 1), sequence of float or "auto", default="auto"
        Share of plain Euclid in the metric (both scaled to the same trace), for rows too few or too noisy
        to trust the learned one alone: 0 leaves the learned metric, with its zero weights, as it is. "auto"
        tries four values from 0 to 0.75 if several values of `n_neighbors` or `nu` are tried, else it is 0.
    tol : float, optional
        Relative duality gap at which the solver stops; by default 1e-6 for a diagonal and 1e-3 for a
        full metric, whose predictions hardly change below that.
    max_iter : int, default=1000
        Solver steps for each setting on the path.
    verbose : int, default=0
        If positive, print a line for each setting tried.
    random_state : int, RandomState instance or None, default=None
        Draws the folds on which settings are compared; None always draws the same ones. Unused if there is
        nothing to choose.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        Weight of each feature, exactly 0 for ignored ones (there are none with a share of Euclid). Only for
        the diagonal metric, as are the next two.
    sparsity_ : float
        Share of the features that are ignored.
    ignored_features_ : ndarray of str
        Their names.
    distance_ : EmbeddedDistance
    components_ : ndarray of shape (n_components, n_features_in_)
        Square root of the metric, without zero rows; computed on demand.
    objective_ : float
        ``1/2 ||w||^2 -`` mean of the lowest `nu` share of the margins, at the weights (or the full
        matrix, before any shrinkage) found.
    gap_ : float
        Relative duality gap: the objective is within this share of its size of the optimum.
    n_iter_ : int
        Solver steps for the setting chosen.
    n_triplets_ : int
    n_neighbors_, nu_, shrinkage_, euclid_share_ : int, float, float, float
        The chosen setting.
    fell_back_ : bool
        Whether the metric is plain Euclid because nothing better could be learned.
    path_ : list of dict
        Each setting compared, with its aRRMSE and the rows it was scored on; empty if nothing was to choose.

    Notes
    -----
    Neighbours are determined by raw features, so scale the features first, for instance with
    ``MinMaxScaler``; the paper does not say how it scales.

    If several settings are tried, triplets are built once for the largest neighbourhood, and solutions for
    falling `nu` are warm-started. For each shrinkage and share of Euclid (for a full metric, without
    Euclid), the neighbourhood and `nu` with the lowest leave-one-out aRRMSE of k-NN regression on the
    training rows are kept (best k among 3, 5, ..., 35). Training errors cannot be compared between metrics of
    different flexibility, so these settings are learned again from the training parts of 10 folds (5 above
    200 rows, 3 above 1,000), mixed with every share of Euclid and scored on the held-out rows, each predicted
    from all others. Plain Euclid competes if several values of `n_neighbors` or `nu` are tried. Of Euclid,
    diagonal and full metrics the simplest within one standard error of the best is kept, by paired
    differences that are winsorised at a tenth, so that a few outliers do not decide.

    Cost: one exact neighbour search, then for a diagonal metric some tens of Newton steps of
    O(n K p) and a small factorisation each, for a full one some tens of steps of O(n p (p + K) + p^3)
    (p at most n - 1). Memory is O(n K p + T), or O(n (K + p) + T) beyond 256 MB, for the
    T <= n K (K - 1) / 2 triplets. Comparing S settings costs up to S fits (fewer, thanks to warm starts and
    a looser gap of 1e-3), and 10 more (5 above 200 rows, 3 above 1,000) for each of the settings kept. It
    stores 17 errors of at most 2,000 rows for each setting.

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
    array([0.006, 0.   , 0.   ])
    >>> learner.ignored_features_.tolist()
    ['x1', 'x2']
    """

    summary = "Max-margin metric for one or many regression targets: feature weights or a full matrix."
    cost = "n·K·d per step"
    tasks = (REGRESSION,)

    def __init__(
        self,
        n_neighbors: int | Sequence[int] | Auto = 4,
        nu: float | Sequence[float] | Auto = 0.9,
        metric: Literal["diagonal", "full"] = "diagonal",
        *,
        rank: int | None = None,
        shrinkage: float | Sequence[float] | Auto = "auto",
        euclid_share: float | Sequence[float] | Auto = "auto",
        tol: float | None = None,
        max_iter: int = 1000,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.nu = nu
        self.metric = metric
        self.rank = rank
        self.shrinkage = shrinkage
        self.euclid_share = euclid_share
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"n_neighbors": [2, 4, 6], "nu": [0.9, 1.0]}

    def fit(self, X: MatrixLike, y: ColumnLike) -> DMLMTP:
        """Learn the metric from rows and their targets.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,) or (n, q)
            Real targets, one or many.
        """
        X, Y = self._validate_rows_and_targets(X, y)
        settings = path_settings(
            self.n_neighbors,
            self.nu,
            self.metric,
            self.rank,
            self.shrinkage,
            X.shape[0],
            self.euclid_share,
        )
        triplets = output_ordered_triplets(X, Y, max(settings.neighbourhoods))
        self.path_: list[dict] = []
        if settings.has_choice and len(triplets):
            setting = self._choose(X, Y, triplets, settings)
            if setting is None:
                self._fall_back(X.shape[1], len(triplets), settings)
                return self
            settings = settings.only(setting)
        chosen = next(self._candidates(X, triplets, settings), None)
        if chosen is None or chosen.embedding is None:
            self._fall_back(X.shape[1], len(triplets), settings)
            self._warn_of_fall_back()
        else:
            self._keep(chosen, chosen.embedding, len(triplets.within(chosen.n_neighbors)))
        return self

    def _validate_rows_and_targets(self, X, y):
        refuse_blocks(X, type(self).__name__)
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
            raise ValueError(f"DMLMTP learns from real targets, but y holds {y.dtype}; encode it as numbers.")
        Y = standardised_targets(y)
        constant = np.flatnonzero(~Y.any(axis=0))
        if len(constant):
            warnings.warn(
                f"target column(s) {constant.tolist()} are constant: they cannot teach a metric, and their "
                "RRMSE is undefined.",
                UserWarning,
                stacklevel=3,
            )
        return X, np.delete(Y, constant, axis=1)

    def _candidates(self, X, triplets, settings: PathSettings, loosest_tol: float = 0.0):
        tol = (1e-6 if self.metric == "diagonal" else 1e-3) if self.tol is None else self.tol
        options: dict[str, Any] = {
            "euclid_shares": settings.euclid_shares,
            "tol": max(tol, loosest_tol),
            "max_iter": self.max_iter,
        }
        path = (X, triplets, settings.neighbourhoods, settings.nus)
        if self.metric == "diagonal":
            return diagonal_path(*path, **options)
        return full_path(*path, shrinkages=settings.shrinkages, rank=self.rank, **options)

    def _choose(self, X, Y, triplets, settings: PathSettings) -> Setting | None:
        """The setting that the comparison favours, or None for plain Euclid."""

        def learn(part, triplets, group: list[Setting]):
            wanted = PathSettings(*(tuple(sorted(set(values))) for values in zip(*group, strict=True)))
            return self._candidates(part, triplets, wanted, COMPARISON_TOL)

        # Without a random_state, the same rows always give the same metric.
        random = check_random_state(0 if self.random_state is None else self.random_state)
        is_full = self.metric == "full"
        # Scoring the many mixtures of a full metric with Euclid would take longer than learning it.
        first = settings.least_euclid if is_full else settings
        seen = training_errors(X, Y, self._candidates(X, triplets, first, COMPARISON_TOL), random=random)
        self._log(seen, "training rows")
        learned = best_of_each_mixture(seen)
        if is_full:
            learned = settings.with_every_share(learned)
        contenders = [*learned, None] if settings.compares_metrics else learned
        if len(contenders) > 1:
            unseen = cross_fitted_errors(X, Y, contenders, learn, random=random)
            self._log(unseen, "held-out rows")
            return simplest_good_setting(unseen) if unseen else learned[0]
        return learned[0] if learned else settings.simplest

    def _log(self, errors, scored_on: str) -> None:
        for setting, table in errors.items():
            tried = {"metric": "euclid"} if setting is None else {"metric": self.metric, **setting._asdict()}
            tried |= {"scored_on": scored_on, "arrmse": arrmse_of(table)}
            self.path_.append(tried)
            if self.verbose:
                print("[DMLMTP]", ", ".join(f"{name}={value}" for name, value in tried.items()))

    def _keep(self, chosen: Candidate, embedding: ScaledEmbedding | AffineEmbedding, n_triplets: int) -> None:
        solution = chosen.solution
        self.fell_back_ = False
        self.n_triplets_ = n_triplets
        self.n_neighbors_, self.nu_, self.shrinkage_, self.euclid_share_ = chosen.setting
        self.objective_, self.gap_, self.n_iter_ = solution.objective, solution.gap, solution.n_iter
        self._set_embedding(embedding)
        if isinstance(solution, MarginSolution):
            self._set_weights(with_euclid(solution.weights, chosen.euclid_share))
        if not solution.converged:
            warnings.warn(
                f"DMLMTP stopped at max_iter={self.max_iter} with a relative duality gap of "
                f"{solution.gap:.1e}; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _fall_back(self, n_features: int, n_triplets: int, settings: PathSettings) -> None:
        """Use plain Euclid, because it won the comparison or there is nothing to learn from."""
        self.fell_back_ = True
        self.n_triplets_ = n_triplets
        self.n_neighbors_, self.nu_ = max(settings.neighbourhoods), max(settings.nus)
        self.shrinkage_, self.euclid_share_ = max(settings.shrinkages), 1.0
        self.objective_, self.gap_, self.n_iter_ = 0.0, 0.0, 1
        weights = np.ones(n_features)
        self._set_embedding(ScaledEmbedding.from_weights(weights))
        if self.metric == "diagonal":
            self._set_weights(weights)

    def _warn_of_fall_back(self) -> None:
        if self.n_triplets_ == 0:
            reason = "the targets of all compared neighbours tie, so there is no triplet to learn from"
        else:
            reason = (
                f"the {self.n_triplets_} triplets contradict each other and the best metric is zero; "
                f"raise nu={self.nu_}"
            )
        warnings.warn(f"DMLMTP falls back to the Euclidean distance: {reason}.", UserWarning, stacklevel=3)

    def _set_embedding(self, embedding: ScaledEmbedding | AffineEmbedding) -> None:
        if isinstance(embedding, ScaledEmbedding):
            self.distance_ = EmbeddedDistance.symmetric(embedding)
            self.n_components_ = len(embedding.features)
            return
        matrix = np.asarray(embedding.matrix)
        if matrix.shape[0] > matrix.shape[1]:
            # The parts of a mixture are stacked; a triangular factor gives the same distances.
            matrix = np.asarray(np.linalg.qr(matrix, mode="r"))
        self.distance_ = EmbeddedDistance.symmetric(AffineEmbedding(matrix))
        self.n_components_ = len(matrix)

    def _set_weights(self, weights: np.ndarray) -> None:
        self.weights_ = weights
        self.sparsity_ = float(np.mean(weights == 0))
        self.ignored_features_ = _check_feature_names_in(self).astype(str)[weights == 0]

    @property
    def components_(self) -> np.ndarray:  # type: ignore[override]
        check_is_fitted(self)
        return self.distance_.queries.matrix  # type: ignore[attr-defined]
