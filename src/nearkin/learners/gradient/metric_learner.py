"""Compositions of one's own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import validate_data

from nearkin.learners.gradient.base import GradientLearner
from nearkin.learners.weak_supervision import _checked as checked_constraints
from nearkin.learners.weak_supervision import only_supervision
from nearkin.losses import NCALoss
from nearkin.maps import LinearMap


@dataclass(frozen=True)
class _Constraints:
    """Constraints as the user gave them, on their way to be checked against the rows."""

    kind: str
    value: object
    similar: object
    weight: object


class MetricLearner(GradientLearner):
    """Any map, any loss, any solver; from labels, or from pairs or triplets where the loss takes them.

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

    From pairs known to belong together or not:

    >>> from nearkin.losses.pair_logistic import PairLogisticLoss
    >>> pairs, similar = [[0, 1], [0, 60], [60, 61], [61, 140]], [True, False, True, False]
    >>> learner = MetricLearner(DiagonalMap(), PairLogisticLoss(), max_iter=20, tol=1e-2)
    >>> learner.fit(X, pairs=pairs, similar=similar).pair_distances(X, [[0, 2], [0, 90]]).round()
    array([ 1., 19.])
    """

    supervision = ("labels", "pairs", "triplets")
    _frames_to_caller = 4

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

    def fit(
        self,
        X,
        y=None,
        sample_weight=None,
        *,
        pairs=None,
        similar=None,
        triplets=None,
        constraint_weight=None,
    ):
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
        given = {"pairs": pairs, "similar": similar, "triplets": triplets}
        named = only_supervision(type(self).__name__, y, constraint_weight, given)
        for kind, value in named.items():
            self._check_loss_takes(kind)
            if sample_weight is not None:
                raise ValueError(f"sample_weight belongs to y; weigh {kind} by constraint_weight.")
            y = _Constraints(kind, value, similar, constraint_weight)
        return super().fit(X, y, sample_weight)

    def _check_loss_takes(self, kind: str) -> None:
        loss = self._loss()
        if kind not in getattr(loss, "supervision", ("labels",)):
            raise ValueError(
                f"{type(loss).__name__} does not learn from {kind}; choose a loss that does, such as "
                f"{'PairLogisticLoss' if kind == 'pairs' else 'TripletHingeLoss'}."
            )

    def _checked(self, X, y, sample_weight):
        if not isinstance(y, _Constraints):
            return super()._checked(X, y, sample_weight)
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        self.__dict__.pop("classes_", None)
        return X, checked_constraints(y.kind, y.value, y.similar, y.weight, len(X)), None
