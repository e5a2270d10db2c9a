"""Logistic loss of pairs: similar ones should be nearer than a threshold, dissimilar ones farther away."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from scipy.special import expit

from nearkin._types import Auto
from nearkin.losses.base import Loss
from nearkin.losses.scale import check_scale, usual_scale
from nearkin.numerics.pair_list import ListedPairs
from nearkin.supervision.constraints import Pairs
from nearkin.supervision.label_pairs import nearest_pairs


@dataclass(frozen=True)
class PairLogisticState:
    """Pairs, +1 for those that should be near and -1 for the others, weights that sum to one."""

    pairs: ListedPairs
    signs: np.ndarray
    weights: np.ndarray
    temperature: float


class PairLogisticLoss(Loss):
    """Mean over pairs of log(1 + exp(s (D - b) / temperature)), s = +1 if they are similar, else -1.

    D is the squared distance of a pair. The threshold b is the best one for the current distances, found
    in every evaluation, so it is not a parameter. With a linear map this is LDML.

    Parameters
    ----------
    temperature : float or "auto", default="auto"
        "auto" is the mean squared distance of the pairs at the start, so that the unit of the features
        does not matter. The published LDML has 1.
    n_neighbors : int, default=3
        If labels are given: similar and dissimilar pairs of each row, with its nearest rows of either kind.

    Notes
    -----
    T e multiply-adds per evaluation, twice as many for the gradient, and about ten passes over the T
    distances for the threshold. The gradient treats b as constant: the loss has no slope in b at its best b.

    References
    ----------
    M. Guillaumin, J. Verbeek, C. Schmid (2009). Is that you? Metric learning approaches for face
    identification. ICCV.

    Examples
    --------
    >>> from nearkin.supervision.constraints import Pairs
    >>> Z = np.array([[0.0], [1.0], [9.0]])
    >>> pairs = Pairs.checked([[0, 1], [1, 2]], [True, False], n_samples=3)
    >>> loss = PairLogisticLoss(temperature=1.0)
    >>> loss.value_and_grad(Z, loss.prepare(Z, pairs))[0] < 1e-6
    True
    """

    supervision = ("labels", "pairs")

    def __init__(self, temperature: float | Auto = "auto", n_neighbors: int = 3) -> None:
        self.temperature = temperature
        self.n_neighbors = n_neighbors

    def prepare(
        self,
        X: np.ndarray,
        y: np.ndarray | Pairs,
        *,
        start: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
    ) -> PairLogisticState:
        check_scale("temperature", self.temperature)
        pairs = y if isinstance(y, Pairs) else self._pairs_of_labels(X, np.asarray(y), sample_weight)
        if pairs.similar.all() or not pairs.similar.any():
            kind = "similar" if pairs.similar.all() else "dissimilar"
            raise ValueError(
                f"all {len(pairs)} pairs are {kind}, so any threshold beyond them is right; give pairs of "
                "both kinds."
            )
        listed = ListedPairs(pairs.left, pairs.right, len(X))
        temperature = self.temperature
        if temperature == "auto":
            temperature = usual_scale(listed.distances(X if start is None else start))
        signs = np.where(pairs.similar, 1.0, -1.0)
        return PairLogisticState(listed, signs, pairs.weight / pairs.weight.sum(), float(temperature))

    def _pairs_of_labels(self, X: np.ndarray, codes: np.ndarray, sample_weight: np.ndarray | None) -> Pairs:
        if not np.issubdtype(codes.dtype, np.integer):
            raise ValueError("the logistic loss of pairs needs pairs or classes, but y holds neither.")
        if not isinstance(self.n_neighbors, Integral) or self.n_neighbors < 1:
            raise ValueError(f"n_neighbors={self.n_neighbors!r}: expected an integer of at least 1.")
        pairs = nearest_pairs(X, codes, int(self.n_neighbors), int(self.n_neighbors))
        if sample_weight is None:
            return pairs
        # A sample weight applies to the pairs in which the row comes first.
        return Pairs(pairs.left, pairs.right, pairs.similar, np.asarray(sample_weight)[pairs.left])

    def value_and_grad(self, Z: np.ndarray, state: Any, *, exact: bool = False) -> tuple[float, np.ndarray]:
        D = state.pairs.distances(Z) / state.temperature
        exponents = state.signs * (D - best_threshold(D, state.signs, state.weights))
        value = float(state.weights @ np.logaddexp(0, exponents))
        slopes = state.weights * state.signs * expit(exponents) / state.temperature
        return value, state.pairs.gradient(Z, slopes)


def best_threshold(values: np.ndarray, signs: np.ndarray, weights: np.ndarray) -> float:
    """The b that minimises the sum of weight * log(1 + exp(sign * (value - b))).

    Both signs must occur; then there is exactly one.

    Notes
    -----
    Newton's method on the derivative, which increases with b, with bisection if a step leaves the bracket.

    Examples
    --------
    >>> round(best_threshold(np.array([1.0, 5.0]), np.array([1.0, -1.0]), np.ones(2)), 9)
    3.0
    """
    near, far = weights[signs > 0].sum(), weights[signs < 0].sum()
    # This far beyond all values, one kind outweighs the other whatever their weights.
    beyond = abs(np.log(near / far)) + 1
    low, high = float(values.min()) - beyond, float(values.max()) + beyond
    b = 0.5 * (np.average(values[signs > 0]) + np.average(values[signs < 0]))
    # Halving a bracket 200 times exhausts float64.
    for _ in range(200):
        chances = expit(signs * (values - b))
        slope = -float(weights @ (signs * chances))
        if slope == 0:
            break
        low, high = (b, high) if slope < 0 else (low, b)
        curvature = float(weights @ (chances * (1 - chances)))
        step = -slope / curvature if curvature > 0 else np.inf
        following = b + step if low <= b + step <= high else 0.5 * (low + high)
        settled = abs(following - b) <= 1e-14 * max(1.0, abs(b))
        b = following
        if settled:
            break
    return float(b)
