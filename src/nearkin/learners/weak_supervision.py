"""Learners from labels, or from constraints on pairs, triplets or quadruplets of rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from nearkin._types import ColumnLike, MatrixLike
from nearkin.distances import AffineEmbedding, EmbeddedDistance
from nearkin.learners.base import EmbeddingLearner
from nearkin.learners.euclid_share import check_euclid_share, keep_euclid
from nearkin.numerics.threads import one_blas_thread
from nearkin.rows_in_blocks import block_work, in_blocks
from nearkin.supervision.constraints import Pairs, Quadruplets, TripletList


class LinearMetricLearner(EmbeddingLearner):
    """A learner of one linear map, from labels or from constraints on rows.

    A subclass names the kinds of constraint it accepts in the keyword arguments of its `fit`, so that
    scikit-learn's metadata routing knows them, and passes them all to `_fit`. `_constraints_of_labels` turns
    labels into constraints, if possible without random draws.
    """

    supervision: ClassVar[tuple[str, ...]] = ("labels", "pairs")

    #: "auto" or a share of plain Euclid, if the learner offers it.
    euclid_share: object = 0.0

    @abstractmethod
    def _check_settings(self, n_features: int) -> None:
        """Raise if a setting is invalid."""

    @abstractmethod
    def _constraints_of_labels(self, X: np.ndarray, codes: np.ndarray):
        """The constraints that labels (codes 0..C-1, at least two classes) imply."""

    @abstractmethod
    def _learn(self, X: np.ndarray, constraints) -> np.ndarray:
        """The map L (n_components x d) learned from the constraints; sets `objective_` and `n_iter_`."""

    def _learn_from_labels(self, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """The map learned from labels; override if no list of constraints is needed."""
        return self._learn(X, self._constraints_of_labels(X, codes))

    def _rows(self, X: np.ndarray) -> np.ndarray:
        """The rows to learn from: those of X, unless a subclass lifts them."""
        return X

    def _keep(self, L: np.ndarray) -> None:
        """Set the fitted attributes of the map L of `_rows`."""
        self.components_ = L
        self.distance_ = EmbeddedDistance.symmetric(AffineEmbedding(L))

    def _rng(self) -> np.random.RandomState:
        """The generator for constraints; without a random_state it always draws the same ones."""
        seed = getattr(self, "random_state", None)
        return check_random_state(0 if seed is None else seed)

    @one_blas_thread
    def _fit(self, X, y, constraint_weight=None, **given):
        """Learn from y or from the kind of constraint that is given."""
        if in_blocks(X):
            return block_work().fit(self, X, y, constraint_weight=constraint_weight, **given)
        named = only_supervision(type(self).__name__, y, constraint_weight, given)
        if not named:
            X, codes = self._validate_labelled(X, y, min_classes=2)
            self._check_settings(X.shape[1])
            check_euclid_share(self.euclid_share)
            L = self._learn_from_labels(self._rows(X), codes)
        else:
            X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
            self._check_settings(X.shape[1])
            check_euclid_share(self.euclid_share)
            self.__dict__.pop("classes_", None)
            codes = None
            (kind, value), n = *named.items(), X.shape[0]
            L = self._learn(
                self._rows(X), checked_constraints(kind, value, given.get("similar"), constraint_weight, n)
            )
        self._keep(np.ascontiguousarray(L, dtype=X.dtype))
        keep_euclid(self, X, codes)
        return self


def only_supervision(name: str, y, constraint_weight, given: dict) -> dict:
    """The kind of constraint that is given, with its value; empty if labels are given.

    Raises unless there is exactly one kind of supervision.

    >>> only_supervision("ITML", None, None, {"pairs": [[0, 1]], "similar": None})
    {'pairs': [[0, 1]]}
    >>> only_supervision("ITML", [0, 1], None, {"pairs": [[0, 1]], "similar": None})
    Traceback (most recent call last):
    ...
    ValueError: ITML learns from one kind of supervision at a time, but got y and pairs.
    """
    named = {kind: value for kind, value in given.items() if kind != "similar" and value is not None}
    kinds = " or ".join(kind for kind in given if kind != "similar")
    if len(named) + (y is not None) > 1:
        both = " and ".join([*(["y"] if y is not None else []), *named])
        raise ValueError(f"{name} learns from one kind of supervision at a time, but got {both}.")
    if not named:
        if given.get("similar") is not None or constraint_weight is not None:
            raise ValueError(f"{name}: similar and constraint_weight belong to {kinds}, which are missing.")
        if y is None:
            raise ValueError(
                f"{name} requires y to be passed, but the target y is None; give labels, or {kinds}."
            )
    elif given.get("similar") is not None and "pairs" not in named:
        raise ValueError(f"{name}: similar belongs to pairs, but {', '.join(named)} were given.")
    return named


def checked_constraints(kind: str, value, similar, weight, n_samples: int):
    if kind == "pairs":
        return Pairs.checked(value, similar, n_samples=n_samples, weight=weight)
    if kind == "triplets":
        return TripletList.checked(value, n_samples=n_samples, weight=weight)
    return Quadruplets.checked(value, n_samples=n_samples, weight=weight)


class PairLearner(LinearMetricLearner):
    """A learner from labels or from pairs known to be similar or dissimilar."""

    def fit(
        self,
        X: MatrixLike,
        y: ColumnLike | None = None,
        *,
        pairs: MatrixLike | None = None,
        similar: ColumnLike | None = None,
        constraint_weight: ColumnLike | None = None,
    ) -> Self:
        """Learn from labels, or from pairs of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Labels; not with `pairs`.
        pairs : array-like of int of shape (n_pairs, 2), optional
            Numbers of the rows of X that each pair joins.
        similar : array-like of shape (n_pairs,), optional
            Whether the rows of each pair belong together: booleans, 0/1 or -1/+1. By default all do.
        constraint_weight : array-like of shape (n_pairs,), optional

        Returns
        -------
        self
        """
        return self._fit(X, y, constraint_weight, pairs=pairs, similar=similar)


class TripletLearner(LinearMetricLearner):
    """A learner from labels or from triplets (anchor, near, far)."""

    supervision = ("labels", "triplets")

    def fit(
        self,
        X: MatrixLike,
        y: ColumnLike | None = None,
        *,
        triplets: MatrixLike | None = None,
        constraint_weight: ColumnLike | None = None,
    ) -> Self:
        """Learn from labels, or from triplets of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Labels; not with `triplets`.
        triplets : array-like of int of shape (n_triplets, 3), optional
            Row numbers of X: the first should lie nearer to the second than to the third.
        constraint_weight : array-like of shape (n_triplets,), optional

        Returns
        -------
        self
        """
        return self._fit(X, y, constraint_weight, triplets=triplets)


class QuadrupletLearner(LinearMetricLearner):
    """A learner from labels, quadruplets (a, b, c, d) with d(a, b) < d(c, d), or triplets."""

    supervision = ("labels", "triplets", "quadruplets")

    def fit(
        self,
        X: MatrixLike,
        y: ColumnLike | None = None,
        *,
        triplets: MatrixLike | None = None,
        quadruplets: MatrixLike | None = None,
        constraint_weight: ColumnLike | None = None,
    ) -> Self:
        """Learn from labels, or from comparisons of distances.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), optional
            Labels; not with comparisons.
        triplets : array-like of int of shape (n_triplets, 3), optional
            Row numbers of X: the first should lie nearer to the second than to the third.
        quadruplets : array-like of int of shape (n_quadruplets, 4), optional
            Row numbers: the first two should lie closer together than the last two.
        constraint_weight : array-like, optional
            One weight for each comparison.

        Returns
        -------
        self
        """
        return self._fit(X, y, constraint_weight, triplets=triplets, quadruplets=quadruplets)
