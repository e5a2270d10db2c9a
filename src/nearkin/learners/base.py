"""What all learners share: scikit-learn's conventions, checks of labels, and a fitted `distance_`."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from nearkin._types import FilePath, MatrixLike
from nearkin.distances import Distance, EmbeddedDistance
from nearkin.learners.euclid_share import SharePolicy
from nearkin.learners.settings import refuse_too_large
from nearkin.numerics.given_rows import naming_rows, widened
from nearkin.rows_in_blocks import block_work, in_blocks, refuse_blocks
from nearkin.supervision.constraints import row_numbers

CLASSIFICATION = "classification"
REGRESSION = "regression"


class Learner(BaseEstimator):
    """A scikit-learn estimator whose `fit(X, y)` leaves one fitted `distance_`.

    Subclasses declare their `tasks`, what they accept, and which settings are worth tuning; discovery then
    includes them in the estimator checks, the command line and the comparison.
    """

    #: Kinds of target the learner can use.
    tasks: ClassVar[tuple[str, ...]] = (CLASSIFICATION,)
    #: Whether CSR input is accepted without making it dense.
    accepts_sparse: ClassVar[bool] = False
    #: Whether `fit` takes `sample_weight`, read from its signature; if not, weights only affect votes.
    accepts_sample_weight: ClassVar[bool] = False
    #: Whether fits are so slow that a quick comparison runs this learner untuned and last.
    slow: ClassVar[bool] = False
    #: What `fit` can learn from: "labels" is y; others are "pairs", "triplets", "quadruplets", "chunklets".
    supervision: ClassVar[tuple[str, ...]] = ("labels",)
    #: One line for `nearkin learners`, the report and the tables of the documentation; a learner that has one
    #: is public.
    summary: ClassVar[str] = ""
    #: Multiply-adds of a fit or of one of its steps, for the guide: n rows, d features, e learned dimensions,
    #: C classes, P prototypes or regions, K compared neighbours, T constraints.
    cost: ClassVar[str] = ""
    #: Whether it can be fitted with its defaults; False for compositions that the user completes.
    ready: ClassVar[bool] = True

    #: How `euclid_share="auto"` is chosen, if the learner offers it.
    share_policy: ClassVar[SharePolicy] = SharePolicy()

    distance_: Distance
    #: Share of plain Euclid in `distance_`, if the learner offers it.
    euclid_share_: float

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.accepts_sample_weight = has_fit_parameter(cls, "sample_weight")

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        """Settings worth trying on data of this size; empty if the learner tunes itself."""
        return {}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.supervision == ("labels",)
        tags.input_tags.sparse = self.accepts_sparse
        tags.target_tags.multi_output = REGRESSION in self.tasks
        return tags

    def _validate_labelled(self, X, y, *, min_classes: int = 1):
        """Checked X (float32 or float64) and y as integers 0..C-1; sets `classes_`.

        Raises, naming the problem and its fix, if nothing can be learned from the labels.
        """
        X, y = self._validated(X, y, ensure_min_samples=2)
        refuse_too_large(X)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < min_classes:
            raise ValueError(
                f"{type(self).__name__} needs at least {min_classes} classes to tell apart, but y has only "
                f"one class, {self.classes_[:1].tolist()[0]!r}."
            )
        return X, codes.ravel()

    def pair_distances(self, X: MatrixLike, pairs: MatrixLike) -> np.ndarray:
        """Learned distance (not squared) of the rows of each pair.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        pairs : array-like of int of shape (n_pairs, 2)
            Row numbers of X; if queries and references are embedded differently, the first is the query.

        Returns
        -------
        distances : ndarray of shape (n_pairs,)

        Notes
        -----
        Rows are embedded once; beyond that only one block of differences is held.
        """
        X = self._validate_new(X)
        rows = row_numbers("pairs", pairs, 2, X.shape[0])
        return np.sqrt(self.distance_.of_pairs(X, rows[:, 0], rows[:, 1]))

    def _validate_new(self, X):
        """Checked X for a fitted learner: same number (and names) of features, float dtype."""
        check_is_fitted(self)
        return self._validated(X, reset=False)

    def _validated(self, X, *y, **checks):
        """Rows in float32 or float64, and y if given, checked as scikit-learn does."""
        refuse_blocks(X, type(self).__name__)
        sparse = "csr" if self.accepts_sparse else False
        with naming_rows(X):
            return validate_data(
                self, widened(X), *y, accept_sparse=sparse, dtype=[np.float64, np.float32], **checks
            )


class EmbeddingLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Learner):
    """A learner of a symmetric embedding: it can `transform`, and be a step of any pipeline.

    Subclasses set `distance_` to `EmbeddedDistance.symmetric(...)`; linear ones set `components_`.
    """

    distance_: EmbeddedDistance
    components_: np.ndarray
    # `out` is a path, not metadata to be routed.
    __metadata_request__transform = {"out": UNUSED}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def transform(self, X: MatrixLike, out: FilePath | None = None) -> np.ndarray:
        """Rows of X in the learned space, where plain Euclid is the learned distance.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or rows in blocks
            Rows opened by `nearkin.open_rows` are read block by block; a Dask collection gives a Dask array.
        out : path of a .npy file, optional
            Write the rows there, block by block, and return a memory map; resumes if it was interrupted.
        """
        if out is not None or in_blocks(X):
            return block_work().answers(self, "transform", X, out)
        X = self._validate_new(X)
        return self.distance_.embed_queries(X)

    def get_mahalanobis_matrix(self) -> np.ndarray:
        """``components_.T @ components_``, the matrix M of (x - z)' M (x - z); linear maps only."""
        check_is_fitted(self)
        if not hasattr(self, "components_"):
            raise AttributeError(
                f"this {type(self).__name__} is not a linear map, so it has no single matrix."
            )
        return self.components_.T @ self.components_

    @property
    def _n_features_out(self) -> int:
        """Dimensions of the learned space; learners without a matrix set `n_components_`."""
        return getattr(self, "n_components_", None) or len(self.components_)
