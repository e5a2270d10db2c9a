"""Choosing among metrics with the same directions and different weights.

One decomposition gives directions; each candidate is a vector of weights for the squared differences
along them. This covers the points of a geodesic (GMML) and the number of directions to keep (DMLMJ), and it
makes candidates cheap: distances are sums over directions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_auc_score

from nearkin.learners.closed_form.alpha import held_out_rows
from nearkin.learners.unseen_votes import right_votes
from nearkin.numerics.products import row_distances
from nearkin.numerics.selection import smallest_per_row
from nearkin.supervision.constraints import Pairs


@dataclass(frozen=True)
class WeightedDirections:
    """Candidate metrics: ``sum_j weights[c, j] (axes[j] . (x - z))^2`` for candidate c.

    Attributes
    ----------
    axes : ndarray of shape (r, d)
    weights : ndarray of shape (n_candidates, r)
        Not negative.
    """

    axes: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True)
class ChoicePolicy:
    """How much a choice may cost.

    Attributes
    ----------
    neighbourhoods : tuple of int
        Sizes whose accuracies are averaged, as the k of later searches is not known here.
    most_references : int
        Rows among which neighbours of held-out rows are searched for, taken at regular intervals.
    scores_at_once : int
        Distances held at a time; few enough to stay in the cache from one candidate to the next.
    n_folds : int
        Folds of given pairs.
    most_pairs : int
        Held-out pairs that are scored in each fold.
    """

    neighbourhoods: tuple[int, ...] = (1, 5, 10)
    most_references: int = 10_000
    scores_at_once: int = 2**18
    n_folds: int = 5
    most_pairs: int = 20_000


DEFAULT_POLICY = ChoicePolicy()

#: How many numbers of directions are tried; if there are more, they are spaced geometrically.
MOST_COUNTS = 30


def counts_to_try(most: int) -> np.ndarray:
    """Numbers of directions from 1 to `most`, both included.

    >>> counts_to_try(4)
    array([1, 2, 3, 4])
    >>> len(counts_to_try(500)), counts_to_try(500)[-2:]
    (26, array([404, 500]))
    """
    if most <= MOST_COUNTS:
        return np.arange(1, most + 1)
    return np.unique(np.geomspace(1, most, MOST_COUNTS).round().astype(int))


def held_out_accuracies(
    rows: np.ndarray,
    codes: np.ndarray,
    fit: Callable[[np.ndarray], WeightedDirections | None],
    policy: ChoicePolicy = DEFAULT_POLICY,
) -> np.ndarray | None:
    """Accuracy of nearest neighbours on held-out rows, for each candidate; deterministic.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
    codes : integer array of shape (n,)
    fit : callable(kept) -> WeightedDirections or None
        Learns from the rows of a mask; None if they are too few. All folds must have the same candidates.

    Returns
    -------
    accuracies : ndarray of shape (n_candidates,), or None if no fold could be learned from
    """
    correct: list[np.ndarray] = []
    asked = 0
    for held_out in held_out_rows(codes):
        kept = np.ones(len(rows), dtype=bool)
        kept[held_out] = False
        directions = fit(kept) if len(held_out) else None
        if directions is None:
            continue
        references = np.flatnonzero(kept)
        if len(references) > policy.most_references:
            references = references[np.linspace(0, len(references) - 1, policy.most_references).astype(int)]
        R = (rows[references] @ directions.axes.T).astype(np.float32)
        at_once = max(1, policy.scores_at_once // len(R))
        for start in range(0, len(held_out), at_once):
            part = held_out[start : start + at_once]
            Q = (rows[part] @ directions.axes.T).astype(np.float32)
            found = _nearest(Q, R, directions.weights, max(policy.neighbourhoods))
            for_candidates = (codes[references][near] for near in found)
            accuracies = [
                right_votes(near, codes[part], policy.neighbourhoods).mean() for near in for_candidates
            ]
            correct.append(len(part) * np.array(accuracies))
        asked += len(held_out)
    return np.sum(correct, axis=0) / asked if asked else None


def _nearest(Q: np.ndarray, R: np.ndarray, weights: np.ndarray, k: int):
    """Numbers of the k nearest rows of R for each row of Q, candidate after candidate."""
    # The order of distances does not depend on their unit; with a largest weight of one, float32 suffices.
    weights = (weights / weights.max(axis=1, keepdims=True)).astype(np.float32)
    scores = np.zeros((len(Q), len(R)), dtype=np.float32)
    now = np.zeros(weights.shape[1], dtype=np.float32)
    for wanted in weights:
        # Only directions whose weight changes are added: candidates that each keep one more direction
        # than the last cost one pass over the directions in all.
        changed = np.flatnonzero(wanted != now)
        step = (wanted - now)[changed]
        r = R[:, changed]
        # Squared distance to r minus that of the query to the origin, which does not affect the order.
        terms = np.c_[Q[:, changed] * (-2 * step), np.ones(len(Q), dtype=np.float32)]
        scores += terms @ np.c_[r, r**2 @ step].T
        now = wanted
        yield smallest_per_row(scores, min(k, len(R)))[1]


def held_out_orders(
    rows: np.ndarray,
    pairs: Pairs,
    fit: Callable[[Pairs], WeightedDirections | None],
    policy: ChoicePolicy = DEFAULT_POLICY,
) -> np.ndarray | None:
    """How well each candidate ranks held-out similar pairs before dissimilar ones (area under the ROC curve).

    As `held_out_accuracies`, for pairs instead of labels; `fit` learns from some of the pairs. None if no
    fold has pairs of both kinds.
    """
    fold = np.empty(len(pairs), dtype=int)
    fold[np.argsort(pairs.similar, kind="stable")] = np.arange(len(pairs)) % policy.n_folds
    areas = []
    for number in range(policy.n_folds):
        asked = pairs.take(np.flatnonzero(fold == number)[: policy.most_pairs])
        if asked.similar.all() or not asked.similar.any():
            continue
        directions = fit(pairs.take(fold != number))
        if directions is not None:
            areas.append(_areas(rows, asked, directions))
    return np.mean(areas, axis=0) if areas else None


def _areas(rows: np.ndarray, pairs: Pairs, directions: WeightedDirections) -> list[float]:
    Y = rows @ directions.axes.T
    areas = []
    for weights in directions.weights:
        distances = row_distances(Y * np.sqrt(weights), Y * np.sqrt(weights), pairs.left, pairs.right)
        areas.append(roc_auc_score(pairs.similar, -distances, sample_weight=pairs.weight))
    return areas


def last_as_good(scores: np.ndarray, n_asked: int) -> int:
    """Number of the last candidate within a standard error of the best accuracy on `n_asked` rows.

    For candidates in order of similarity to Euclid: the one nearest to Euclid is taken, unless another is
    clearly better. On training rows of 11 sets without published numbers, MLEV with one neighbour has 87.3 %
    by this rule and 86.7 % with the best number (Euclid 84.2 %), and its largest loss to Euclid is 2.6
    instead of 3.6 points.

    >>> last_as_good(np.array([0.5, 0.9, 0.9, 0.85, 0.6]), 100)
    2
    >>> last_as_good(np.array([0.5, 0.9, 0.9, 0.85, 0.6]), 10)
    3
    """
    best = float(scores.max())
    error = np.sqrt(best * (1 - best) / n_asked)
    return int(np.flatnonzero(scores >= best - error - 1e-9)[-1])


def middle_of_best(scores: np.ndarray) -> int:
    """Number of the best candidate; the middle one of several equally good ones.

    >>> middle_of_best(np.array([0.5, 0.9, 0.9, 0.9, 0.1]))
    2
    """
    best = np.flatnonzero(scores >= scores.max() - 1e-9)
    return int(best[len(best) // 2])
