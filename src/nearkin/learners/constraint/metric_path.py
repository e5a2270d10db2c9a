"""Metrics for every setting on a path over neighbourhood sizes and nu, each warm-started from the last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nearkin.learners.constraint.feature_scaling import FeatureScaling
from nearkin.learners.constraint.pair_differences import SquaredDifferences
from nearkin.numerics.margin_dual import MarginSolution, solve_margin_dual
from nearkin.supervision.triplets import Triplets


@dataclass(frozen=True)
class Candidate:
    """One learned metric with the settings that gave it."""

    n_neighbors: int
    nu: float
    solution: MarginSolution

    @property
    def contradictory(self) -> bool:
        return not self.solution.weights.any()

    def embedding(self) -> FeatureScaling:
        return FeatureScaling.from_weights(self.solution.weights)


def diagonal_path(
    X, triplets: Triplets, neighbourhoods, nus, *, tol: float, max_iter: int
) -> Iterator[Candidate]:
    """Diagonal metrics for each neighbourhood size (ascending) and nu (descending).

    The lowest share of the margins only gets worse as nu falls, so that once the triplets
    contradict each other they do so for every smaller nu; those are left out.
    """
    squares = SquaredDifferences(X, *triplets.pairs())
    for n_neighbors in sorted(neighbourhoods):
        part = triplets.within(n_neighbors)
        if len(part) == 0:
            continue
        pairs = squares.first(part.n_pairs)
        start = None
        for nu in sorted(nus, reverse=True):
            solution = solve_margin_dual(
                pairs, part.near, part.far, nu, start=start, tol=tol, max_iter=max_iter
            )
            start = solution.dual
            candidate = Candidate(n_neighbors, nu, solution)
            yield candidate
            if candidate.contradictory:
                break
