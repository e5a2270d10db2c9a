"""k-nearest-neighbour classification under a learned distance."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from nearkin._types import ColumnLike, MatrixLike
from nearkin.distances import EmbeddedDistance
from nearkin.predictors.base import _NeighbourPredictor
from nearkin.predictors.upkeep import DriftCheck, kept_rows, stacked
from nearkin.rows_in_blocks import by_blocks
from nearkin.search import NeighbourSearch


class KNNClassifier(ClassifierMixin, _NeighbourPredictor):
    """Classify by a vote of the nearest training rows under a learned distance.

    Ties are broken differently from scikit-learn, which takes the class that sorts first: here the tied class
    with the nearest voter wins (see Notes). Without ties and without a learner the two agree.

    Parameters
    ----------
    learner : estimator or None, default=None
        Any nearkin learner, or any scikit-learn transformer (LDA, PCA, a whole pipeline), after which the
        distance is Euclid; fitted as a clone on the training data. None is plain Euclid.
    n_neighbors : int, default=5
        How many neighbours vote.
    weights : {"uniform", "distance"} or callable, default="uniform"
        Equal votes, votes weighted by the inverse distance, or a function of the distances.
    index : {"auto", "exact", "tree", "faiss", "faiss-ivf", "faiss-hnsw"} or Index, default="auto"
        How neighbours are found; "auto" is always exact.
    hubs : None, str or HubCorrection, default=None
        Correct the distance for hubs, without using labels: "csls", "dissim-local", "local-scaling", "nicdm"
        or "mutual-proximity".
    metric : str, default="minkowski"
        The distance if there is no learner: "minkowski" with `p`, "euclidean", "manhattan", "cosine",
        "chebyshev", "canberra", "braycurtis", "correlation" or "hamming".
    p : float, default=2
        The power of "minkowski": 1 is Manhattan, 2 is Euclid.
    n_jobs : int or None, default=None
        Threads of a search; None leaves the setting of BLAS, -1 means one per core.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray if y has several columns
        The labels seen.
    learner_ : estimator
        The fitted learner, if there is one.
    distance_ : Distance
        The distance in use.
    references_ : ndarray or CSR
        The training rows.
    labels_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        Their labels.
    outputs_2d_ : bool
        Whether y has several columns.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Ties: of classes with the same vote, the one with the nearest voter wins; if those are equally near, the
    one whose voter comes first in the training set. `predict_proba` gives the shares of the vote; the winner
    of a tie leads there by one unit in the last place. References at equal distances are taken in the order
    of the training rows, also for the last of the k places, which scikit-learn leaves open.

    `sample_weight` multiplies votes. It is not the same as repeating rows: a repeated row takes several of
    the k places. If all k neighbours have weight zero, their votes are equal.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from nearkin import KNNClassifier, MoveLabeled
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), KNNClassifier(MoveLabeled(), n_neighbors=5)).fit(X, y)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    """

    _task = "classification"
    classes_: Any

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags

    def fit(
        self, X: MatrixLike, y: ColumnLike, sample_weight: ColumnLike | None = None, **fit_params: Any
    ) -> Self:
        """Learn the distance and index the training rows.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
            Training rows; CSR requires a learner that accepts it, or none.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels: strings, integers or booleans. With several columns, each combination of labels is a
            class for the learner; votes are counted by column.
        sample_weight : array-like of shape (n_samples,) or None
            Weight of each row's vote, and of the row in the learner's fit; warns if the learner does not
            accept weights.
        **fit_params
            Passed to the learner's fit. Given constraints (`pairs`, `triplets`, `quadruplets` or
            `chunklets`), the learner learns from these, and y is used only for votes.
        """
        X, y = self._validated(X, y, multi_output=True)
        check_classification_targets(y)
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        self._check_settings(X.shape[0])
        self.outputs_2d_ = y.ndim == 2
        found = [np.unique(column, return_inverse=True) for column in (y.T if y.ndim == 2 else [y])]
        self.classes_ = [classes for classes, _ in found] if self.outputs_2d_ else found[0][0]
        self._codes = np.column_stack([codes.ravel() for _, codes in found])
        self._codes = self._codes if self.outputs_2d_ else self._codes[:, 0]
        if self.outputs_2d_:
            y = np.unique(self._codes, axis=0, return_inverse=True)[1].ravel()
        self._fit_distance(X, y, sample_weight, fit_params)
        return self

    def add_references(self, X: MatrixLike, y: ColumnLike) -> KNNClassifier:
        """Add labelled rows without learning the distance again; classes may be new.

        All references are indexed again. Must not be called while other threads predict.

        Parameters
        ----------
        X : array-like or CSR of shape (n_new, n_features)
            Raw rows; the learned distance embeds them as references.
        y : array-like of shape (n_new,)

        Returns
        -------
        self
        """
        check_is_fitted(self)
        self._refuse_several_columns()
        X, y = self._validate_queries(X), np.asarray(y)
        check_consistent_length(X, y)
        check_classification_targets(y)
        labels = np.concatenate([self.labels_, y])
        places = np.r_[np.arange(self.n_samples_fit_), np.full(X.shape[0], -1)]
        self._replace_references(stacked(self.references_, X), places)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self._codes = codes.ravel()
        return self

    def remove_references(self, rows: ColumnLike) -> KNNClassifier:
        """Remove references, by row number or mask, without learning the distance again.

        Row numbers of the others change; `classes_` stays. Must not be called while other threads predict.
        """
        check_is_fitted(self)
        keep = kept_rows(rows, self.n_samples_fit_)
        self._replace_references(self.references_[keep], np.arange(self.n_samples_fit_)[keep])
        self._codes = self._codes[keep]
        return self

    def check_drift(self, X: MatrixLike, y: ColumnLike) -> DriftCheck:
        """Test whether the learned distance still helps on new labelled queries.

        Compares the votes under the learned distance with those under plain Euclid, among the same
        references, by the exact test of McNemar.

        Examples
        --------
        >>> from sklearn.datasets import load_digits
        >>> from nearkin import KNNClassifier, MoveLabeled
        >>> X, y = load_digits(return_X_y=True)
        >>> model = KNNClassifier(MoveLabeled()).fit(X[:900], y[:900])
        >>> model.check_drift(X[900:], y[900:]).verdict
        'no difference shown'
        """
        check_is_fitted(self)
        self._refuse_several_columns()
        X, y = self._validate_queries(X), np.asarray(y)
        check_consistent_length(X, y)
        squared, indices = (
            NeighbourSearch(EmbeddedDistance()).build(self.references_).query(X, int(self.n_neighbors))
        )
        winners = self._winners(self._votes(np.sqrt(squared), indices), indices)
        return DriftCheck.of(self.predict(X) == y, self.classes_[winners] == y)

    def _refuse_several_columns(self) -> None:
        if self._several:
            raise ValueError("references can be added only if y has one column; with several, fit again.")

    def _outputs(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Classes and codes of each column of y."""
        if not self._several:
            return [(self.classes_, self._codes)]
        return list(zip(self.classes_, self._codes.T, strict=True))

    @property
    def _several(self) -> bool:
        # Models saved before several outputs were supported lack the attribute.
        return getattr(self, "outputs_2d_", False)

    @property
    def labels_(self) -> np.ndarray:
        labels = [classes[codes] for classes, codes in self._outputs()]
        return np.column_stack(labels) if self._several else labels[0]

    @by_blocks
    def predict_proba(self, X: MatrixLike) -> np.ndarray | Any:
        """Share of the vote of each class, in the order of `classes_`; a list if y has several columns."""
        distances, indices = self.kneighbors(X)
        shares = [self._shares(distances, indices, column) for column in range(len(self._outputs()))]
        return shares if self._several else shares[0]

    def _shares(self, distances: np.ndarray, indices: np.ndarray, column: int) -> np.ndarray:
        votes = self._votes(distances, indices, column)
        shares = votes / votes.sum(axis=1, keepdims=True)
        rows, winners = np.arange(len(shares)), self._winners(votes, indices, column)
        # The winner of a tie leads by the last bit, so that the prediction always has the largest share.
        shares[rows, winners] = np.nextafter(shares.max(axis=1), 2)
        return np.minimum(shares, 1, out=shares)

    @by_blocks
    def predict(self, X: MatrixLike) -> np.ndarray:
        """The winning class of each row, for each column of y."""
        distances, indices = self.kneighbors(X)
        winners = [
            classes[self._winners(self._votes(distances, indices, column), indices, column)]
            for column, (classes, _) in enumerate(self._outputs())
        ]
        return np.column_stack(winners) if self._several else winners[0]

    def score(self, X: MatrixLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> float:
        """Accuracy; with several columns of y, a row counts if all of them are right."""
        if not self._several:
            return float(super().score(X, y, sample_weight))
        right = (np.asarray(self.predict(X)) == np.asarray(y)).all(axis=1)
        return float(np.average(right, weights=sample_weight))

    def _winners(self, votes: np.ndarray, indices: np.ndarray, column: int = 0) -> np.ndarray:
        # Neighbours are in order of nearness, so the first whose class has the top vote decides.
        codes = self._outputs()[column][1][indices]
        top = votes.max(axis=1, keepdims=True)
        has_top_vote = np.take_along_axis(votes, codes, axis=1) >= top * (1 - 1e-12)
        return codes[np.arange(len(codes)), has_top_vote.argmax(axis=1)]

    def _votes(self, distances: np.ndarray, indices: np.ndarray, column: int = 0) -> np.ndarray:
        weights = self._vote_weights(distances, indices)
        classes, codes = self._outputs()[column]
        n, n_classes = len(indices), len(classes)
        cells = np.arange(n)[:, None] * n_classes + codes[indices]
        votes = np.bincount(cells.ravel(), weights=weights.ravel(), minlength=n * n_classes)
        return votes.reshape(n, n_classes)
