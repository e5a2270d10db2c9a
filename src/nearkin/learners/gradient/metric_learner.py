"""Compositions of one's own."""

from __future__ import annotations

from nearkin.learners.gradient.base import GradientLearner
from nearkin.losses import NCALoss
from nearkin.maps import LinearMap


class MetricLearner(GradientLearner):
    """Any map, any loss, any solver.

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
        As for `NCA`; `components_` where the map is linear.

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
    """

    summary = "Any map, any loss, any solver."
    cost = "its loss's"
    ready = False

    def __init__(
        self,
        map=None,
        loss=None,
        solver="lbfgs",
        *,
        max_iter=100,
        tol=1e-5,
        n_init=1,
        warm_start=False,
        verbose=0,
        random_state=None,
    ):
        self.map = map
        self.loss = loss
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state

    def _map(self):
        return LinearMap() if self.map is None else self.map

    def _loss(self):
        return NCALoss() if self.loss is None else self.loss
