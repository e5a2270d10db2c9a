"""Logistic discriminant metric learning."""

from __future__ import annotations

from typing import Self

from nearkin._types import Auto, ColumnLike, MatrixLike, RandomState, Start
from nearkin.learners.gradient.constrained import ConstrainedGradientLearner
from nearkin.learners.gradient.grids import component_choices
from nearkin.losses.pair_logistic import PairLogisticLoss
from nearkin.maps.kernel import KernelLike
from nearkin.solvers.base import SolverLike


class LDML(ConstrainedGradientLearner):
    """Logistic discriminant metric learning: pairs separated by a threshold on their distance.

    Minimises the log-loss of "these two belong together", whose log-odds fall with the squared learned
    distance and are zero at a threshold that is found along with the map. The natural learner for
    verification (inside `PairClassifier`); without pairs it derives them from labels.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimensions of the learned space; None keeps all.
    n_neighbors : int, default=3
        From labels: similar and dissimilar pairs of each row, with its nearest rows of either kind.
    temperature : float or "auto", default="auto"
        Squared distances are divided by this. It matters only for the start, as the map can scale itself;
        "auto" is the mean squared distance of the pairs at the start.
    init : {"auto", "identity", "pca", "lda", "random"} or array, default="auto"
        Where the optimisation starts, as for `NCA`; "lda" from labels only.
    kernel, solver, max_iter, tol, n_init, warm_start, verbose, random_state
        As for `NCA`.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    objective_ : float
        Final mean log-loss of the pairs.
    components_, distance_, euclid_share_, history_, n_iter_, classes_
        As for `NCA`; `classes_` if fitted from labels.

    Notes
    -----
    Each evaluation costs n d e multiply-adds for the map and 3 T e for T pairs; from labels T is
    2 n n_neighbors, found by one product of n^2 d. Convex in the metric for a given threshold.

    References
    ----------
    M. Guillaumin, J. Verbeek, C. Schmid (2009). Is that you? Metric learning approaches for face
    identification. ICCV.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = LDML(n_components=2).fit(X, pairs=[[0, 1], [0, 70], [70, 71]], similar=[True, False, True])
    >>> near, far = learner.pair_distances(X, [[2, 3], [2, 80]])
    >>> bool(near < far)
    True
    """

    summary = "Linear map under which a threshold separates similar from dissimilar pairs (LDML)."
    supervision = ("labels", "pairs")
    cost = "n·d·e + T·e per step, T pairs"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        n_neighbors: int = 3,
        temperature: float | Auto = "auto",
        init: Start = "auto",
        kernel: KernelLike | None = None,
        solver: SolverLike = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-5,
        n_init: int = 1,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: RandomState = None,
        euclid_share: float | Auto = "auto",
    ) -> None:
        super().__init__(solver, max_iter, tol, n_init, warm_start, verbose, random_state)
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.temperature = temperature
        self.init = init
        self.kernel = kernel
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"n_components": component_choices(n_samples, n_features)}

    def fit(
        self,
        X: MatrixLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        pairs: MatrixLike | None = None,
        similar: ColumnLike | None = None,
        constraint_weight: ColumnLike | None = None,
    ) -> Self:
        """Learn from labels, or from pairs of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Labels; not with `pairs`.
        sample_weight : array-like of shape (n_samples,), optional
            With labels: weight of each sample's pairs.
        pairs : array-like of int of shape (n_pairs, 2), optional
            Numbers of the rows of X that each pair joins.
        similar : array-like of shape (n_pairs,), optional
            Whether the rows of each pair belong together: booleans, 0/1 or -1/+1; both must occur.
        constraint_weight : array-like of shape (n_pairs,), optional

        Returns
        -------
        self
        """
        return self._fit_from(X, y, sample_weight, constraint_weight, pairs=pairs, similar=similar)

    def _loss(self):
        return PairLogisticLoss(self.temperature, self.n_neighbors)
