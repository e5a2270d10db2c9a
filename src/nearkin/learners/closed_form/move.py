"""Move-labeled and Move-query: ridge regression that moves one side of the search."""

from __future__ import annotations

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from nearkin.distances import EmbeddedDistance
from nearkin.learners.base import Learner
from nearkin.learners.closed_form.alpha import choose_relative_alpha
from nearkin.learners.closed_form.forms import QUERIES, REFERENCES, DualForm, PrimalForm
from nearkin.supervision.pairs import target_pairs

# The dual form holds a few n x n arrays; beyond this many rows that is no longer a few gigabytes.
DUAL_MAX_ROWS = 30_000
# Moving a reference costs n^2 in the dual form: held-out rows look for neighbours among so many.
DUAL_VALIDATION_REFERENCES = 2_500


class _Move(Learner):
    """Shared by MoveLabeled and MoveQuery: they differ only in which side moves."""

    accepts_sparse: ClassVar[bool] = True
    _moves: ClassVar[str]

    def _fit(self, X, y, sample_weight, kernel=None, kernel_params=None):
        self._check_settings()
        X, codes = self._validate_labelled(X, y)
        sample_weight = None if sample_weight is None else _check_sample_weight(sample_weight, X)
        if sample_weight is not None:
            if np.any(sample_weight < 0):
                raise ValueError("sample_weight has negative entries; weights must be zero or positive.")
            kept = sample_weight > 0
            X, codes, sample_weight = X[kept], codes[kept], sample_weight[kept]
        pairs = target_pairs(X, codes, self.n_targets, sample_weight)
        if pairs.nnz == 0:
            raise ValueError(
                f"{type(self).__name__} needs a class with at least two rows, but every class of y has one "
                "only; give more rows per class, or check that y holds labels and not identifiers."
            )
        self._use_primal = kernel is None and X.shape[1] <= X.shape[0]
        if not self._use_primal and X.shape[0] > DUAL_MAX_ROWS:
            raise ValueError(
                f"{type(self).__name__} needs n x n memory if features outnumber rows or with a kernel, "
                f"and {X.shape[0]} rows are too many for that (limit {DUAL_MAX_ROWS}); reduce the features "
                "first, for instance by sklearn.decomposition.TruncatedSVD(300), or drop the kernel."
            )
        options = {"kernel": kernel or "linear", "params": kernel_params}
        # Before the final form, so that only one of its kind is in memory at a time.
        relative = self._relative_alpha(X, codes, sample_weight, options) if self.alpha == "auto" else None
        form = self._form(X, pairs, options)
        self.alpha_ = float(self.alpha) if relative is None else relative * form.unit
        self.distance_ = next(form.distances([self.alpha_]))
        self.objective_ = form.objective(self.distance_) / X.shape[0]
        self.n_iter_ = 1
        return self

    def _check_settings(self) -> None:
        if not isinstance(self.n_targets, Integral) or self.n_targets < 1:
            raise ValueError(f"n_targets={self.n_targets!r}: expected an integer of at least 1.")
        number = isinstance(self.alpha, Real) and not isinstance(self.alpha, bool)
        if not (self.alpha == "auto" or (number and 0 <= self.alpha < np.inf)):
            raise ValueError(f"alpha={self.alpha!r}: expected 'auto' or a finite number of at least 0.")

    def _form(self, X, pairs, options: dict):
        if self._use_primal:
            return PrimalForm(X, pairs, self._moves)
        return DualForm(X, pairs, self._moves, **options)

    def _relative_alpha(self, X, codes, sample_weight, options: dict) -> float:
        def distances_for(rows, relative_alphas):
            weights = None if sample_weight is None else sample_weight[rows]
            pairs = target_pairs(X[rows], codes[rows], self.n_targets, weights)
            if pairs.nnz == 0:
                return None
            form = self._form(X[rows], pairs, options)
            return form.distances(relative_alphas * form.unit)

        relative, self.alpha_scores_ = choose_relative_alpha(
            X, codes, distances_for, max_references=None if self._use_primal else DUAL_VALIDATION_REFERENCES
        )
        return relative

    @property
    def components_(self) -> np.ndarray:
        """The d x d matrix W of the move, about the training mean."""
        distance = getattr(self, "distance_", None)
        if not isinstance(distance, EmbeddedDistance):
            raise AttributeError(
                "components_ exists only after fitting without a kernel on rows that are dense or n >= d."
            )
        return getattr(distance, self._moves).matrix


class MoveLabeled(_Move):
    """Move the labelled points towards the queries that should find them, by ridge regression.

    Every training row x should be found by its nearest neighbours of its own class, so a matrix W is
    learned that brings those neighbours z to it: min sum ||x - W z||^2 + alpha ||W||^2. At prediction
    the references are moved and the queries stay where they are. Regression shrinks what it maps,
    and references with less spread than the queries have fewer hubs.

    Parameters
    ----------
    n_targets : int, default=1
        Neighbours of the same class that are moved towards each row.
    alpha : "auto" or float, default="auto"
        Penalty on W. "auto" tries ten values along one eigendecomposition and keeps the one of best
        k-NN accuracy on held-out training rows.
    kernel : None, str or callable, default=None
        Move in the feature space of this kernel: "rbf", "polynomial", "linear", or any name or function that
        `sklearn.metrics.pairwise.pairwise_kernels` takes.
    kernel_params : dict or None, default=None
        Parameters of the kernel, such as ``{"gamma": 0.1}`` or ``{"gamma": "scale"}``.

    Attributes
    ----------
    distance_ : Distance
        Queries stay, references move. `distance_.embed_references(X)` gives the moved rows.
    components_ : ndarray of shape (n_features, n_features)
        W. Not there for kernels or sparse rows with more features than rows, which use the dual form.
    alpha_ : float
        The penalty used.
    alpha_scores_ : ndarray of shape (10,)
        Held-out accuracy of each penalty tried; only if alpha="auto".
    objective_ : float
        Penalised squared error, mean per row.
    classes_, n_features_in_, n_iter_
        As everywhere.

    Notes
    -----
    Cost: one product per class for the targets, two n x d x d products and one d x d solve; if d > n
    (or with a kernel or very wide sparse rows) everything is n x n instead. There is no `transform`:
    moving queries and references alike would undo the method. Use `KNNClassifier(MoveLabeled())`.

    References
    ----------
    Shigeto, Shimbo, Matsumoto (2017). A fast and easy regression technique for k-NN classification
    without using negative pairs. PAKDD.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin import KNNClassifier, MoveLabeled
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNNClassifier(MoveLabeled(alpha=1.0)).fit(X, y)
    >>> model.learner_.components_.shape
    (4, 4)
    >>> model.score(X, y) > 0.9
    True
    """

    summary = "Moves labelled points by ridge regression; closed form, cuts hubs."
    cost = "n·d² + d³, once"
    _moves = REFERENCES

    def __init__(self, n_targets=1, alpha="auto", kernel=None, kernel_params=None):
        self.n_targets = n_targets
        self.alpha = alpha
        self.kernel = kernel
        self.kernel_params = kernel_params

    @classmethod
    def tuning_grid(cls, n_samples, n_features, n_classes):
        return {"n_targets": [1, 10]}

    def fit(self, X, y, sample_weight=None):
        """Learn W from labelled rows.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels; at least one class needs two rows.
        sample_weight : array-like of shape (n_samples,) or None
            Weight of each row's pairs; rows of weight zero are left out.
        """
        return self._fit(X, y, sample_weight, self.kernel, self.kernel_params)


class MoveQuery(_Move):
    """Move the queries instead of the labelled points: the mirror image that makes hubs worse.

    It exists to show the hub effect: the same regression with the roles exchanged shrinks the
    queries, so the references gain spread relative to them and hubs grow. Use `MoveLabeled`
    for prediction.

    Parameters
    ----------
    n_targets : int, default=1
        Neighbours of the same class that each query should move to.
    alpha : "auto" or float, default="auto"
        Penalty on W, as for `MoveLabeled`.

    Attributes
    ----------
    distance_, components_, alpha_, alpha_scores_, objective_, classes_, n_features_in_, n_iter_
        As for `MoveLabeled`; here `distance_.embed_queries(X)` gives the moved rows.

    References
    ----------
    Shigeto, Shimbo, Matsumoto (2017), Section 4.2, as for `MoveLabeled`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin import MoveQuery
    >>> X, y = load_iris(return_X_y=True)
    >>> MoveQuery(alpha=1.0).fit(X, y).components_.shape
    (4, 4)
    """

    summary = "Moves queries by ridge regression; shows how hubs arise, not for prediction."
    cost = "n·d² + d³, once"
    _moves = QUERIES

    def __init__(self, n_targets=1, alpha="auto"):
        self.n_targets = n_targets
        self.alpha = alpha

    def fit(self, X, y, sample_weight=None):
        """Learn W from labelled rows; parameters as for `MoveLabeled.fit`."""
        return self._fit(X, y, sample_weight)
