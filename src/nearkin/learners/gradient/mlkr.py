"""Metric learning for kernel regression."""

from __future__ import annotations

from nearkin._types import Auto, RandomState, Start
from nearkin.learners.base import REGRESSION
from nearkin.learners.gradient.base import GradientLearner
from nearkin.learners.gradient.megm import MEGM
from nearkin.maps.kernel import KernelLike
from nearkin.solvers.base import SolverLike


class MLKR(MEGM):
    """Metric learning for kernel regression: least squared error of leave-one-out kernel predictions.

    `MEGM` for real targets, one or many, with the kernel exp(-D) for all samples instead of a width for
    each: all scale is in the map.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimensions of the learned space; None keeps all.
    penalty : float, default=0.0
        Weight of a penalty on moving the samples away from where they start.
    init : {"auto", "identity", "pca", "random"} or array, default="auto"
        Where the optimisation starts: "auto" is PCA if dimensions are dropped, else the identity. exp(-D) has
        a fixed scale, so standardise the features.
    kernel, solver, max_iter, tol, early_stopping, n_init, warm_start, verbose, random_state
        As for `MEGM`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The matrix of the map; absent with a kernel.
    distance_ : EmbeddedDistance
    objective_ : float
        Final mean squared error; targets are standardised, so that none dominates by its unit.
    history_ : ndarray
        The objective at the start and after each step.
    n_iter_ : int

    Notes
    -----
    Cost and memory as for `MEGM`.

    References
    ----------
    K. Weinberger, G. Tesauro (2007). Metric Learning for Kernel Regression. AISTATS 11.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_diabetes(return_X_y=True)
    >>> MLKR(n_components=2).fit(scale(X), y).objective_ < 0.6
    True
    """

    summary = "Linear map that minimises the squared error of kernel regression (MLKR)."
    cost = "n²·e/2 to 3·n²·e per step"
    tasks = (REGRESSION,)  # type: ignore[assignment]
    #: Parameters of `MEGM` that are fixed here.
    n_neighbors = None
    task = "regression"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        penalty: float = 0.0,
        init: Start = "auto",
        kernel: KernelLike | None = None,
        solver: SolverLike = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-5,
        early_stopping: bool | Auto = "auto",
        n_init: int = 1,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        GradientLearner.__init__(self, solver, max_iter, tol, n_init, warm_start, verbose, random_state)
        self.n_components = n_components
        self.penalty = penalty
        self.init = init
        self.kernel = kernel
        self.early_stopping = early_stopping
