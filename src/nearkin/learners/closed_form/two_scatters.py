"""Learners that only use two matrices: the scatters of similar and of dissimilar pairs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nearkin._types import Auto
from nearkin.learners.closed_form.direction_choice import (
    WeightedDirections,
    held_out_accuracies,
    held_out_orders,
    middle_of_best,
)
from nearkin.learners.settings import refuse_lone_rows
from nearkin.learners.weak_supervision import PairLearner
from nearkin.numerics.linear_metric import Span, ridged
from nearkin.numerics.pair_scatter import class_scatters, pair_scatter
from nearkin.supervision.constraints import Pairs
from nearkin.supervision.label_pairs import all_pairs, nearest_pairs


class Scatters(NamedTuple):
    """Mean of v v' over the differences v of similar pairs, and over those of dissimilar pairs."""

    similar: np.ndarray
    dissimilar: np.ndarray


class TwoScatterLearner(PairLearner):
    """Computes scatters of pairs and chooses among candidates that share one decomposition of them.

    A subclass turns scatters into directions, and each candidate setting into weights of these.
    """

    n_neighbors: int
    shrinkage: float | Auto

    @abstractmethod
    def _candidates(self, n_directions: int) -> tuple[np.ndarray, object]:
        """Settings to choose from (only one if it is given), and the default if they cannot be compared."""

    @abstractmethod
    def _directions(self, scatters: Scatters) -> tuple[np.ndarray, np.ndarray]:
        """A value for each direction, and the directions as rows."""

    @abstractmethod
    def _weights(self, values: np.ndarray, setting) -> np.ndarray:
        """Weight of the square of each direction under a setting."""

    @abstractmethod
    def _finished(self, values: np.ndarray, axes: np.ndarray, setting) -> np.ndarray:
        """The map L for a setting; sets `objective_` and the attribute of the setting."""

    @abstractmethod
    def _setting(self):
        """The setting of the fitted map, as `_finished` takes it."""

    def _share(self) -> float:
        """How far the scatters are shrunk towards a multiple of the identity."""
        return float(self.shrinkage)

    def _near_pairs(self) -> tuple[int, int] | None:
        """Near rows of its own class and of others that each row is paired with; None for all pairs."""
        return self.n_neighbors, self.n_neighbors

    def _constraints_of_labels(self, X, codes) -> Pairs:
        near = self._near_pairs()
        return all_pairs(codes) if near is None else nearest_pairs(X, codes, *near)

    def _learn_from_labels(self, X, codes):
        refuse_lone_rows(self, codes)
        span = Span.of_varying(X)
        if self._near_pairs() is None:

            def scatters_of(kept):
                return scatters_of_classes(span.rows[kept], codes[kept])
        else:
            pairs = self._constraints_of_labels(span.rows, codes)

            def scatters_of(kept):
                return scatters_of_pairs(span.rows, pairs.among(kept))

        scatters = scatters_of(np.ones(len(codes), dtype=bool))

        def judge(fit):
            return held_out_accuracies(span.rows, codes, lambda kept: fit(scatters_of(kept)))

        return self._chosen(span, scatters, judge)

    def _learn(self, X, constraints: Pairs):
        span = Span.of_varying(X)
        if not constraints.similar.any():
            raise ValueError(
                f"{type(self).__name__} needs similar pairs, but all pairs are marked as dissimilar."
            )

        def scatters_of(pairs):
            return scatters_of_pairs(span.rows, pairs)

        scatters = scatters_of(constraints)
        if scatters is None:
            # No pair is known to be dissimilar, so all pairs of rows take their place.
            similar = pair_scatter(span.rows, constraints.left, constraints.right, constraints.weight)
            spread = 2 * span.rows.T @ span.rows / (len(span.rows) - 1)
            scatters = Scatters(similar / constraints.weight.sum(), spread)

        def judge(fit):
            return held_out_orders(span.rows, constraints, lambda pairs: fit(scatters_of(pairs)))

        return self._chosen(span, scatters, judge)

    def _chosen(self, span: Span, scatters: Scatters, judge: Callable) -> np.ndarray:
        """The map of the best candidate; sets `validation_scores_`, a score for each candidate tried."""
        candidates, setting = self._candidates(span.rows.shape[1])
        self.validation_scores_ = None
        if len(candidates) > 1:
            scores = judge(lambda scatters: self._weighted(scatters, candidates))
            if scores is not None:
                setting = candidates[middle_of_best(scores)]
                self.validation_scores_ = dict(zip(candidates.tolist(), scores.tolist()))
        values, axes = self._directions(self._shrunk(scatters))
        self.n_iter_ = 1
        return span.lifted(self._finished(values, axes, setting))

    def _weighted(self, scatters: Scatters | None, candidates) -> WeightedDirections | None:
        if scatters is None:
            return None
        try:
            values, axes = self._directions(self._shrunk(scatters))
        except np.linalg.LinAlgError:
            # Without shrinkage, the scatter of some of the rows may be singular.
            return None
        return WeightedDirections(axes, np.array([self._weights(values, setting) for setting in candidates]))

    def _shrunk(self, scatters: Scatters) -> Scatters:
        return Scatters(*(ridged(scatter, self._share()) for scatter in scatters))


def scatters_of_pairs(rows: np.ndarray, pairs: Pairs) -> Scatters | None:
    """Mean scatters of the pairs; None unless there are some of either kind."""
    if pairs.similar.all() or not pairs.similar.any():
        return None
    similar, dissimilar = (
        pair_scatter(rows, kind.left, kind.right, kind.weight) / kind.weight.sum() for kind in pairs.split()
    )
    return Scatters(similar, dissimilar)


def scatters_of_classes(rows: np.ndarray, codes: np.ndarray) -> Scatters | None:
    """Mean scatters of all pairs of rows; None unless there are some of either kind."""
    sizes = np.bincount(codes)
    if sizes.max() < 2 or np.count_nonzero(sizes) < 2:
        return None
    return Scatters(*class_scatters(rows, codes))
