"""Metrics for a path of settings, over neighbourhood sizes and nu, each warm-started from the last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from nearkin.distances import AffineEmbedding
from nearkin.distances.embeddings import ScaledEmbedding
from nearkin.learners.constraint.neighbour_differences import SquaredDifferences
from nearkin.learners.constraint.path_settings import Setting
from nearkin.numerics.margin_dual import MarginSolution, solve_margin_dual
from nearkin.numerics.psd_margin import PsdSolution, solve_psd_margin
from nearkin.numerics.threads import blas_threads
from nearkin.supervision.triplets import Triplets

# Mixtures of a full and a diagonal metric are not made for more features than this.
LARGEST_MIXTURE = 1500


@dataclass(frozen=True)
class Candidate:
    """A learned metric and its settings; the embedding is None if the triplets contradict each other."""

    n_neighbors: int
    nu: float
    shrinkage: float
    solution: MarginSolution | PsdSolution
    embedding: ScaledEmbedding | AffineEmbedding | None
    euclid_share: float = 0.0

    @property
    def setting(self) -> Setting:
        return Setting(self.n_neighbors, self.nu, self.shrinkage, self.euclid_share)


def diagonal_path(
    X, triplets: Triplets, neighbourhoods, nus, *, euclid_shares=(0.0,), **stopping
) -> Iterator[Candidate]:
    """Diagonal metrics for each neighbourhood size (ascending) and nu (descending), with shares of Euclid.

    `stopping` is the `tol` and `max_iter` of the solver. The lowest share of the margins gets worse as nu
    falls, so once the triplets contradict each other they do so for every smaller nu, which is skipped.
    """
    squares = SquaredDifferences(X, *triplets.pairs())
    for n_neighbors in sorted(neighbourhoods):
        part = triplets.within(n_neighbors)
        if len(part) == 0:
            continue
        pairs = squares.first(part.n_pairs)
        start = None
        for nu in sorted(nus, reverse=True):
            with blas_threads(part.n_pairs * X.shape[1]):
                solution = solve_margin_dual(pairs, part.near, part.far, nu, start=start, **stopping)
            start = solution.dual
            if not solution.weights.any():
                yield Candidate(n_neighbors, nu, 1.0, solution, None)
                break
            for share in euclid_shares:
                scaling = ScaledEmbedding.from_weights(with_euclid(solution.weights, share))
                yield Candidate(n_neighbors, nu, 1.0, solution, scaling, share)


def with_euclid(weights: np.ndarray, share: float) -> np.ndarray:
    """Weights mixed with a share of equal weights, which are Euclid's; their sum does not change.

    >>> with_euclid(np.array([4.0, 0.0]), 0.5)
    array([3., 1.])
    """
    return (1 - share) * weights + share * weights.mean() if share else weights


def full_path(
    X,
    triplets: Triplets,
    neighbourhoods,
    nus,
    *,
    shrinkages,
    rank: int | None,
    euclid_shares=(0.0,),
    largest: int = 3000,
    **stopping,
) -> Iterator[Candidate]:
    """Full metrics for each neighbourhood size and nu, shrunk towards the diagonal one by each shrinkage.

    Each of these is combined with every share of Euclid. Every step decomposes a matrix of the size of the
    features or the rows, whichever are fewer; raises if that is more than `largest`.
    """
    basis, coordinates = _row_space(X, largest)
    diagonal = {}
    if max(shrinkages) > 0:
        found = diagonal_path(X, triplets, neighbourhoods, nus, **stopping)
        diagonal = {
            (c.n_neighbors, c.nu): c.embedding for c in found if isinstance(c.embedding, ScaledEmbedding)
        }
    for n_neighbors in sorted(neighbourhoods):
        part = triplets.within(n_neighbors)
        if len(part) == 0:
            continue
        start = None
        for nu in sorted(nus, reverse=True):
            with blas_threads(coordinates.shape[0] * coordinates.shape[1] ** 2):
                solution = _solve_full(coordinates, part, nu, start, rank, stopping)
            start = solution.dual
            if not solution.factor.any():
                yield Candidate(n_neighbors, nu, 0.0, solution, None)
                break
            factor = solution.factor if basis is None else basis @ solution.factor
            scaling = diagonal.get((n_neighbors, nu))
            for shrinkage, share in product(shrinkages, euclid_shares):
                embedding = _mixture(factor, scaling, shrinkage, share)
                if embedding is not None:
                    yield Candidate(n_neighbors, nu, shrinkage, solution, embedding, share)


def _row_space(X, largest: int) -> tuple[np.ndarray | None, np.ndarray]:
    """Centred rows in coordinates of their span, and its basis (p x r) if they were rotated.

    The best matrix lies in the span of the training differences, and the Frobenius norm is invariant under
    rotations, so nothing is lost.
    """
    n, p = X.shape
    if min(n - 1, p) > largest:
        raise ValueError(
            f"metric='full' on {p} features is out of reach (the limit is {largest}): use "
            "metric='diagonal', or reduce the features first, for instance by PCA."
        )
    centred = X - X.mean(axis=0, dtype=np.float64)
    if p <= n - 1:
        return None, centred
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    return directions.T, centred @ directions.T


def _solve_full(coordinates, part: Triplets, nu: float, start, rank, stopping) -> PsdSolution:
    """The best matrix; with a rank, the best one on its leading eigenvectors."""
    solution = solve_psd_margin(
        coordinates, part.neighbours, part.near, part.far, nu, start=start, **stopping
    )
    if rank is None or solution.factor.shape[1] <= rank:
        return solution
    # Factors come with orthogonal columns, in ascending order of their eigenvalues.
    leading = solution.factor[:, -rank:]
    leading = leading / np.linalg.norm(leading, axis=0)
    within = solve_psd_margin(
        coordinates @ leading, part.neighbours, part.near, part.far, nu, start=solution.dual, **stopping
    )
    return PsdSolution(
        leading @ within.factor,
        solution.dual,
        within.objective,
        within.gap,
        solution.n_iter + within.n_iter,
        solution.converged and within.converged,
    )


def _mixture(factor: np.ndarray, scaling: ScaledEmbedding | None, shrinkage: float, share: float):
    """Embedding of (1 - shrinkage) full + shrinkage diagonal, mixed with a share of Euclid; all of trace 1.

    None if it cannot be made. The parts are stacked, so that their squared distances add up without a
    factorisation.
    """
    if shrinkage > 0 and scaling is None:
        return None
    if shrinkage == 1 and scaling is not None:
        return scaling if share == 0 else ScaledEmbedding.from_weights(with_euclid(scaling.weights, share))
    if shrinkage == share == 0:
        return AffineEmbedding(np.ascontiguousarray(factor.T))
    p = factor.shape[0]
    if p > LARGEST_MIXTURE:
        return None
    parts = [np.sqrt((1 - share) * (1 - shrinkage) / np.sum(factor**2)) * factor.T]
    if shrinkage > 0 and scaling is not None:
        parts.append(np.sqrt((1 - share) * shrinkage / np.sum(scaling.scales**2)) * scaling.matrix)
    if share > 0:
        parts.append(np.sqrt(share / p) * np.eye(p))
    return AffineEmbedding(np.concatenate(parts))
