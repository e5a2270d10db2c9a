"""The contract of every loss, and two optional ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np


class Loss(ABC):
    """A weighted mean over samples of how badly an embedding places them.

    A loss knows nothing about the map that made the embedding or the solver that improves it.
    Settings live on the object, which `prepare` and `value_and_grad` never modify; everything that
    depends on the data lives in the state.
    """

    #: What it learns from: "labels" (classes or real targets), "pairs" or "triplets" of rows.
    supervision: ClassVar[tuple[str, ...]] = ("labels",)

    @abstractmethod
    def prepare(
        self,
        X: np.ndarray,
        y: Any,
        *,
        start: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
    ) -> Any:
        """Everything that stays fixed during the optimisation.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            The input space, for losses that choose neighbours there.
        y : ndarray, Pairs or TripletList
            One of the kinds that `supervision` names. Labels are class codes 0..C-1 (integers) or real
            targets of shape (n,) or (n, T); a loss that cannot use one of the two raises a `ValueError`.
            Pairs and triplets are `Pairs` and `TripletList` of `supervision/constraints.py`: row numbers of
            X, with weights of their own.
        start : ndarray of shape (n, e), optional
            The embedding before the first step, for losses that take a scale from it; X by default.
        sample_weight : ndarray of shape (n,), optional
            Weight of each sample's part of the loss; all positive. None with pairs or triplets.
        """

    @abstractmethod
    def value_and_grad(self, Z: np.ndarray, state: Any, *, exact: bool = False) -> tuple[float, np.ndarray]:
        """Value at the embedding Z (n x e) and its gradient, of the shape and dtype of Z.

        With `exact` the value does not depend on earlier calls; without it, a loss may save work by reusing
        what earlier calls found. A loss that always computes everything ignores it. The state of a loss that
        reuses results may have two attributes: `inexact`, whether the last value relied on earlier calls (if
        not, it is not computed again), and `tolerance`, how far such values may be off, relative to the
        larger of the value and one. Without them an exact value is computed at the end of a fit, and it is
        expected to agree with the last one.
        """


@runtime_checkable
class Narrowable(Protocol):
    """A state that can be restricted to some rows for first steps; see `learners/gradient/minimising.py`."""

    def narrowed(self, rows: np.ndarray) -> Any:
        """The state of the same loss on some of the rows, with the scales of all rows."""

    def neighbours_per_row(self, Z: np.ndarray) -> float:
        """Approximate number of neighbours that matter to a row at Z; zero for losses without pairs."""


@runtime_checkable
class Scaling(Protocol):
    """A loss that knows how large an embedding should be, so that a learner can start at that size."""

    def best_scale(self, Z: np.ndarray, state: Any) -> float:
        """About the c > 0 for which the loss of c Z is least."""


def mean_weights(n: int, sample_weight: np.ndarray | None = None) -> np.ndarray:
    """Weights that sum to one.

    >>> mean_weights(2, np.array([1.0, 3.0]))
    array([0.25, 0.75])
    """
    if sample_weight is None:
        return np.full(n, 1 / n)
    return np.asarray(sample_weight, dtype=np.float64) / np.sum(sample_weight, dtype=np.float64)
