"""Move-labeled and Move-query from sums over rows."""

from __future__ import annotations

from functools import partial
from operator import add
from typing import NamedTuple

import numpy as np

from nearkin.distances import AffineEmbedding
from nearkin.learners.closed_form.forms import REFERENCES, moving
from nearkin.numerics.ridge import solve_ridge
from nearkin.scale.shuffling import bucket_count
from nearkin.scale.source import Source
from nearkin.scale.statistics import Block, Candidates, ClassSums, PairMoments, WithinMoments, added_each
from nearkin.scale.targets import nearest_of_own_class

ALL = "all"


class Normal:
    """The regression that moves rows: normal matrix A, right-hand side B, and total sum of squares.

    Attributes
    ----------
    A, B : ndarray of shape (d, d)
        ``W.T = inv(A + alpha I) B``.
    wanted : float
    unit : float
        Mean eigenvalue of A, the natural scale of alpha.
    """

    def __init__(self, A: np.ndarray, B: np.ndarray, wanted: float):
        self.A, self.B, self.wanted = A, B, wanted
        self.unit = float(np.trace(A)) / len(A) or 1.0


def fit_move(learner, source: Source, first) -> None:
    """Solve from the pairs of all rows and their nearest candidates; settings are chosen on the sample."""
    learner._check_settings()
    if learner.n_targets == "auto" and len(first.sample.codes) == source.n:
        return _take_over(learner, first.settled(learner))
    learner._use_primal = True
    _, codes = np.unique(first.sample.codes, return_inverse=True)
    share = getattr(learner, "share", 1.0)
    relative, _ = learner._settle(first.sample.rows, codes, None, {}, share, average=False)
    n_targets, share = learner.n_targets_, learner.share_
    if first.shuffles:
        normal = normal_of_shuffled(source, first, n_targets, learner._moves)
    else:
        normal = normal_of_source(source, first.sums, first.candidates, n_targets, learner._moves)
    learner.alpha_ = float(learner.alpha) if relative is None else relative * normal.unit
    W = solve_ridge(normal.A, normal.B, learner.alpha_).T
    learner.objective_ = float(normal.wanted - np.vdot(normal.B, W.T)) / source.n
    learner.n_iter_ = 1
    if n_targets != ALL:
        learner.search_recall_ = 1.0
    matrix = share * W
    matrix.flat[:: len(W) + 1] += 1 - share
    mean = first.sums.mean.astype(source.dtype)
    matrix = np.ascontiguousarray(matrix, dtype=source.dtype)
    learner.distance_ = moving(AffineEmbedding(matrix, origin=mean, shift=mean), learner._moves)


def _take_over(learner, small) -> None:
    """The sample contains all rows, so the learner fitted to it in memory is the result."""
    for name, value in vars(small).items():
        if name == "_use_primal" or (name.endswith("_") and name not in vars(learner)):
            setattr(learner, name, value)


def normal_of_source(
    source: Source, sums: ClassSums, candidates: Candidates, n_targets, moves: str
) -> Normal:
    """The regression of all rows."""
    if n_targets == ALL:
        weights = _shares(sums.sizes)
        statistic = partial(_all_moments, means=sums.means, weights=weights)
        within, shared = source.total(statistic, added_each, "moments")
        return _normal_of_all(sums.between(_counted(sums.sizes)), within, shared)
    statistic = partial(_pair_moments, candidates=candidates, mean=sums.mean, k=n_targets)
    moments = source.total(statistic, add, "targets")
    theirs = moments.theirs(candidates, sums.mean)
    return _normal_of_pairs(_Moments(moments.own, moments.cross, theirs, moments.n_pairs), moves)


class _Moments(NamedTuple):
    """Second moments of rows and their targets, like `PairMoments` but without reference to candidates."""

    own: np.ndarray
    cross: np.ndarray
    theirs: np.ndarray
    n_pairs: int


def normal_of_shuffled(source: Source, first, n_targets, moves: str) -> Normal:
    """The regression of all rows if candidates or sums of all classes do not fit into memory."""
    rows_bytes = source.n * source.n_features * source.dtype.itemsize
    n_buckets = bucket_count(rows_bytes, first.bucket_bytes)
    if n_targets == ALL:
        return _normal_of_all(
            *source.total_by_class(
                partial(_bucket_of_all, mean=first.sums.mean), added_each, n_buckets, "moments"
            )
        )
    statistic = partial(_bucket_moments, mean=first.sums.mean, most=first.max_candidates, k=n_targets)
    return _normal_of_pairs(source.total_by_class(statistic, _add_moments, n_buckets, "targets"), moves)


def _normal_of_pairs(moments: _Moments, moves: str) -> Normal:
    own, cross, theirs, n_pairs = moments
    if n_pairs == 0:
        raise ValueError("no row has a target: too few candidates; raise max_candidates.")
    if moves == REFERENCES:
        return Normal(theirs, cross.T, float(np.trace(own)))
    return Normal(own, cross, float(np.trace(theirs)))


def _bucket_moments(block: Block, mean, most: int | None, k: int) -> _Moments:
    candidates = Candidates.of(block, most)
    moments = PairMoments.of(block, candidates, nearest_of_own_class(block, candidates, k), mean)
    return _Moments(moments.own, moments.cross, moments.theirs(candidates, mean), moments.n_pairs)


def _bucket_of_all(block: Block, mean):
    present, codes = np.unique(block.codes, return_inverse=True)
    block = Block(block.X, codes, 0)
    sums = ClassSums.of(block, len(present))
    moments = _all_moments(block, sums.means, _shares(sums.sizes))
    return sums.between(_counted(sums.sizes), mean), *moments


def _add_moments(a: _Moments, b: _Moments) -> _Moments:
    return _Moments(a.own + b.own, a.cross + b.cross, a.theirs + b.theirs, a.n_pairs + b.n_pairs)


def _pair_moments(block: Block, candidates: Candidates, mean, k: int) -> PairMoments:
    return PairMoments.of(block, candidates, nearest_of_own_class(block, candidates, k), mean)


def _shares(sizes: np.ndarray) -> np.ndarray:
    """Weight of each other row of a class, 1 / (n_c - 1); zero for a class of one row."""
    return np.where(sizes > 1, 1 / np.maximum(sizes - 1, 1), 0.0)


def _all_moments(block: Block, means, weights):
    ones = (weights > 0).astype(np.float64)
    return WithinMoments.of(block, means, ones), WithinMoments.of(block, means, weights)


def _counted(sizes: np.ndarray) -> np.ndarray:
    """Weight of each class: its number of rows, zero for classes of one row."""
    return np.where(sizes > 1, sizes, 0).astype(np.float64)


def _normal_of_all(between: np.ndarray, within: WithinMoments, shared: WithinMoments) -> Normal:
    """Every row paired with all others of its class, each class weighted by its number of rows.

    With z a row from the mean of all, and d from its class mean m: ``A = sum z z' = sum d d' + n_c m m'`` and
    ``B = sum over i != j of z_i z_j' / (n_c - 1) = n_c m m' - sum d d' / (n_c - 1)``; both are symmetric,
    so that it makes no difference which side moves.
    """
    A = within.scatter + between
    return Normal(A, between - shared.scatter, float(np.trace(A)))
