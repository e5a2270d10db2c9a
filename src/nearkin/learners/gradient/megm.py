"""MEGM: a metric from the gradient of the squared error."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import validate_data

from nearkin._types import Auto, RandomState, Start
from nearkin.learners.base import CLASSIFICATION, REGRESSION
from nearkin.learners.gradient.base import GradientLearner, without_zero_weights
from nearkin.learners.gradient.grids import component_choices
from nearkin.learners.settings import check_choice, check_count, check_number
from nearkin.losses import DriftLoss, Loss, MEGMLoss, TotalLoss
from nearkin.maps.kernel import KernelLike
from nearkin.solvers.base import SolverLike

#: With more distinct values than this, floats are measurements, not classes.
MOST_FLOAT_CLASSES = 20


class MEGM(GradientLearner):
    """Minimise the squared error of leave-one-out kernel predictions, for classes or real targets.

    Each sample is predicted by the mean of its neighbours' targets (one-hot for classes), weighted by
    a Gaussian of the learned distance whose width is fixed by the neighbourhood at the start. With
    real targets, one or many, this is metric learning for kernel regression (MLKR).

    Parameters
    ----------
    n_components : int or None, default=None
        Dimensions of the learned space; None keeps all.
    n_neighbors : int, "log2" or None, default="log2"
        Neighbourhood size for the kernel widths, which are half the mean squared distance to its nearer half.
        None gives every row the kernel exp(-D), as in `MLKR`.
    task : {"auto", "classification", "regression"}, default="auto"
        What y holds; "auto" is regression for fractions, for several columns and for floats with more than
        20 distinct values, otherwise classification.
    penalty : float, default=0.0
        Weight of a penalty on moving the samples away from where they start.
    init : {"auto", "identity", "pca", "lda", "random"} or array, default="auto"
        Where the optimisation starts; "lda" for classes only.
    solver : {"lbfgs", "cg", "gd"} or Solver, default="lbfgs"
        "cg", Polak-Ribiere conjugate gradients, is the paper's; L-BFGS finds the same optima faster.
    early_stopping : bool or "auto", default="auto"
        Take only as many steps as lower the loss of unseen rows, found by fitting halves of the samples
        first: small samples are overfitted long before the objective settles. "auto" does so below 1,000
        samples. A warm start ignores it.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.
    kernel, max_iter, tol, n_init, warm_start, verbose, random_state
        As for `NCA`.

    Attributes
    ----------
    objective_ : float
        Final mean squared error; real targets are standardised, so that none dominates by its unit.
    components_, distance_, euclid_share_, history_, n_iter_, classes_
        As for `NCA`; `classes_` for classification only.

    Notes
    -----
    Cost and memory as for `NCA`. From 1,000 samples on, the first steps are taken on a sample of the rows
    while the kernels are broad; `history_` then begins with the sample's values.

    References
    ----------
    N. Zaidi, D. Squire, D. Suter (2010). A Gradient-Based Metric Learning Algorithm for k-NN
    Classifiers. AI 2010.
    K. Weinberger, G. Tesauro (2007). Metric Learning for Kernel Regression. AISTATS 11.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes, load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MEGM().fit(X, y).objective_ < 0.1
    True
    >>> X, y = load_diabetes(return_X_y=True)
    >>> MEGM(n_components=2).fit(X, y).transform(X).shape
    (442, 2)
    """

    summary = "Linear map that minimises the squared error of kernel predictions (MEGM, MLKR)."
    cost = "n²·e/2 to 3·n²·e per step"
    tasks = (CLASSIFICATION, REGRESSION)

    _samples_first = True

    def __init__(
        self,
        n_components: int | None = None,
        *,
        n_neighbors: int | Literal["log2"] | None = "log2",
        task: Literal["auto", "classification", "regression"] = "auto",
        penalty: float = 0.0,
        init: Start = "auto",
        kernel: KernelLike | None = None,
        solver: SolverLike = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-5,
        early_stopping: bool | Auto = "auto",
        euclid_share: float | Auto = "auto",
        n_init: int = 1,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(solver, max_iter, tol, n_init, warm_start, verbose, random_state)
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.task = task
        self.penalty = penalty
        self.init = init
        self.kernel = kernel
        self.early_stopping = early_stopping
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"n_components": component_choices(n_samples, n_features)}

    def _loss(self) -> Loss:
        loss = MEGMLoss(self.n_neighbors)
        return TotalLoss([(1.0, loss), (self.penalty, DriftLoss())]) if self.penalty else loss

    def _checked(self, X, y, sample_weight):
        check_megm_settings(self)
        if y is not None and self._is_regression(y):
            return self._checked_regression(X, y, sample_weight)
        return super()._checked(X, y, sample_weight)

    def _is_regression(self, y) -> bool:
        if self.task != "auto":
            return self.task == REGRESSION
        # scikit-learn casts before it checks for missing values, which makes NumPy warn.
        with np.errstate(invalid="ignore"):
            kind = type_of_target(y, input_name="y")
        if kind == "multiclass":
            # Whole numbers stored as floats: few of them are classes, many are measurements.
            values = np.asarray(y)
            return np.issubdtype(values.dtype, np.floating) and len(np.unique(values)) > MOST_FLOAT_CLASSES
        return kind.startswith("continuous") or kind in ("multiclass-multioutput", "multilabel-indicator")

    def _checked_regression(self, X, y, sample_weight):
        X, Y = validate_data(
            self,
            X,
            y,
            dtype=[np.float64, np.float32],
            multi_output=True,
            y_numeric=True,
            ensure_min_samples=2,
        )
        weights = None
        if sample_weight is not None:
            X, Y, weights = without_zero_weights(X, Y, sample_weight)
        Y = np.asarray(Y, dtype=np.float64).reshape(len(Y), -1)
        spread = Y.std(axis=0)
        if not (spread > 0).any():
            raise ValueError("all targets are constant; there is nothing to predict.")
        self.__dict__.pop("classes_", None)
        # A constant target carries no information; dividing by one keeps it at zero.
        return X, (Y - Y.mean(axis=0)) / np.where(spread > 0, spread, 1), weights


def check_megm_settings(learner: MEGM) -> None:
    """Raise if a setting of MEGM is invalid."""
    check_choice(("auto", CLASSIFICATION, REGRESSION), task=learner.task)
    check_count(words=("log2", None), n_neighbors=learner.n_neighbors)
    check_number(penalty=learner.penalty)
