"""What the gradient learners share: one `fit` that combines a map, a loss and a solver."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight

from nearkin._types import Auto, ColumnLike, MatrixLike, RandomState
from nearkin.distances import AffineEmbedding, EmbeddedDistance
from nearkin.distances.embeddings import Embedding
from nearkin.learners.base import EmbeddingLearner
from nearkin.learners.euclid_share import blend_with_euclid, check_euclid_share, chosen_share, reduces
from nearkin.learners.gradient.callbacks import (
    EXTRA_FRAMES,
    CallbackSupportMixin,
    StepReporter,
    with_callbacks,
)
from nearkin.learners.gradient.early_stopping import loss_of_unseen, steps_by_halves, stops_early
from nearkin.learners.gradient.minimising import minimise_exactly, minimise_from_sample
from nearkin.learners.gradient.policy import FitPolicy
from nearkin.learners.settings import check_count, check_number
from nearkin.losses import Loss
from nearkin.maps import KernelMap, LinearMap, Map
from nearkin.numerics.threads import blas_threads
from nearkin.objective import Objective
from nearkin.rows_in_blocks import block_work, in_blocks
from nearkin.solvers import Solver, SolverResult, all_solvers
from nearkin.solvers.base import SolverLike
from nearkin.solvers.coordinates import Coordinates
from nearkin.solvers.policy import DescentPolicy


@dataclass
class Training:
    """Checked data, sorted by class and ready for the optimisation.

    F are lifted features divided by their typical spread, `unit`, so that starts, margins and softmaxes of
    fixed scale do not depend on the unit of the features.
    """

    F: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    unit: float


class GradientLearner(CallbackSupportMixin, EmbeddingLearner):
    """A map, a loss and a solver as a scikit-learn estimator.

    Subclasses name the three; the optimisation, restarts, warm starts, warnings, history and
    callbacks are the same for all, and so are the settings that `__init__` takes.
    """

    #: "auto", True or False, if the learner offers it.
    early_stopping: object = False
    #: "auto" or a share of plain Euclid, if the learner offers it.
    euclid_share: object = 0.0
    #: Frames from a warning to the caller of `fit`.
    _frames_to_caller = 3
    #: How a step is judged on the unseen half.
    _judged_by = staticmethod(loss_of_unseen)
    #: Whether the first steps are taken on a sample if there are many rows and the loss allows it.
    _samples_first = False
    #: Thresholds of the fit that are not parameters.
    fit_policy: ClassVar[FitPolicy] = FitPolicy()

    parameters_: np.ndarray
    lift_: Embedding | None
    _n_lifted: int
    n_components_: int
    euclid_share_: float

    def __init__(
        self,
        solver: SolverLike,
        max_iter: int,
        tol: float,
        n_init: int,
        warm_start: bool,
        verbose: int,
        random_state: RandomState,
    ) -> None:
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state

    def _map(self) -> Map:
        """The map to fit: linear unless a subclass says otherwise, after the kernel if there is one."""
        linear = LinearMap(self.n_components, self.init)  # type: ignore[attr-defined]
        return after_kernel(getattr(self, "kernel", None), linear)

    @abstractmethod
    def _loss(self) -> Loss:
        """The loss to minimise."""

    def _solver(self) -> Solver:
        return named_solver(self.solver, self.max_iter, self.tol)

    @with_callbacks
    def fit(
        self,
        X: MatrixLike,
        y: ColumnLike,
        sample_weight: ColumnLike | None = None,
        *,
        fit_sample: int | Auto | None = None,
    ) -> Self:
        """Learn the map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or rows in blocks
            Rows in blocks (opened by `nearkin.open_rows`, or a Dask array or data frame) need `fit_sample`,
            except for LMNN and LMCA, which can learn from all of them.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each sample's part of the objective; samples of weight zero are left out.
        fit_sample : int or "auto", optional
            Learn from this many rows only: a share of every class, chosen by a hash of the row number.
            "auto" is `nearkin.scale.sample_size`.
        """
        check_settings(self)
        if fit_sample is not None or in_blocks(X) or self._learns_by_lists(X):
            return block_work().fit(self, X, y, fit_sample=fit_sample, sample_weight=sample_weight)
        X, y, weights = self._checked(X, y, sample_weight)
        rng = check_random_state(self.random_state)
        map_ = self._map()
        warm = self.warm_start and hasattr(self, "parameters_")
        lift = self._lift(map_, X, rng, warm)
        training = self._training(X, y, weights, map_, lift)
        n_features = training.F.shape[1]
        theta0 = self.parameters_ if warm else map_.start(training.F, training.y, rng)
        if warm or map_.given_start:
            theta0 = map_.rescaled(theta0, 1 / training.unit, n_features)

        def fitted(theta) -> dict:
            theta = map_.rescaled(theta, training.unit, n_features)
            return {"parameters_": theta, **self._fitted(map_, theta, lift, n_features, X.dtype)}

        reporter = StepReporter(self, None, X, y, fitted)
        with blas_threads():
            last = None if warm else self._last_step(map_, training, theta0, rng)
            result = self._best_of_restarts(map_, training, theta0, rng, reporter, last, warm)
        self.lift_, self._n_lifted = lift, n_features
        share = self._share(X, y, weights, warm, last)
        for name, value in fitted(result.theta).items():
            setattr(self, name, value)
        blend_with_euclid(self, X, share)
        self.objective_ = float(result.value)
        # A start that is already optimal counts as one step, as scikit-learn's conventions ask.
        self.n_iter_ = max(1, int(result.n_iter))
        self.history_ = np.array(result.history)
        self._warn_unless_converged(result)
        reporter.end(result.theta)
        return self

    def _learns_by_lists(self, X) -> bool:
        """Whether neighbours of these rows are searched approximately."""
        return False

    def _checked(self, X, y, sample_weight):
        """X, integer codes, and weights (or None), without the samples of weight zero."""
        X, codes = self._validate_labelled(X, y, min_classes=2)
        if sample_weight is None:
            return X, codes, None
        X, codes, weights = without_zero_weights(X, codes, sample_weight)
        present, codes = np.unique(codes, return_inverse=True)
        self.classes_ = self.classes_[present]
        if len(present) < 2:
            raise ValueError(
                "all samples of positive weight are of one class; there is nothing to tell apart."
            )
        return X, codes, weights

    def _share(self, X, y, weights, warm: bool, last: int | None) -> float:
        """How much of plain Euclid the learned distance keeps; a warm start keeps as much as before."""
        if self.euclid_share != "auto":
            return float(self.euclid_share)  # type: ignore[arg-type]
        if warm:
            return self.euclid_share_
        if reduces(self) or not isinstance(y, np.ndarray):
            return 0.0
        # Halves take as many steps as all rows: how many steps help has already been decided.
        settled = {} if last is None else {"early_stopping": False, "max_iter": max(1, last)}
        # In the precision of the whole fit: loops would be compiled for another one just for this.
        precise = X.astype(np.float32) if len(X) >= self.fit_policy.float32_from else X
        share = chosen_share(self, precise, y, weights, self.share_policy, settled)
        if self.verbose:
            print(f"[{type(self).__name__}] unseen halves: {share:.0%} of plain Euclid")
        return share

    def _lift(self, map_: Map, X, rng, warm: bool) -> Embedding | None:
        if not warm:
            return map_.lasting_lift(X, rng) if self.warm_start else map_.lift(X, rng)
        known = self._n_lifted if self.lift_ is None else getattr(self.lift_, "n_features_in", None)
        if known is not None and X.shape[1] != known:
            raise ValueError(f"warm_start: X has {X.shape[1]} features, the fitted map {known}.")
        return self.lift_

    def _training(self, X, y, weights, map_, lift) -> Training:
        F = X if lift is None else lift(X)
        if map_.ignores_translation:
            centre = F.mean(axis=0, dtype=np.float64).astype(F.dtype)
            # Lifted rows are ours to change, and may be the largest array of all.
            F = F - centre if lift is None else np.subtract(F, centre, out=F)
        # Constraints refer to rows by number, so only rows with class labels are sorted.
        if np.issubdtype(np.asarray(y).dtype, np.integer):
            order = np.argsort(y, kind="stable")
            F, y = F[order], y[order]
            weights = None if weights is None else weights[order]
        precision = np.float32 if len(F) >= self.fit_policy.float32_from else F.dtype
        # A rotation into the span of the rows does not change the unit of the features.
        unit = usual_spread(X if isinstance(lift, AffineEmbedding) else F)
        return Training(np.ascontiguousarray(F / unit, dtype=precision), y, weights, unit)

    def _last_step(self, map_, training, theta0, rng) -> int | None:
        """The step to stop after, or None to continue until the objective settles."""
        policy = self.fit_policy.early_stopping
        if not stops_early(self.early_stopping, len(training.F), policy):
            return None
        last = steps_by_halves(
            map_,
            self._loss(),
            self._descend_half,
            training.F,
            training.y,
            theta0,
            most_steps=self._most_steps(),
            weights=training.weights,
            rng=rng,
            policy=policy,
            judged_by=self._judged_by,
        )
        if self.verbose:
            told = "all steps help" if last is None else f"best after step {last}"
            print(f"[{type(self).__name__}] unseen halves: {told}")
        return last

    def _most_steps(self) -> int:
        return self._solver().max_iter

    def _descend_half(self, objective, start, callback) -> SolverResult:
        return self._solver().minimise(objective, self._improved_start(objective, start), callback)

    def _best_of_restarts(self, map_, training, theta0, rng, reporter, last, warm: bool) -> SolverResult:
        objective = Objective(
            map_, self._loss(), training.F, training.y, theta0, sample_weight=training.weights
        )
        if last == 0:
            value = objective.exact(theta0)[0]
            return SolverResult(theta0, value, 0, 1, True, "no step helped on unseen rows", [value])
        if not warm:
            theta0 = self._improved_start(objective, theta0)
        best = self._optimise(objective, theta0, self._progress(1, reporter, last))
        for run in range(2, self.n_init + 1):
            # Restarts differ from the start by noise of half the size of its entries.
            noise = 0.5 * np.sqrt(np.mean(theta0**2))
            theta = theta0 + noise * rng.standard_normal(theta0.size)
            result = self._optimise(objective, theta, self._progress(run, reporter, last))
            if result.value < best.value:
                best = result
        return best

    def _optimise(self, objective, theta, callback) -> SolverResult:
        if self._samples_first:
            return minimise_from_sample(self._solver(), objective, theta, callback, self.fit_policy.coarse)
        coordinates = self._coordinates(objective)
        return minimise_exactly(self._solver(), objective, theta, callback, coordinates=coordinates)

    def _improved_start(self, objective: Objective, theta0: np.ndarray) -> np.ndarray:
        """A better start that is cheap to find; theta0 itself if it was given or there is none."""
        return theta0

    def _coordinates(self, objective: Objective) -> Coordinates | None:
        """Coordinates in which the solver takes its steps; None for the parameters themselves."""
        return None

    def _progress(self, run: int, reporter: StepReporter, last: int | None):
        step = 0

        def after_step(theta, value) -> bool:
            nonlocal step
            step += 1
            if self.verbose:
                print(f"[{type(self).__name__}] run {run}, step {step}: objective {value:.6g}")
            return reporter.step(theta) or step == last

        return after_step

    def _fitted(self, map_, theta, lift, n_features, dtype) -> dict:
        """Attributes of a learner fitted to theta."""
        embedding = map_.freeze(theta, lift, n_features)
        if isinstance(embedding, AffineEmbedding) and embedding.matrix is not None:
            embedding = AffineEmbedding(embedding.matrix.astype(dtype))
            linear = {"components_": embedding.matrix}
        else:
            linear = {}
        width = map_.forward(theta, np.zeros((1, n_features)))[0].shape[1]
        return {"distance_": EmbeddedDistance.symmetric(embedding), "n_components_": int(width), **linear}

    def _warn_unless_converged(self, result: SolverResult) -> None:
        if not result.converged:
            warnings.warn(
                f"{type(self).__name__} did not converge in {result.n_iter} steps ({result.message}); "
                "raise max_iter, or scale the features.",
                ConvergenceWarning,
                stacklevel=self._frames_to_caller + EXTRA_FRAMES,
            )


def usual_spread(F: np.ndarray) -> float:
    """Root mean variance of the features that are not constant: one for standardised data.

    >>> usual_spread(np.array([[0.0, 5.0], [4.0, 5.0]]))
    2.0
    """
    variances = F.var(axis=0, dtype=np.float64)
    varying = variances[variances > 0]
    return float(np.sqrt(varying.mean())) if varying.size else 1.0


def named_solver(solver, max_iter: int, tol: float, policy: DescentPolicy | None = None) -> Solver:
    """A solver by its name, with the budget, tolerance and policy of the learner; or the solver itself."""
    if isinstance(solver, Solver):
        return solver
    known = all_solvers()
    if solver not in known:
        raise ValueError(f"solver={solver!r}: expected one of {list(known)} or a nearkin.solvers.Solver.")
    named = known[solver](max_iter, tol)
    return named if policy is None else named.following(policy)


def after_kernel(kernel, inner: Map) -> Map:
    """`inner` itself, or `inner` in the feature space of a kernel: a name, a function or a `KernelMap`."""
    if kernel is None:
        return inner
    if isinstance(kernel, KernelMap):
        settings = {**vars(kernel), "inner": inner}
        return KernelMap(**settings)
    return KernelMap(inner, kernel)


def without_zero_weights(X, y, sample_weight):
    """The rows of positive weight, and their weights."""
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    kept = weights > 0
    if kept.sum() < 2:
        raise ValueError(f"only {int(kept.sum())} samples have a positive weight; at least 2 are needed.")
    return (X, y, weights) if kept.all() else (X[kept], y[kept], weights[kept])


def check_settings(learner: GradientLearner) -> None:
    """Raise if a setting that all gradient learners share is invalid."""
    check_euclid_share(learner.euclid_share)
    check_count(max_iter=learner.max_iter, n_init=learner.n_init)
    check_number(tol=learner.tol)
