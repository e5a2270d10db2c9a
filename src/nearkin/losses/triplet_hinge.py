"""Hinge loss of triplets: the near row should be nearer than the far one by a margin."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from nearkin._types import Auto
from nearkin.losses.base import Loss
from nearkin.losses.scale import check_scale, usual_scale
from nearkin.numerics.pair_list import ListedPairs
from nearkin.supervision.constraints import TripletList
from nearkin.supervision.label_triplets import nearest_triplets


@dataclass(frozen=True)
class TripletHingeState:
    """The near pairs of all triplets, then the far ones; weights of the triplets sum to one."""

    pairs: ListedPairs
    weights: np.ndarray
    margin: float


class TripletHingeLoss(Loss):
    """Mean over triplets of [1 + (D(anchor, near) - D(anchor, far)) / margin]_+, D squared distances.

    Parameters
    ----------
    margin : float or "auto", default="auto"
        How much farther the far row should be; "auto" is the mean squared distance of the pairs of all
        triplets at the start, so that the unit of the features does not matter.
    n_targets : int, default=3
        If labels are given: near rows of each row, the nearest of its class in the input space.
    n_impostors : int, default=10
        If labels are given: far rows of each row, the nearest of other classes.

    Notes
    -----
    2 T e multiply-adds per evaluation of T triplets, twice that for the gradient.

    References
    ----------
    M. Schultz, T. Joachims (2003). Learning a distance metric from relative comparisons. NIPS 16.

    Examples
    --------
    >>> from nearkin.supervision.constraints import TripletList
    >>> Z = np.array([[0.0], [1.0], [2.0]])
    >>> loss = TripletHingeLoss(margin=4.0)
    >>> loss.value_and_grad(Z, loss.prepare(Z, TripletList.checked([[0, 1, 2]], n_samples=3)))[0]
    0.25
    """

    supervision = ("labels", "triplets")

    def __init__(self, margin: float | Auto = "auto", n_targets: int = 3, n_impostors: int = 10) -> None:
        self.margin = margin
        self.n_targets = n_targets
        self.n_impostors = n_impostors

    def prepare(
        self,
        X: np.ndarray,
        y: np.ndarray | TripletList,
        *,
        start: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
    ) -> TripletHingeState:
        check_scale("margin", self.margin)
        triplets = (
            y if isinstance(y, TripletList) else self._triplets_of_labels(X, np.asarray(y), sample_weight)
        )
        anchors = np.concatenate([triplets.anchor, triplets.anchor])
        pairs = ListedPairs(anchors, np.concatenate([triplets.near, triplets.far]), len(X))
        margin = self.margin
        if margin == "auto":
            margin = usual_scale(pairs.distances(X if start is None else start))
        return TripletHingeState(pairs, triplets.weight / triplets.weight.sum(), float(margin))

    def _triplets_of_labels(
        self, X: np.ndarray, codes: np.ndarray, sample_weight: np.ndarray | None
    ) -> TripletList:
        if not np.issubdtype(codes.dtype, np.integer):
            raise ValueError("the hinge loss of triplets needs triplets or classes, but y holds neither.")
        for name in ("n_targets", "n_impostors"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < 1:
                raise ValueError(f"{name}={value!r}: expected an integer of at least 1.")
        triplets = nearest_triplets(X, codes, self.n_targets, self.n_impostors)
        if sample_weight is None:
            return triplets
        # A sample weight applies to the triplets of which the row is the anchor.
        weight = np.asarray(sample_weight)[triplets.anchor]
        return TripletList(triplets.anchor, triplets.near, triplets.far, weight)

    def value_and_grad(self, Z: np.ndarray, state: Any, *, exact: bool = False) -> tuple[float, np.ndarray]:
        near, far = np.split(state.pairs.distances(Z), 2)
        hinges = 1 + (near - far) / state.margin
        slopes = np.where(hinges > 0, state.weights / state.margin, 0.0)
        value = float(state.weights @ np.maximum(hinges, 0))
        return value, state.pairs.gradient(Z, np.concatenate([slopes, -slopes]))
