"""How much of plain Euclid a learned distance should keep, judged by rows that the learner has not seen.

A distance learned from few rows fits their accidents. Blended with plain Euclid, D = (1 - s) D_learned +
s c D_Euclid (c brings both to the same total variance), it cannot fall far below Euclid, and where the
data bear learning s is small. Two halves of the rows teach the learner in turn; the share that classifies
each half best from the other half is taken for all rows.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Real

import numpy as np
from sklearn.base import clone

from nearkin.distances import EmbeddedDistance
from nearkin.distances.embeddings.blended import blended
from nearkin.learners.unseen_votes import right_votes
from nearkin.numerics.products import squared_distances
from nearkin.numerics.selection import smallest_per_row


@dataclass(frozen=True)
class SharePolicy:
    """How the share of Euclid is judged.

    Attributes
    ----------
    shares : tuple of float
        Shares tried, from all learned to all Euclid. Finer steps and 0.03 more gave no better choice on
        31 open data sets.
    neighbours : tuple of int
        Numbers of voting neighbours over which accuracy is averaged: one alone is too noisy on few rows
        (mean gain over Euclid of the choice by 3 or by 1, 3, 5 and 9 neighbours: LMCA 2.9 and 3.2 points,
        NCA 3.7 and 3.9, MEGM 4.4 and 4.7; 31 sets, one split of 70/30).
    auto_below : int
        Samples from which on "auto" keeps none of Euclid: so many rows bear learning, and halves are dear.
    smallest_half : int
        Rows below which a half judges by chance.
    rows_judged : int
        Small data is halved again until about so many rows have been judged, ...
    most_halvings : int
        ... but not more often than this.
    """

    shares: tuple[float, ...] = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
    neighbours: tuple[int, ...] = (1, 3, 5, 9)
    auto_below: int = 5_000
    smallest_half: int = 10
    rows_judged: int = 800
    most_halvings: int = 3


def check_share(share) -> None:
    """Raise where a share of Euclid cannot be meant."""
    if share == "auto" or (isinstance(share, Real) and 0 <= float(share) <= 1):
        return
    raise ValueError(f"euclid_share={share!r}: expected 'auto' or a number from 0 (all learned) to 1.")


def blend_with_euclid(learner, X: np.ndarray, share: float) -> None:
    """Replace the learner's `distance_` (and `components_`) by the blend with that share of Euclid."""
    learner.euclid_share_ = float(share)
    if share == 0:
        return
    embedding = learner.distance_.queries
    scale = _variance(X) and _variance(embedding(X)) / _variance(X)
    both = blended(embedding, np.sqrt(1 - share), np.sqrt(share * (scale or 1.0)))
    learner.distance_ = EmbeddedDistance.symmetric(both)
    matrix = getattr(both, "matrix", None)
    if matrix is not None:
        learner.components_ = matrix
    learner.n_components_ = both(X[:1]).shape[1]


def chosen_share(
    learner, X: np.ndarray, y: np.ndarray, sample_weight=None, policy=None, settled=None
) -> float:
    """The share of Euclid that serves unseen rows best.

    Parameters
    ----------
    learner : unfitted learner of a symmetric embedding, with `euclid_share`
    X : ndarray of shape (n, d)
    y : class codes, or real targets of shape (n,) or (n, T)
    sample_weight : ndarray of shape (n,), optional
    policy : SharePolicy, optional
    settled : dict, optional
        Settings that have been chosen already, and need not be chosen again for parts of the rows.

    Notes
    -----
    Two fits of half the rows, a quarter of the cost of a fit each where that grows as n^2, and n^2 / 2
    distances under both metrics. Which rows are in which half does not depend on the learner's seed.
    """
    policy = SharePolicy() if policy is None else policy
    n = len(X)
    if n >= policy.auto_below or n < 2 * policy.smallest_half:
        return 0.0
    rng = np.random.RandomState(0)
    scores = np.zeros(len(policy.shares))
    for _ in range(int(np.clip(policy.rows_judged // n, 1, policy.most_halvings))):
        halves = _halves(y, rng)
        for seen, unseen in (halves, halves[::-1]):
            fitted = _fitted_half(
                learner, X[seen], y[seen], None if sample_weight is None else sample_weight[seen], settled
            )
            if fitted is None:
                return 0.0
            scores += _scores(fitted.distance_, X, y, seen, unseen, policy)
    return policy.shares[int(np.argmax(scores))]


def _halves(y: np.ndarray, rng) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two random halves, every class of two rows at least in both."""
    chance = rng.uniform(size=len(y))
    order = np.lexsort((chance, y)) if np.issubdtype(y.dtype, np.integer) else np.argsort(chance)
    return np.sort(order[::2]), np.sort(order[1::2])


def _fitted_half(learner, X, y, weights, settled):
    half = clone(learner).set_params(euclid_share=0.0, **(settled or {}))
    if "verbose" in half.get_params():
        half.set_params(verbose=0)
    with warnings.catch_warnings():
        # The fit of all rows says what there is to say.
        warnings.simplefilter("ignore")
        try:
            return half.fit(X, y) if weights is None else half.fit(X, y, sample_weight=weights)
        except ValueError:
            # Half of the rows may be too few for the settings that all of them allow.
            return None


def _scores(distance, X, y, seen, unseen, policy: SharePolicy) -> np.ndarray:
    """How well the unseen rows are predicted from the seen ones, for each share."""
    learned = squared_distances(distance.embed_queries(X[unseen]), distance.embed_references(X[seen]))
    plain = squared_distances(X[unseen], X[seen])
    learned *= (_variance(X[seen]) or 1.0) / (_variance(distance.embed_references(X[seen])) or 1.0)
    most = min(max(policy.neighbours), len(seen))
    found = []
    for share in policy.shares:
        nearest = smallest_per_row((1 - share) * learned + share * plain, most)[1]
        found.append(_agreement(y[seen][nearest], y[unseen], policy.neighbours))
    return np.array(found)


def _agreement(neighbours: np.ndarray, truth: np.ndarray, counts) -> float:
    """Right votes, or minus the squared error of averages, summed over rows and numbers of neighbours."""
    if not np.issubdtype(truth.dtype, np.integer):
        return -sum(float(((neighbours[:, :k].mean(axis=1) - truth) ** 2).sum()) for k in counts)
    return float(right_votes(neighbours, truth, counts).sum())


def _variance(Z: np.ndarray) -> float:
    return float(Z.var(axis=0, dtype=np.float64).sum())
