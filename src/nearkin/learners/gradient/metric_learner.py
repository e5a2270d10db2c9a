"""A metric learner composed of any map, loss and solver."""

from __future__ import annotations

from typing import Self

from nearkin._types import ColumnLike, MatrixLike, RandomState
from nearkin.learners.gradient.constrained import ConstrainedGradientLearner
from nearkin.losses import Loss, NCALoss
from nearkin.maps import LinearMap
from nearkin.maps.base import Map
from nearkin.solvers.base import SolverLike


class MetricLearner(ConstrainedGradientLearner):
    """Any map, loss and solver; from labels, or from pairs or triplets if the loss accepts them.

    Parameters
    ----------
    map : Map or None, default=None
        None is ``LinearMap()``.
    loss : Loss or None, default=None
        None is ``NCALoss()``.
    solver : {"lbfgs", "cg", "gd"} or Solver, default="lbfgs"
    max_iter, tol, n_init, warm_start, verbose, random_state
        As for `NCA`.

    Attributes
    ----------
    distance_, objective_, history_, n_iter_, classes_
        As for `NCA`; `components_` if the map is linear.

    Notes
    -----
    Cost: that of the loss and the map in each evaluation, as their own pages say.

    Examples
    --------
    Large margins and soft neighbours together, with one weight per feature:

    >>> from sklearn.datasets import load_iris
    >>> from nearkin.losses import LargeMarginLoss, NCALoss, TotalLoss
    >>> from nearkin.maps import DiagonalMap
    >>> X, y = load_iris(return_X_y=True)
    >>> both = TotalLoss([(0.5, LargeMarginLoss()), (0.5, NCALoss())])
    >>> MetricLearner(DiagonalMap(), both).fit(X, y).components_.shape
    (4, 4)

    From pairs known to belong together or not:

    >>> from nearkin.losses.pair_logistic import PairLogisticLoss
    >>> pairs, similar = [[0, 1], [0, 60], [60, 61], [61, 140]], [True, False, True, False]
    >>> learner = MetricLearner(DiagonalMap(), PairLogisticLoss(), max_iter=20, tol=1e-2)
    >>> near, far = learner.fit(X, pairs=pairs, similar=similar).pair_distances(X, [[0, 2], [0, 90]])
    >>> bool(10 * near < far)
    True
    """

    summary = "Any map, any loss, any solver."
    cost = "its loss's"
    ready = False
    supervision = ("labels", "pairs", "triplets")

    def __init__(
        self,
        map: Map | None = None,
        loss: Loss | None = None,
        solver: SolverLike = "lbfgs",
        *,
        max_iter: int = 100,
        tol: float = 1e-5,
        n_init: int = 1,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(solver, max_iter, tol, n_init, warm_start, verbose, random_state)
        self.map = map
        self.loss = loss

    def _map(self):
        return LinearMap() if self.map is None else self.map

    def _loss(self):
        return NCALoss() if self.loss is None else self.loss

    def fit(
        self,
        X: MatrixLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        pairs: MatrixLike | None = None,
        similar: ColumnLike | None = None,
        triplets: MatrixLike | None = None,
        constraint_weight: ColumnLike | None = None,
    ) -> Self:
        """Learn the map from labels, from pairs or from triplets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Labels; not with `pairs` or `triplets`.
        sample_weight : array-like of shape (n_samples,), optional
            With labels: weight of each sample's part of the objective.
        pairs : array-like of int of shape (n_pairs, 2), optional
            Row numbers of X, for losses of pairs such as `PairLogisticLoss`.
        similar : array-like of shape (n_pairs,), optional
            Whether the rows of each pair belong together: booleans, 0/1 or -1/+1.
        triplets : array-like of int of shape (n_triplets, 3), optional
            Row numbers (anchor, near, far), for losses of triplets such as `TripletHingeLoss`.
        constraint_weight : array-like, optional
            One weight for each pair or triplet.

        Returns
        -------
        self
        """
        return self._fit_from(
            X, y, sample_weight, constraint_weight, pairs=pairs, similar=similar, triplets=triplets
        )
