"""k-nearest-neighbour classification under a learned distance."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from nearkin.distances import EmbeddedDistance
from nearkin.numerics.given_rows import widened
from nearkin.predictors.base import _NeighbourPredictor
from nearkin.predictors.upkeep import DriftCheck, kept_rows, stacked
from nearkin.search import NeighbourSearch


class KNNClassifier(ClassifierMixin, _NeighbourPredictor):
    """Classify by a vote of the nearest training rows, near under a learned distance.

    Parameters
    ----------
    learner : estimator or None, default=None
        Any nearkin learner, or any transformer of scikit-learn's kind (LDA, PCA, a whole pipeline) after
        which Euclid is the distance; fitted as a clone on the training data. None is plain Euclid.
    n_neighbors : int, default=5
        How many neighbours vote.
    weights : {"uniform", "distance"} or callable, default="uniform"
        One vote each, votes of one over the distance, or a function of the distances.
    index : {"auto", "exact", "tree", "faiss", "faiss-ivf", "faiss-hnsw"} or Index, default="auto"
        How neighbours are found; "auto" is always exact.
    hubs : None, str or HubCorrection, default=None
        Correct the distance so that hubs stop being everybody's neighbour, without using labels: "csls",
        "dissim-local", "local-scaling", "nicdm" or "mutual-proximity".

    Attributes
    ----------
    classes_ : ndarray
        The labels seen.
    learner_ : estimator
        The fitted learner, if there is one.
    distance_ : Distance
        The distance in use.
    references_ : ndarray or CSR
        The training rows.
    labels_ : ndarray
        Their labels.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Ties: of classes with the same vote, the one with the nearest voter wins; if they are equally
    near, the one whose voter comes first in the training set. `predict_proba` gives the shares of
    the vote; the winner of a tie leads there by one unit in the last place.

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

    def fit(self, X, y, **fit_params):
        """Learn the distance and index the training rows.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
            Training rows; CSR needs a learner that takes it (or none).
        y : array-like of shape (n_samples,)
            Labels: strings, integers or booleans.
        **fit_params
            Passed to the learner's fit, for instance `sample_weight`. With constraints (`pairs`,
            `triplets`, `quadruplets` or `chunklets`) it learns from these and not from y, which then
            only votes.
        """
        X, y = validate_data(
            self,
            widened(X),
            y,
            accept_sparse="csr" if self._takes_sparse() else False,
            dtype=[np.float64, np.float32],
        )
        check_classification_targets(y)
        self._check_settings(X.shape[0])
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._codes = codes.ravel()
        self._fit_distance(X, y, fit_params)
        return self

    def add_references(self, X, y) -> KNNClassifier:
        """Add labelled rows without learning the distance anew; classes may be new ones.

        The references are indexed again, at the cost of that. Not while other threads predict.

        Parameters
        ----------
        X : array-like or CSR of shape (n_new, n_features)
            Raw rows: they are placed as the learned distance places references.
        y : array-like of shape (n_new,)

        Returns
        -------
        self
        """
        check_is_fitted(self)
        X, y = self._validate_queries(X), np.asarray(y)
        check_consistent_length(X, y)
        check_classification_targets(y)
        labels = np.concatenate([self.labels_, y])
        self._replace_references(stacked(self.references_, X))
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self._codes = codes.ravel()
        return self

    def remove_references(self, rows) -> KNNClassifier:
        """Forget references, by row number or mask, without learning the distance anew.

        The others move up, so that row numbers change; `classes_` stays. Not while other threads predict.
        """
        check_is_fitted(self)
        keep = kept_rows(rows, self.n_samples_fit_)
        self._replace_references(self.references_[keep])
        self._codes = self._codes[keep]
        return self

    def check_drift(self, X, y) -> DriftCheck:
        """Is the learned distance still worth it on these new labelled queries?

        Compares the vote under the learned distance with that under plain Euclid, between the same
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
        X, y = self._validate_queries(X), np.asarray(y)
        check_consistent_length(X, y)
        squared, indices = (
            NeighbourSearch(EmbeddedDistance()).build(self.references_).query(X, int(self.n_neighbors))
        )
        winners = self._winners(self._votes(np.sqrt(squared), indices), indices)
        return DriftCheck.of(self.predict(X) == y, self.classes_[winners] == y)

    @property
    def labels_(self) -> np.ndarray:
        return self.classes_[self._codes]

    def predict_proba(self, X) -> np.ndarray:
        """Share of the vote of each class, in the order of `classes_`."""
        distances, indices = self.kneighbors(X)
        votes = self._votes(distances, indices)
        shares = votes / votes.sum(axis=1, keepdims=True)
        rows, winners = np.arange(len(shares)), self._winners(votes, indices)
        # The winner of a tie leads by the last bit, so that the largest share is always the prediction.
        shares[rows, winners] = np.nextafter(shares.max(axis=1), 2)
        return np.minimum(shares, 1, out=shares)

    def predict(self, X) -> np.ndarray:
        """The winning class of each row."""
        distances, indices = self.kneighbors(X)
        return self.classes_[self._winners(self._votes(distances, indices), indices)]

    def _winners(self, votes: np.ndarray, indices: np.ndarray) -> np.ndarray:
        # Neighbours are in order of nearness, so the first whose class has the top vote decides.
        codes = self._codes[indices]
        top = votes.max(axis=1, keepdims=True)
        has_top_vote = np.take_along_axis(votes, codes, axis=1) >= top * (1 - 1e-12)
        return codes[np.arange(len(codes)), has_top_vote.argmax(axis=1)]

    def _votes(self, distances: np.ndarray, indices: np.ndarray) -> np.ndarray:
        weights = self._vote_weights(distances)
        n, n_classes = len(indices), len(self.classes_)
        cells = np.arange(n)[:, None] * n_classes + self._codes[indices]
        votes = np.bincount(cells.ravel(), weights=weights.ravel(), minlength=n * n_classes)
        return votes.reshape(n, n_classes)
