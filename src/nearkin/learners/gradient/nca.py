"""Neighbourhood components analysis."""

from __future__ import annotations

from typing import Literal

from nearkin._types import Auto, RandomState, Start
from nearkin.learners.gradient.base import GradientLearner
from nearkin.learners.gradient.grids import component_choices
from nearkin.learners.settings import check_choice
from nearkin.losses import NCALoss
from nearkin.losses.log_nca import LogNCALoss
from nearkin.maps.kernel import KernelLike
from nearkin.solvers.base import SolverLike


class NCA(GradientLearner):
    """Neighbourhood components analysis: minimise the expected error of a soft nearest neighbour.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimensions of the learned space; None keeps all.
    objective : {"error", "log"}, default="error"
        The expected error, or minus the log-likelihood of the right classes, which gives more weight to
        rows far from their own class.
    init : {"auto", "identity", "pca", "lda", "random"} or array, default="auto"
        Where the optimisation starts. "auto" is LDA if there are enough classes for the components, PCA if
        dimensions are dropped, else the identity; on features divided by their typical spread, so that the
        unit of the data does not matter. An array is used as it is.
    kernel : None, {"rbf", "polynomial", "linear"}, callable or KernelMap, default=None
        Learn in the feature space of a kernel instead of the input space.
    solver : {"lbfgs", "cg", "gd"} or Solver, default="lbfgs"
    max_iter : int, default=100
    tol : float, default=1e-5
        Stop when a step gains less than this share of the objective (or of 1, if that is larger).
    early_stopping : bool or "auto", default=False
        Take only as many steps as lower the loss of unseen rows, found by fitting halves of the samples
        first; "auto" does so below 1,000 samples. A warm start ignores it.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance. "auto" takes what works best on unseen rows, found by
        fitting halves of the samples (from labels, below 5,000 samples, and only if all dimensions are
        kept); 0 is the published method.
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
        Final mean probability that a soft neighbour belongs to another class (or minus log-likelihood).
    history_ : ndarray
        The objective at the start and after each step.
    n_iter_ : int
    classes_ : ndarray

    Notes
    -----
    Each evaluation costs one product of n^2 e / 2 multiply-adds once neighbourhoods are narrow, and up to
    3 n^2 e before that and with ``objective="log"``. Memory is a few blocks of rows and the pairs that
    matter, never n x n.

    References
    ----------
    J. Goldberger, G. Hinton, S. Roweis, R. Salakhutdinov (2005). Neighbourhood Components Analysis.
    NIPS 17.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> nca = NCA(n_components=2, random_state=0).fit(X, y)
    >>> nca.transform(X).shape, nca.objective_ < 0.03
    ((150, 2), True)
    """

    summary = "Linear map that makes soft nearest neighbours agree (NCA)."
    cost = "n²·e/2 to 3·n²·e per step"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        objective: Literal["error", "log"] = "error",
        init: Start = "auto",
        kernel: KernelLike | None = None,
        solver: SolverLike = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-5,
        early_stopping: bool | Auto = False,
        euclid_share: float | Auto = "auto",
        n_init: int = 1,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(solver, max_iter, tol, n_init, warm_start, verbose, random_state)
        self.n_components = n_components
        self.objective = objective
        self.init = init
        self.kernel = kernel
        self.early_stopping = early_stopping
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"n_components": component_choices(n_samples, n_features)}

    def _loss(self):
        check_choice(("error", "log"), objective=self.objective)
        return NCALoss() if self.objective == "error" else LogNCALoss()
