"""A share of Euclid for learners that predict themselves: their votes are mixed with those of neighbours."""

from __future__ import annotations

import numpy as np

from nearkin.learners.euclid_share import SharePolicy, best_share, check_euclid_share, fitted_half
from nearkin.numerics.blocks import blocks
from nearkin.numerics.products import squared_distances
from nearkin.numerics.selection import smallest_per_row

#: Neighbours under plain Euclid that vote.
EUCLID_VOTERS = 3


class EuclidVote:
    """Mixin of classifiers with `_own_proba` and `euclid_share`: nearest neighbours have a share of the vote.

    A learner that compares rows with prototypes, or takes a vote of many metrics, has no single distance to
    blend with Euclid. Instead probabilities are mixed: ``(1 - s) P_own + s P_Euclid``, where the latter are
    the votes of the three nearest training rows. The share is chosen as for distances; the training rows are
    kept only if it is above zero.
    """

    euclid_share: object
    euclid_share_: float
    share_policy: SharePolicy
    classes_: np.ndarray
    #: Training rows and codes that vote; None after a fit from blocks or with a share of zero.
    _voting: tuple[np.ndarray, np.ndarray] | None = None

    def _own_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities without Euclid's share, for checked rows."""
        raise NotImplementedError

    def _keep_euclid(self, X: np.ndarray, codes: np.ndarray, sample_weight=None) -> None:
        """Set the share that `euclid_share` asks for, and keep the rows that vote."""
        check_euclid_share(self.euclid_share)
        share = self.euclid_share
        if share == "auto":
            share = chosen_vote(self, X, codes, sample_weight, self.share_policy)
        self.euclid_share_ = float(share)  # type: ignore[arg-type]
        self._voting = (X, codes) if self.euclid_share_ else None

    def _shared_proba(self, X: np.ndarray) -> np.ndarray:
        """Class probabilities including Euclid's share."""
        own = self._own_proba(X)
        share = self.euclid_share_
        if self._voting is None:
            return own
        plain = euclid_votes(X, *self._voting, len(self.classes_))
        return ((1 - share) * own + share * plain).astype(own.dtype, copy=False)


def euclid_votes(X: np.ndarray, rows: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Shares of the votes of each row's nearest rows, m x C; ties go to the class with nearer voters.

    >>> votes = euclid_votes(np.array([[0.0]]), np.array([[1.0], [2.0], [9.0]]), np.array([1, 0, 0]), 2)
    >>> votes.round(2)
    array([[0.67, 0.33]])
    """
    k = min(EUCLID_VOTERS, len(rows))
    # Nearer voters count slightly more, enough to break ties only.
    weights = 1 - 1e-6 * np.arange(k)
    votes = np.zeros((len(X), n_classes))
    for part in blocks(len(X), len(rows)):
        nearest = codes[smallest_per_row(squared_distances(X[part], rows), k)[1]]
        for place in range(k):
            votes[part][np.arange(len(nearest)), nearest[:, place]] += weights[place]
    return votes / weights.sum()


def chosen_vote(learner, X, codes, sample_weight, policy: SharePolicy) -> float:
    """The share of Euclid in the vote that works best on unseen rows, found by fitting halves."""

    def gains(seen, unseen) -> np.ndarray | None:
        weights = None if sample_weight is None else sample_weight[seen]
        half = fitted_half(learner, X[seen], codes[seen], weights)
        if half is None:
            return None
        own = np.zeros((len(unseen), int(codes.max()) + 1))
        own[:, half.classes_] = half._own_proba(X[unseen])
        plain = euclid_votes(X[unseen], X[seen], codes[seen], own.shape[1])
        right = [
            ((1 - share) * own + share * plain).argmax(axis=1) == codes[unseen]
            for share in (*policy.shares, 1.0)
        ]
        return np.array(right[:-1], dtype=float).T - right[-1][:, None]

    return best_share(codes, gains, policy)
