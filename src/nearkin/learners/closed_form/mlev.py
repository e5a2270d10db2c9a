"""Differences of scatters, maximised by orthonormal directions: MLEV, and ANMM as its local view."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Literal, Self

import numpy as np

from nearkin._types import Auto, ColumnLike, MatrixLike
from nearkin.distances import AffineEmbedding, EmbeddedDistance
from nearkin.learners.base import EmbeddingLearner
from nearkin.learners.closed_form.alpha import held_out_rows
from nearkin.learners.closed_form.direction_choice import (
    WeightedDirections,
    counts_to_try,
    held_out_accuracies,
    last_as_good,
)
from nearkin.learners.closed_form.two_scatters import Scatters, scatters_of_classes, scatters_of_pairs
from nearkin.learners.euclid_share import keep_euclid
from nearkin.learners.settings import check_choice, check_count, check_number, refuse_lone_rows
from nearkin.numerics.linear_metric import Span, fixed_signs
from nearkin.numerics.threads import one_blas_thread
from nearkin.rows_in_blocks import block_work, in_blocks
from nearkin.supervision.label_pairs import nearest_pairs

LARGEST_BALANCE = 1e6

#: Scatters of the rows of a mask; None if these have pairs of one kind only.
ScattersOfSome = Callable[[np.ndarray], Scatters | None]


class _ScatterDifference(EmbeddingLearner):
    """The orthonormal rows L with the largest ``tr(L (D - balance S) L')``."""

    n_components: object
    euclid_share: object

    def _near_pairs(self) -> tuple[int, int] | None:
        """Near rows of its own class and of others that each row is compared with; None for all pairs."""
        raise NotImplementedError

    def _scatters(self, rows: np.ndarray, codes: np.ndarray) -> ScattersOfSome:
        near = self._near_pairs()
        if near is None:
            return lambda kept: scatters_of_classes(rows[kept], codes[kept])
        pairs = nearest_pairs(rows, codes, *near)
        return lambda kept: scatters_of_pairs(rows, pairs.among(kept))

    def _check_settings(self, n_features: int) -> None:
        check_count(words=("auto", "positive", None), most=n_features, n_components=self.n_components)

    @one_blas_thread
    def fit(self, X: MatrixLike, y: ColumnLike) -> Self:
        """Learn from labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or rows in blocks
            Rows opened by `nearkin.open_rows`, or a Dask array or data frame.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        if in_blocks(X):
            return block_work().fit(self, X, y)
        X, codes = self._validate_labelled(X, y, min_classes=2)
        self._check_settings(X.shape[1])
        refuse_lone_rows(self, codes)
        span = Span.of_varying(X)
        scatters_of = self._scatters(span.rows, codes)
        scatters = scatters_of(np.ones(len(X), dtype=bool))
        assert scatters is not None  # there are two classes, one of them of two rows
        self.validation_scores_: dict[int, float] | None = None
        kept = self._best_count(span.rows, codes, scatters_of) if self.n_components == "auto" else None
        self._solve(span, scatters, X.dtype, kept)
        keep_euclid(self, X, codes)
        return self

    def _solve(self, span: Span, scatters: Scatters, dtype, kept: int | None = None):
        """Set the fitted attributes from scatters in the coordinates of the span."""
        values, axes = self._directions(scatters)
        kept = self._count(values) if kept is None else kept
        self.eigenvalues_ = values[:kept]
        self.objective_ = float(self.eigenvalues_.sum())
        self.n_iter_ = 1
        self.components_ = np.ascontiguousarray(span.lifted(axes[:kept]), dtype=dtype)
        self.distance_ = EmbeddedDistance.symmetric(AffineEmbedding(self.components_))
        return self

    def _balance(self) -> float:
        return 1.0

    def _directions(self, scatters: Scatters) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues, largest first, and eigenvectors as rows."""
        values, vectors = np.linalg.eigh(scatters.dissimilar - self._balance() * scatters.similar)
        return values[::-1], fixed_signs(vectors[:, ::-1].T)

    def _best_count(self, rows: np.ndarray, codes: np.ndarray, scatters_of: ScattersOfSome) -> int:
        """The best number of directions for nearest neighbours; sets a score for each number tried."""
        counts = counts_to_try(rows.shape[1])
        weights = (np.arange(rows.shape[1]) < counts[:, None]).astype(float)

        def fit(kept):
            scatters = scatters_of(kept)
            return None if scatters is None else WeightedDirections(self._directions(scatters)[1], weights)

        scores = held_out_accuracies(rows, codes, fit)
        if scores is None:
            return int(counts[-1])
        self.validation_scores_ = dict(zip(counts.tolist(), scores.tolist()))
        return int(counts[last_as_good(scores, sum(len(rows) for rows in held_out_rows(codes)))])

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
                f"{type(self).__name__}: in no direction do dissimilar pairs vary more than similar ones; "
                "only the best one is kept. Set n_components, or a smaller balance.",
                stacklevel=3,
            )
        return max(positive, 1)


class MLEV(_ScatterDifference):
    """Metric learning via eigenvectors, after Li, Tian (2017): keep the directions that separate classes.

    Orthonormal directions in which dissimilar pairs vary more than similar ones: eigenvectors of
    ``D - balance S`` with the largest eigenvalues, S and D being the mean scatters of similar and of
    dissimilar pairs.

    Parameters
    ----------
    view : {"global", "local"}, default="global"
        Which pairs count: all of them, or each row with its nearest of either kind.
    balance : float, default=1.0
        Weight of the scatter of similar pairs relative to that of dissimilar ones.
    n_neighbors : int, default=5
        Neighbours of either kind for each row, in the local view.
    n_components : "auto", "positive", int or None, default="auto"
        Directions kept: the largest number that is as good as the best for nearest neighbours of held-out
        rows, within a standard error; those of positive eigenvalues; this many; or all (which is Euclid).
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, largest eigenvalues first. With more features than rows there are at most as
        many as the rows span; constant features have no weight.
    distance_ : EmbeddedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    eigenvalues_ : ndarray of shape (n_components,)
    validation_scores_ : dict or None
        Accuracy on held-out rows with each number of directions that "auto" tried.
    objective_ : float
        Mean squared distance of dissimilar pairs minus `balance` times that of similar ones: the sum of
        the eigenvalues.
    classes_, n_features_in_, n_iter_
        As for every learner.

    Notes
    -----
    Reimplemented from the description in the abstract and in later papers, without access to the full text:
    the two normalisations, and `balance`, are our interpretation.

    Orthonormal directions can be dropped but not scaled, so standardise the features first.

    Cost: n d^2 for the scatters and d^3 for the eigenvectors; the local view adds a blocked search for
    neighbours, n^2 d. "auto" repeats all but the search for up to five folds, and searches for the neighbours
    of at most about 2,000 held-out rows among at most 10,000.

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
    (178, 10)
    """

    summary = "Orthonormal directions in which dissimilar pairs vary most; closed form, after Li, Tian."
    cost = "n·d² + d³, once"

    def __init__(
        self,
        view: Literal["global", "local"] = "global",
        balance: float = 1.0,
        n_neighbors: int = 5,
        n_components: int | Literal["auto", "positive"] | None = "auto",
        *,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.view = view
        self.balance = balance
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"view": ["global", "local"], "balance": [0.5, 1.0]}

    def _check_settings(self, n_features):
        super()._check_settings(n_features)
        check_choice(("global", "local"), view=self.view)
        check_number(high=LARGEST_BALANCE, balance=self.balance)
        check_count(n_neighbors=self.n_neighbors)

    def _balance(self):
        return float(self.balance)

    def _near_pairs(self):
        return None if self.view == "global" else (self.n_neighbors, self.n_neighbors)


class ANMM(_ScatterDifference):
    """Average neighbourhood margin maximisation: near enemies far, near friends close, by orthonormal rows.

    `MLEV` in its local view, with more friends than enemies.

    Parameters
    ----------
    n_friends : int, default=3
        Nearest rows of its own class that each row should stay close to.
    n_enemies : int, default=1
        Nearest rows of other classes that each row should be far from.
    n_components : "auto", "positive", int or None, default="auto"
        Directions kept: the largest number that is as good as the best for nearest neighbours of held-out
        rows, within a standard error; those of positive eigenvalues; this many; or all (which is Euclid).
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, largest eigenvalues first. With more features than rows there are at most as
        many as the rows span; constant features have no weight.
    distance_ : EmbeddedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    eigenvalues_ : ndarray of shape (n_components,)
    validation_scores_ : dict or None
        Accuracy on held-out rows with each number of directions that "auto" tried.
    objective_ : float
        The average margin: mean squared distance to enemies minus that to friends.
    classes_, n_features_in_, n_iter_
        As for every learner.

    Notes
    -----
    Cost: a blocked search for neighbours (n^2 d), n d^2 for the scatters, d^3 for the eigenvectors. "auto" as
    for `MLEV`.

    References
    ----------
    Wang, Zhang (2007). Feature extraction by maximizing the average neighborhood margin. CVPR.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin.learners.closed_form.mlev import ANMM
    >>> X, y = load_iris(return_X_y=True)
    >>> ANMM(n_components=2).fit(X, y).components_.shape
    (2, 4)
    """

    summary = "Orthonormal directions with near enemies far and near friends close; closed form."
    cost = "n²·d + n·d² + d³, once"

    def __init__(
        self,
        n_friends: int = 3,
        n_enemies: int = 1,
        n_components: int | Literal["auto", "positive"] | None = "auto",
        *,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.n_friends = n_friends
        self.n_enemies = n_enemies
        self.n_components = n_components
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"n_friends": [3, 10], "n_enemies": [1, 5]}

    def _check_settings(self, n_features):
        super()._check_settings(n_features)
        check_count(n_friends=self.n_friends, n_enemies=self.n_enemies)

    def _near_pairs(self):
        return self.n_friends, self.n_enemies
