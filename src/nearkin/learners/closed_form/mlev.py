"""Differences of scatters, maximised by orthonormal directions: MLEV, and ANMM as its local view."""

from __future__ import annotations

import warnings

import numpy as np

from nearkin.distances import AffineEmbedding, EmbeddedDistance
from nearkin.learners.base import EmbeddingLearner
from nearkin.learners.closed_form.settings import check_count, check_n_components, check_number, check_word
from nearkin.learners.closed_form.two_scatters import Scatters, scatters_of_classes, scatters_of_pairs
from nearkin.numerics.linear_metric import Span, fixed_signs
from nearkin.supervision.label_pairs import nearest_pairs

LARGEST_BALANCE = 1e6


class _ScatterDifference(EmbeddingLearner):
    """The orthonormal rows L with the largest ``tr(L (D - balance S) L')``."""

    n_components: object

    def _scatters(self, rows: np.ndarray, codes: np.ndarray) -> Scatters | None:
        raise NotImplementedError

    def _check_settings(self, n_features: int) -> None:
        check_n_components(self.n_components, n_features, words=("positive", None))

    def fit(self, X, y):
        """Learn from labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        X, codes = self._validate_labelled(X, y, min_classes=2)
        self._check_settings(X.shape[1])
        span = Span.of_varying(X)
        scatters = self._scatters(span.rows, codes)
        if scatters is None:
            raise ValueError(
                f"{type(self).__name__} needs a class with at least two rows, but every class of y has one "
                "only; give more rows per class, or check that y holds labels and not identifiers."
            )
        return self._solve(span, scatters, X.dtype)

    def _solve(self, span: Span, scatters: Scatters, dtype):
        """Set the fitted attributes from scatters in the coordinates of the span."""
        values, vectors = np.linalg.eigh(scatters.dissimilar - self._balance() * scatters.similar)
        values, axes = values[::-1], fixed_signs(vectors[:, ::-1].T)
        kept = self._count(values)
        self.eigenvalues_ = values[:kept]
        self.objective_ = float(self.eigenvalues_.sum())
        self.n_iter_ = 1
        self.components_ = np.ascontiguousarray(span.lifted(axes[:kept]), dtype=dtype)
        self.distance_ = EmbeddedDistance.symmetric(AffineEmbedding(self.components_))
        return self

    def _balance(self) -> float:
        return 1.0

    def _count(self, values: np.ndarray) -> int:
        """How many of the directions to keep, given their eigenvalues, largest first."""
        if self.n_components is None:
            return len(values)
        if self.n_components != "positive":
            return min(int(self.n_components), len(values))  # type: ignore[call-overload]
        rounding = len(values) * np.finfo(np.float64).eps * np.abs(values).max()
        positive = int(np.count_nonzero(values > rounding))
        if positive == 0:
            warnings.warn(
                f"{type(self).__name__}: in no direction do dissimilar pairs spread more than similar ones; "
                "only the best one is kept. Set n_components, or a smaller balance.",
                stacklevel=3,
            )
        return max(positive, 1)


class MLEV(_ScatterDifference):
    """Metric learning via eigenvectors, after Li, Tian (2017): keep what sets classes apart, drop the rest.

    Orthonormal directions in which dissimilar pairs spread more than similar ones: eigenvectors of
    ``D - balance S`` with positive eigenvalues, S and D being the mean scatters of similar and of
    dissimilar pairs.

    Parameters
    ----------
    view : {"global", "local"}, default="global"
        Which pairs count: all of them, or each row with its nearest of either kind.
    balance : float, default=1.0
        How much the spread of similar pairs counts against that of dissimilar ones.
    n_neighbors : int, default=5
        Neighbours of either kind for each row, in the local view.
    n_components : "positive", int or None, default="positive"
        Directions kept: those of positive eigenvalues, so many, or all (which is Euclid).

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, largest eigenvalues first. With more features than rows there are at most as
        many as the rows span; constant features have no weight.
    distance_ : EmbeddedDistance
    eigenvalues_ : ndarray of shape (n_components,)
    objective_ : float
        Mean squared distance of dissimilar pairs less `balance` times that of similar ones: the sum of
        the eigenvalues.
    classes_, n_features_in_, n_iter_
        As everywhere.

    Notes
    -----
    Rebuilt from the description of the method in its abstract and in later papers, not from its text: the
    two normalisations, and `balance`, are our reading.

    Orthonormal directions can only drop, never stretch: standardise the features first.

    Cost: n d^2 for the scatters and d^3 for the eigenvectors; the local view adds a blocked search for
    neighbours, n^2 d.

    References
    ----------
    Li, Tian (2017). Global and local metric learning via eigenvectors. Knowledge-Based Systems 116.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from nearkin.learners.closed_form.mlev import MLEV
    >>> X, y = load_wine(return_X_y=True)
    >>> MLEV().fit_transform(scale(X), y).shape
    (178, 5)
    """

    summary = "Orthonormal directions in which dissimilar pairs spread more than similar ones; closed form."
    cost = "n·d² + d³, once"

    def __init__(self, view="global", balance=1.0, n_neighbors=5, n_components="positive"):
        self.view = view
        self.balance = balance
        self.n_neighbors = n_neighbors
        self.n_components = n_components

    @classmethod
    def tuning_grid(cls, n_samples, n_features, n_classes):
        return {"view": ["global", "local"], "balance": [0.5, 1.0, 2.0]}

    def _check_settings(self, n_features):
        super()._check_settings(n_features)
        check_word("view", self.view, ("global", "local"))
        check_number("balance", self.balance, 0, LARGEST_BALANCE)
        check_count("n_neighbors", self.n_neighbors)

    def _balance(self):
        return float(self.balance)

    def _scatters(self, rows, codes):
        if self.view == "global":
            return scatters_of_classes(rows, codes)
        return scatters_of_pairs(rows, nearest_pairs(rows, codes, self.n_neighbors, self.n_neighbors))


class ANMM(_ScatterDifference):
    """Average neighbourhood margin maximisation: near enemies far, near friends close, by orthonormal rows.

    `MLEV` in its local view, with more friends than enemies.

    Parameters
    ----------
    n_friends : int, default=3
        Nearest rows of its own class that each row is to stay close to.
    n_enemies : int, default=1
        Nearest rows of other classes that each row is to be far from.
    n_components : "positive", int or None, default="positive"
        Directions kept: those of positive eigenvalues, so many, or all (which is Euclid).

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, largest eigenvalues first. With more features than rows there are at most as
        many as the rows span; constant features have no weight.
    distance_ : EmbeddedDistance
    eigenvalues_ : ndarray of shape (n_components,)
    objective_ : float
        The average margin: mean squared distance to enemies less that to friends.
    classes_, n_features_in_, n_iter_
        As everywhere.

    Notes
    -----
    Cost: a blocked search for neighbours (n^2 d), n d^2 for the scatters, d^3 for the eigenvectors.

    References
    ----------
    Wang, Zhang (2007). Feature extraction by maximizing the average neighborhood margin. CVPR.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin.learners.closed_form.mlev import ANMM
    >>> X, y = load_iris(return_X_y=True)
    >>> ANMM().fit(X, y).components_.shape
    (4, 4)
    """

    summary = "Orthonormal directions with near enemies far and near friends close; closed form."
    cost = "n²·d + n·d² + d³, once"

    def __init__(self, n_friends=3, n_enemies=1, n_components="positive"):
        self.n_friends = n_friends
        self.n_enemies = n_enemies
        self.n_components = n_components

    @classmethod
    def tuning_grid(cls, n_samples, n_features, n_classes):
        return {"n_friends": [1, 3, 10], "n_enemies": [1, 5]}

    def _check_settings(self, n_features):
        super()._check_settings(n_features)
        check_count("n_friends", self.n_friends)
        check_count("n_enemies", self.n_enemies)

    def _scatters(self, rows, codes):
        return scatters_of_pairs(rows, nearest_pairs(rows, codes, self.n_friends, self.n_enemies))
