"""What both predictors share: fit a learner, index the references, find neighbours."""

from __future__ import annotations

from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from nearkin.distances import Distance, EmbeddedDistance
from nearkin.distances.hub_correction import CORRECTIONS, HubCorrection
from nearkin.search import FaissIndex, Hubness, NeighbourSearch

_OTHER = {"KNNClassifier": "KNNRegressor", "KNNRegressor": "KNNClassifier"}


class _NeighbourPredictor(BaseEstimator):
    """Shared by KNNClassifier and KNNRegressor, which differ in the kind of target and the vote."""

    _task: ClassVar[str]
    distance_: Distance

    def __init__(self, learner=None, n_neighbors=5, *, weights="uniform", index="auto", hubs=None):
        self.learner = learner
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.index = index
        self.hubs = hubs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse()
        return tags

    def _takes_sparse(self) -> bool:
        return self.learner is None or bool(getattr(self.learner, "accepts_sparse", False))

    def get_metadata_routing(self):
        """Routing of fit metadata (such as `sample_weight`) to the learner."""
        router = MetadataRouter(owner=self)
        if self.learner is not None:
            router.add(learner=self.learner, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        return router

    def _check_settings(self, n_samples: int) -> None:
        if self.learner is not None and not hasattr(self.learner, "fit"):
            raise TypeError(
                f"learner={self.learner!r}: expected a learner such as LMNN() or None for Euclid; the number "
                "of neighbours is the second argument, n_neighbors."
            )
        tasks = getattr(self.learner, "tasks", (self._task,))
        if self._task not in tasks:
            name, other = type(self.learner).__name__, _OTHER[type(self).__name__]
            raise ValueError(
                f"{name} is a learner for {' and '.join(tasks)}, but {type(self).__name__} is for "
                f"{self._task}; use {other}({name}()), or another learner: `nearkin learners` lists them."
            )
        if not isinstance(self.n_neighbors, Integral) or int(self.n_neighbors) < 1:
            raise ValueError(f"n_neighbors={self.n_neighbors!r}: expected an integer of at least 1.")
        if int(self.n_neighbors) > n_samples:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is more than the n_samples={n_samples} rows to choose from; "
                f"give more rows or set n_neighbors to at most {n_samples}."
            )
        if self.hubs not in (None, *CORRECTIONS) and not isinstance(self.hubs, HubCorrection):
            raise ValueError(
                f"hubs={self.hubs!r}: expected None, a HubCorrection, or one of {', '.join(CORRECTIONS)}."
            )
        if not (self.weights in ("uniform", "distance") or callable(self.weights)):
            raise ValueError(f"weights={self.weights!r}: expected 'uniform', 'distance' or a function.")

    def _fit_distance(self, X, y, fit_params: dict) -> None:
        if self.learner is None:
            if fit_params:
                raise TypeError(f"without a learner, fit takes no {', '.join(map(repr, fit_params))}.")
            self.distance_ = EmbeddedDistance()
        else:
            if get_config()["enable_metadata_routing"]:
                fit_params = process_routing(self, "fit", **fit_params).learner.fit
            learner = clone(self.learner)
            if learner.get_params().get("task") == "auto":
                # What a learner would have to guess from the values of y is known here.
                learner.set_params(task=self._task)
            self.learner_ = learner.fit(X, y, **fit_params)
            self.distance_ = self.learner_.distance_
        if self.hubs is not None:
            correction = HubCorrection(self.hubs) if isinstance(self.hubs, str) else self.hubs
            self.distance_ = correction.around(self.distance_, X)
        self.references_ = X
        self.n_samples_fit_ = X.shape[0]
        # Build now, not at the first prediction: a bad index name must not wait for production.
        self._search = NeighbourSearch(self.distance_, self.index).build(X)

    def __getstate__(self):
        # An index may hold what cannot be written to disk; it is rebuilt from the references.
        state = dict(super().__getstate__())
        state.pop("_search", None)
        return state

    def _built_search(self) -> NeighbourSearch:
        if not hasattr(self, "_search"):
            self._search = NeighbourSearch(self.distance_, self.index).build(self.references_)
        return self._search

    def _validate_queries(self, X):
        return validate_data(
            self,
            X,
            accept_sparse="csr" if self._takes_sparse() else False,
            dtype=[np.float64, np.float32],
            reset=False,
        )

    def kneighbors(self, X=None, n_neighbors: int | None = None, return_distance: bool = True):
        """Nearest references of each row.

        Parameters
        ----------
        X : array-like or CSR of shape (n_queries, n_features), or None
            The queries. None stands for the training rows themselves, each without itself.
        n_neighbors : int or None
            How many; the constructor's number by default.
        return_distance : bool
            Whether to return the distances too.

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            Learned distances (not squared), ascending; only if `return_distance`.
        indices : ndarray of shape (n_queries, n_neighbors)
            Rows of the training set; equal distances are in the order of the rows.
        """
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        available = self.n_samples_fit_ - (X is None)
        if not 1 <= k <= available:
            raise ValueError(
                f"n_neighbors={k}: expected between 1 and {available}, the references there are."
            )
        if X is None:
            squared, indices = self._neighbours_of_references(k)
        else:
            squared, indices = self._built_search().query(self._validate_queries(X), k)
        return (np.sqrt(squared), indices) if return_distance else indices

    def _neighbours_of_references(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        squared, indices = self._built_search().query(self.references_, k + 1)
        # Drop each row itself where it was found, else (hidden by duplicates or moved away) the farthest.
        keep = indices != np.arange(len(indices))[:, None]
        keep[keep.all(axis=1), -1] = False
        return squared[keep].reshape(-1, k), indices[keep].reshape(-1, k)

    def hubness(self, X, k: int = 10) -> Hubness:
        """How unevenly the references serve as neighbours of the queries X.

        Returns
        -------
        Hubness
            Its `skewness` is the usual single number: high means hubs.
        """
        k = min(k, self.n_samples_fit_)
        indices = self.kneighbors(X, n_neighbors=k, return_distance=False)
        return Hubness.of(indices, self.n_samples_fit_)

    def to_faiss(self, kind: str = "flat"):
        """A FAISS index of the references as the learned distance places them.

        With Move-labeled the queries stay where they are, so the index returned takes the place of
        one already in production and nothing else changes: search it by L2 with raw query vectors.
        For other learners search it with ``distance_.embed_queries(X)``.
        """
        check_is_fitted(self)
        if not isinstance(self.distance_, EmbeddedDistance):
            raise TypeError(f"{type(self.distance_).__name__} is not an embedding, so FAISS cannot hold it.")
        return FaissIndex(kind).build(self.distance_.embed_references(self.references_)).faiss_index

    def _vote_weights(self, distances: np.ndarray) -> np.ndarray:
        """Weight of each neighbour; among neighbours at distance zero only they count."""
        if self.weights == "uniform":
            return np.ones_like(distances)
        if callable(self.weights):
            return np.asarray(self.weights(distances))
        with np.errstate(divide="ignore"):
            weights = 1.0 / distances
        at_zero = np.isinf(weights)
        rows = at_zero.any(axis=1)
        weights[rows] = at_zero[rows]
        return weights
