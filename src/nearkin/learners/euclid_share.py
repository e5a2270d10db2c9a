"""How much of plain Euclid a learned distance should keep, decided on rows that the learner has not seen.

A distance learned from few rows overfits. Blended with plain Euclid, D = (1 - s) D_learned + s c D_Euclid (c
gives both the same total variance), it cannot be much worse than Euclid, and s is small if the data support
learning. The learner is fitted to each half of the rows, and the other half is classified from it; the share
with the largest gain over Euclid is taken, after a deduction for chance.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Real

import numpy as np
from sklearn.base import clone

from nearkin.distances import EmbeddedDistance
from nearkin.distances.blended import BlendedDistance
from nearkin.distances.embeddings.blended import blended
from nearkin.learners.unseen_votes import right_votes
from nearkin.numerics.linear_metric import row_axes
from nearkin.numerics.products import squared_distances
from nearkin.numerics.selection import smallest_per_row

#: Rows from which the scale of a metric that varies from place to place is estimated.
ROWS_COMPARED = 300


@dataclass(frozen=True)
class SharePolicy:
    """How the share of Euclid is chosen.

    Attributes
    ----------
    shares : tuple of float
        Shares to try, from all learned to all Euclid. Finer steps, and 0.03 as another share, gave no better
        choice on 31 open data sets.
    neighbours : tuple of int
        Numbers of voting neighbours over which accuracy is averaged, as a single one is too noisy on few
        rows. On 31 sets (one 70/30 split) the choice by 1, 3, 5 and 9 neighbours gained more over Euclid than
        the choice by 3: LMCA 3.2 points instead of 2.9, NCA 3.9 instead of 3.7, MEGM 4.7 instead of 4.4.
    caution : float
        Standard errors that are deducted from the gain over Euclid, as it may be chance. Over 26 learners on
        18 open sets (one split) a deduction of 1 instead of 0 raised the mean gain from 2.7 to 2.8 points and
        made losses of more than 2.5 points rarer: 2.1 instead of 5.5 % of the cases.
    auto_below : int
        Number of samples from which "auto" is 0: many rows support learning, and fitting halves is expensive.
    smallest_half : int
        Rows that a half needs for a choice better than chance.
    rows_judged : int
        Small data are halved repeatedly until about this many rows have been classified ...
    most_halvings : int
        ... but at most this often.
    most_rows : int
        With more rows, a sample of this size is used.
    """

    shares: tuple[float, ...] = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
    neighbours: tuple[int, ...] = (1, 3, 5, 9)
    caution: float = 1.0
    auto_below: int = 5_000
    smallest_half: int = 10
    rows_judged: int = 800
    most_halvings: int = 3
    most_rows: int = 5_000


def check_euclid_share(share) -> None:
    """Raise unless the share of Euclid is valid."""
    if share == "auto" or (isinstance(share, Real) and 0 <= float(share) <= 1):
        return
    raise ValueError(f"euclid_share={share!r}: expected 'auto' or a number from 0 (all learned) to 1.")


def keep_euclid(learner, X: np.ndarray, y: np.ndarray | None) -> None:
    """Give a freshly fitted learner the share of plain Euclid that its `euclid_share` asks for.

    Parameters
    ----------
    learner : fitted learner with `euclid_share` and `distance_`
    X : ndarray of shape (n, d)
        The training rows.
    y : class codes, or real targets of shape (n,) or (n, T); None if it was learned from constraints
        Without targets nothing can be classified, and "auto" is 0.
    """
    check_euclid_share(learner.euclid_share)
    share = learner.euclid_share
    if share == "auto":
        share = 0.0
        if y is not None and not reduces(learner):
            share = chosen_share(learner, X, y, policy=learner.share_policy)
    blend_with_euclid(learner, X, float(share))


def reduces(learner) -> bool:
    """Whether the user asked for fewer dimensions, which a blend with all features would not have."""
    given = getattr(learner, "n_components", None)
    return (given is not None and not isinstance(given, str)) or not isinstance(
        getattr(learner, "init", ""), str
    )


def blend_with_euclid(learner, X: np.ndarray, share: float) -> None:
    """Replace the learner's `distance_` (and `components_`) by the blend with that share of Euclid."""
    learner.euclid_share_ = float(share)
    if share == 0:
        return
    distance = learner.distance_
    if not (isinstance(distance, EmbeddedDistance) and distance.queries is distance.references):
        rows = X[:: -(-len(X) // ROWS_COMPARED)]
        plain = float(squared_distances(rows, rows).mean())
        scale = plain and float(distance.pairwise(rows, rows).mean()) / plain
        learner.distance_ = BlendedDistance(distance, 1 - share, share * (scale or 1.0))
        return
    embedding = distance.queries
    scale = _variance(X) and _variance(embedding(X)) / _variance(X)
    # With fewer rows than features, Euclid outside their span adds the same to all distances of a query.
    axes = row_axes(X) if len(X) < X.shape[1] else None
    both = blended(embedding, np.sqrt(1 - share), np.sqrt(share * (scale or 1.0)), axes)
    learner.distance_ = EmbeddedDistance.symmetric(both)
    matrix = getattr(both, "matrix", None)
    if matrix is not None:
        learner.components_ = matrix
    if hasattr(learner, "n_components_"):
        learner.n_components_ = both(X[:1]).shape[1]


def chosen_share(
    learner, X: np.ndarray, y: np.ndarray, sample_weight=None, policy=None, settled=None
) -> float:
    """The share of Euclid that works best on unseen rows.

    Parameters
    ----------
    learner : unfitted learner with `euclid_share`
    X : ndarray of shape (n, d)
    y : class codes, or real targets of shape (n,) or (n, T)
    sample_weight : ndarray of shape (n,), optional
    policy : SharePolicy, optional
    settled : dict, optional
        Settings that have already been chosen and need not be chosen again for the halves.

    Notes
    -----
    Two fits of half the rows, each a quarter of the cost of a fit if that grows as n^2, and n^2 / 2
    distances under both metrics. Which rows are in which half does not depend on the learner's seed.
    """
    policy = SharePolicy() if policy is None else policy
    if policy.most_rows < len(y) < policy.auto_below:
        rows = np.sort(np.random.RandomState(0).permutation(len(y))[: policy.most_rows])
        X, y, sample_weight = X[rows], y[rows], None if sample_weight is None else sample_weight[rows]

    def gains(seen, unseen):
        weights = None if sample_weight is None else sample_weight[seen]
        fitted = fitted_half(learner, X[seen], y[seen], weights, settled)
        return None if fitted is None else _gains(fitted.distance_, X, y, seen, unseen, policy)

    return best_share(y, gains, policy)


def best_share(y: np.ndarray, gains_of, policy: SharePolicy) -> float:
    """The share with the largest gain over Euclid on unseen halves, after a deduction for chance.

    Parameters
    ----------
    y : class codes, or real targets of shape (n,) or (n, T)
    gains_of : callable
        From the rows seen and unseen to an array of unseen rows x shares: how much better each share predicts
        a row than Euclid does; None if nothing can be learned from the rows seen.
    policy : SharePolicy
    """
    n = len(y)
    if n >= policy.auto_below or n < 2 * policy.smallest_half:
        return 0.0
    rng = np.random.RandomState(0)
    gains = np.zeros((n, len(policy.shares)))
    for _ in range(int(np.clip(policy.rows_judged // n, 1, policy.most_halvings))):
        halves = halves_of(y, rng)
        for seen, unseen in (halves, halves[::-1]):
            found = gains_of(seen, unseen)
            if found is None:
                return 0.0
            gains[unseen] += found
    return share_of_largest_gain(gains, policy)


def share_of_largest_gain(gains: np.ndarray, policy: SharePolicy) -> float:
    """The share of the largest mean gain over Euclid, after a deduction for chance; `gains` is n x shares.

    >>> share_of_largest_gain(np.array([[1.0, 0.2], [-0.8, 0.2]]), SharePolicy(shares=(0.0, 0.5)))
    0.5
    """
    error = gains.std(axis=0) / np.sqrt(len(gains))
    return policy.shares[int(np.argmax(gains.mean(axis=0) - policy.caution * error))]


def halves_of(y: np.ndarray, rng) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two random halves in rising order; every class with at least two rows is in both.

    >>> y = np.array([0, 0, 0, 0, 1, 1])
    >>> [np.bincount(y[half]).tolist() for half in halves_of(y, np.random.RandomState(0))]
    [[2, 1], [2, 1]]
    """
    chance = rng.uniform(size=len(y))
    order = np.lexsort((chance, y)) if np.issubdtype(y.dtype, np.integer) else np.argsort(chance)
    return np.sort(order[::2]), np.sort(order[1::2])


def fitted_half(learner, X, y, weights=None, settled=None):
    """A clone fitted to some of the rows without any Euclid; None if they are too few for it."""
    half = clone(learner).set_params(euclid_share=0.0, **(settled or {}))
    if "verbose" in half.get_params():
        half.set_params(verbose=0)
    if hasattr(half, "set_callbacks"):
        half.set_callbacks()
    with warnings.catch_warnings():
        # The fit to all rows will warn if there is anything to warn about.
        warnings.simplefilter("ignore")
        try:
            return half.fit(X, y) if weights is None else half.fit(X, y, sample_weight=weights)
        except ValueError:
            # Settings that are valid for all rows may not be for half of them.
            return None


def _gains(distance, X, y, seen, unseen, policy: SharePolicy) -> np.ndarray:
    """How much better each share predicts the unseen rows from the seen ones than Euclid does."""
    learned = distance.pairwise(X[unseen], X[seen])
    plain = squared_distances(X[unseen], X[seen])
    learned *= (float(plain.mean()) or 1.0) / (float(learned.mean()) or 1.0)
    most = min(max(policy.neighbours), len(seen))
    found = []
    for share in (*policy.shares, 1.0):
        nearest = smallest_per_row((1 - share) * learned + share * plain, most)[1]
        found.append(_rightness(y[seen][nearest], y[unseen], policy.neighbours))
    served = np.array(found).T
    return served[:, :-1] - served[:, -1:]


def _rightness(neighbours: np.ndarray, truth: np.ndarray, counts) -> np.ndarray:
    """Correct votes, or minus the squared error of averages, of each row over numbers of neighbours."""
    if np.issubdtype(truth.dtype, np.integer):
        return right_votes(neighbours, truth, counts).mean(axis=0)
    errors = [
        np.square(neighbours[:, :k].mean(axis=1) - truth).reshape(len(truth), -1).sum(1) for k in counts
    ]
    return -np.mean(errors, axis=0)


def _variance(Z: np.ndarray) -> float:
    return float(Z.var(axis=0, dtype=np.float64).sum())
