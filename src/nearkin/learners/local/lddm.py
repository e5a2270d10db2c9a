"""LDDM: focal rows, each with its own projection, combined by voting."""

from __future__ import annotations

from itertools import pairwise
from typing import Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from nearkin._types import Auto, ColumnLike, MatrixLike, RandomState
from nearkin.distances.embeddings import CentredEmbedding
from nearkin.distances.per_prototype import PerPrototypeDistance
from nearkin.learners.base import Learner
from nearkin.learners.euclid_vote import EuclidVote
from nearkin.learners.settings import check_count, check_number
from nearkin.numerics.blocks import blocks
from nearkin.numerics.local_directions import discriminant_directions
from nearkin.numerics.neighbours import other_class_neighbours, same_class_neighbours
from nearkin.numerics.products import squared_distances, squared_norms
from nearkin.numerics.selection import smallest_per_row
from nearkin.numerics.threads import blas_threads, one_blas_thread
from nearkin.rows_in_blocks import by_blocks

# Up to this many rows "auto" makes every row focal.
MOST_FOCAL_ROWS = 2000


class LDDM(EuclidVote, ClassifierMixin, Learner):
    """Local discriminative distance metrics: each focal row has its own projection of its neighbourhood.

    The projection of a focal row has the directions in which its near rows of other classes are far and those
    of its own class are close. The focal rows nearest to a query vote for the class of the query's nearest
    training row in their own projections; nearer focal rows have more weight.

    Reimplemented from the abstract of Mu, Ding and Tao and descriptions by others, without access to the full
    text: the numbers of neighbours, the choice of the directions and the weights of the votes may differ.

    Parameters
    ----------
    n_targets : int, default=10
        Nearest rows of its own class that should be close to a focal row; fewer in smaller classes.
    n_impostors : int, default=10
        Nearest rows of other classes that should be far from it.
    compactness : float, default=1.0
        Weight of being close relative to being far: directions are the eigenvectors of positive eigenvalue
        of S - compactness C, the mean outer products of the differences to impostors and to targets.
    n_voters : int, default=7
        Focal rows that vote on a query.
    n_focal : "auto", int or None, default="auto"
        Number of focal rows, divided among the classes: the rows nearest to the k-means centres of each.
        None takes all rows, "auto" at most 2,000.
    random_state : int, RandomState or None
        For k-means, if not all rows are focal.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of a prediction given to the votes of the three nearest training rows under plain Euclid. "auto"
        takes what works best on unseen rows, found by fitting halves of the samples (below 5,000 samples); 0
        is the published method.

    Attributes
    ----------
    focal_rows_ : ndarray of shape (P,)
        Which training rows are focal.
    directions_ : ndarray of shape (P, r, d)
        Orthonormal directions of each focal row, padded with zeros if there are fewer than r.
    distance_ : PerPrototypeDistance
        The focal rows as prototypes with their directions as metrics. Other references, as inside
        `KNNClassifier`, each have the metric of one focal row; only `predict` combines several.
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    objective_ : float
        Mean over the focal rows of the sum of their positive eigenvalues.
    classes_, n_features_in_, n_iter_
        As for every learner.

    Notes
    -----
    A fit costs n^2 d for the neighbours and P min(d, k)^2 (d + k) for k of them and P focal rows; the model
    keeps the training rows and P r d numbers, r at most n_impostors. A batch of m queries costs m P d, then
    n d r for each focal row that votes and n_voters n r for each query.

    References
    ----------
    Mu, Ding, Tao (2013). Local discriminative distance metrics ensemble learning. Pattern Recognition
    46(8), 2337-2349.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from nearkin.learners.local.lddm import LDDM
    >>> X, y = load_wine(return_X_y=True)
    >>> X = scale(X)
    >>> bool(LDDM().fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9)
    True
    """

    summary = "Focal rows with their own projections, combined by voting; after Mu, Ding, Tao."
    cost = "n²·d + P·d·K², once"

    distance_: PerPrototypeDistance

    def __init__(
        self,
        n_targets: int = 10,
        n_impostors: int = 10,
        compactness: float = 1.0,
        n_voters: int = 7,
        *,
        n_focal: int | Auto | None = "auto",
        random_state: RandomState = None,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.n_targets = n_targets
        self.n_impostors = n_impostors
        self.compactness = compactness
        self.n_voters = n_voters
        self.n_focal = n_focal
        self.random_state = random_state
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"compactness": [0.3, 1.0], "n_voters": [7, 15]}

    @one_blas_thread
    def fit(self, X: MatrixLike, y: ColumnLike) -> Self:
        """Find the directions of every focal row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels, at least two different ones.
        """
        X, codes = self._validate_labelled(X, y, min_classes=2)
        self._check_settings()
        origin = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
        embedding = CentredEmbedding(np.ones_like(origin), origin)
        self._rows = embedding(X)
        self._codes = codes
        self.focal_rows_ = self._choose_focal(codes)
        others = other_class_neighbours(self._rows, codes, min(self.n_impostors, len(X) - 1))
        own = same_class_neighbours(self._rows, codes, min(self.n_targets, len(X) - 1))
        focal = self.focal_rows_
        U = self._rows.astype(np.float64, copy=False)
        directions, gains = discriminant_directions(
            U, focal, own[focal], others[focal], float(self.compactness)
        )
        self.directions_ = directions.astype(X.dtype, copy=False)
        self.objective_ = float(gains.mean())
        self.n_iter_ = 1
        self.distance_ = PerPrototypeDistance(embedding, self._rows[focal], self.directions_, X[focal])
        self._keep_euclid(X, codes)
        return self

    def _check_settings(self) -> None:
        check_count(n_targets=self.n_targets, n_impostors=self.n_impostors, n_voters=self.n_voters)
        check_count(words=("auto", None), n_focal=self.n_focal)
        check_number(compactness=self.compactness)

    def _choose_focal(self, codes: np.ndarray) -> np.ndarray:
        n = len(codes)
        wanted = n if self.n_focal is None else MOST_FOCAL_ROWS if self.n_focal == "auto" else self.n_focal
        if wanted >= n:
            return np.arange(n)
        rng = check_random_state(self.random_state)
        chosen = []
        for c in range(len(self.classes_)):
            members = np.flatnonzero(codes == c)
            count = max(1, round(wanted * len(members) / n))
            rows = self._rows[members]
            centres = KMeans(count, n_init=1, max_iter=20, random_state=rng).fit(rows).cluster_centers_
            nearest = squared_distances(centres.astype(rows.dtype, copy=False), rows).argmin(axis=1)
            chosen.append(members[np.unique(nearest)])
        return np.sort(np.concatenate(chosen))

    @by_blocks
    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Share of the weighted votes of each class, in the order of `classes_`."""
        return self._shared_proba(self._validate_new(X))

    def _own_proba(self, X) -> np.ndarray:
        U = self.distance_.embedding(X)
        votes = np.zeros((len(U), len(self.classes_)), dtype=U.dtype)
        with blas_threads(len(self._rows) * self.directions_[0].size):
            for part in blocks(len(U), len(self._rows)):
                self._vote(U[part], votes[part])
        return votes / votes.sum(axis=1, keepdims=True)

    @by_blocks
    def predict(self, X: MatrixLike) -> np.ndarray:
        """The class of the largest sum of votes; the first among equals."""
        P = self.predict_proba(X)
        return self.classes_[P.argmax(axis=1)]

    def _vote(self, U: np.ndarray, votes: np.ndarray) -> None:
        """Add the votes of the focal rows nearest to each row of U to `votes`."""
        voters = min(self.n_voters, len(self.focal_rows_))
        squared, asked = smallest_per_row(squared_distances(U, self._rows[self.focal_rows_]), voters)
        mean = squared.mean(axis=1, keepdims=True)
        weights = np.exp(np.divide(squared, -2 * mean, out=np.zeros_like(squared), where=mean > 0))
        # Grouped by focal row, so that each projects the training rows only once.
        by_voter = np.argsort(asked, axis=None, kind="stable")
        edges = np.flatnonzero(np.diff(asked.ravel()[by_voter], prepend=-1, append=len(self.focal_rows_)))
        for start, stop in pairwise(edges):
            places = by_voter[start:stop]
            queries = places // voters
            classes = self._nearest_classes(U[queries], asked.flat[places[0]])
            votes[queries, classes] += weights.flat[places]

    def _nearest_classes(self, U: np.ndarray, focal: int) -> np.ndarray:
        """Class of the nearest training row in one focal row's projection."""
        directions = self.directions_[focal]
        directions = directions[directions.any(axis=1)].astype(U.dtype, copy=False)
        rows = self._rows.astype(U.dtype, copy=False)
        R = rows @ directions.T
        # The squared length of a query does not change which row is nearest.
        scores = (U @ directions.T) @ R.T
        scores -= squared_norms(R) / 2
        return self._codes[scores.argmax(axis=1)]
