"""What the neighbour predictors share: fit a learner, index the references, find neighbours."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Integral
from threading import Lock
from typing import Any, ClassVar, Literal, overload

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    has_fit_parameter,
    validate_data,
)

from nearkin._types import ColumnLike, Estimator, MatrixLike
from nearkin.distances import Distance, EmbeddedDistance
from nearkin.distances.hub_correction import CORRECTIONS, HubCorrection
from nearkin.distances.named import named_distance
from nearkin.numerics.given_rows import naming_rows, widened
from nearkin.numerics.selection import others_found
from nearkin.numerics.threads import blas_threads
from nearkin.predictors.learned_distance import fit_learner, has_constraints, learned_distance, takes_sparse
from nearkin.predictors.neighbourhoods import Neighbourhoods
from nearkin.rows_in_blocks import refuse_blocks
from nearkin.search import Hubness, Index, NeighbourSearch, SearchedOnce

_OTHER = {"KNNClassifier": "KNNRegressor", "KNNRegressor": "KNNClassifier"}


class _NeighbourPredictor(Neighbourhoods, BaseEstimator):
    """Base of KNNClassifier and KNNRegressor, which differ in the kind of target and the vote."""

    _task: ClassVar[str]
    distance_: Distance
    _search: NeighbourSearch | SearchedOnce

    def __init__(
        self,
        learner: Estimator | None = None,
        n_neighbors: int = 5,
        *,
        weights: Literal["uniform", "distance"] | Callable[[np.ndarray], np.ndarray] = "uniform",
        index: str | Index = "auto",
        hubs: str | HubCorrection | None = None,
        metric: str = "minkowski",
        p: float = 2,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.index = index
        self.hubs = hubs
        self.metric = metric
        self.p = p
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse()
        return tags

    def _takes_sparse(self) -> bool:
        return takes_sparse(self.learner)

    def get_metadata_routing(self) -> MetadataRouter:
        """Routing of fit metadata (such as `sample_weight`) to the learner."""
        router = MetadataRouter(owner=self).add_self_request(self)
        if self.learner is not None:
            router.add(learner=self.learner, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        return router

    def _check_task(self) -> None:
        tasks = getattr(self.learner, "tasks", (self._task,))
        if self._task not in tasks:
            name, other = type(self.learner).__name__, _OTHER[type(self).__name__]
            raise ValueError(
                f"{name} is a learner for {' and '.join(tasks)}, but {type(self).__name__} is for "
                f"{self._task}; use {other}({name}()), or another learner: `nearkin learners` lists them."
            )

    def _check_settings(self, n_samples: int) -> None:
        if isinstance(self.learner, type):
            name = self.learner.__name__
            raise TypeError(f"learner={name} is a class; pass an object of it: learner={name}().")
        if self.learner is not None and not hasattr(self.learner, "fit"):
            raise TypeError(
                f"learner={self.learner!r}: expected a learner such as LMNN() or None for Euclid; the number "
                "of neighbours is the second argument, n_neighbors."
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

    def _fit_distance(
        self, X: MatrixLike, y: ColumnLike, sample_weight: ColumnLike, fit_params: dict
    ) -> None:
        weights = (
            None
            if sample_weight is None
            else _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        )
        self._row_weights = weights
        plain = named_distance(self.metric, self.p, self.n_jobs)
        if self.learner is None:
            if fit_params:
                raise TypeError(f"without a learner, fit takes no {', '.join(map(repr, fit_params))}.")
            self.distance_ = EmbeddedDistance() if plain is None else plain
        elif plain is not None:
            raise ValueError(
                f"metric={self.metric!r} is for learner=None; {type(self.learner).__name__} learns "
                "the distance."
            )
        else:
            if not has_constraints(fit_params):
                self._check_task()
            learner = clone(self.learner)
            if learner.get_params().get("task") == "auto":
                # The learner would have to guess from the values of y what is known here.
                learner.set_params(task=self._task)
            self.learner_ = fit_learner(learner, X, y, self._learner_params(weights, fit_params))
            self.distance_ = learned_distance(self.learner_)
        if self.hubs is not None:
            correction = HubCorrection(self.hubs) if isinstance(self.hubs, str) else self.hubs
            self.distance_ = correction.around(self.distance_, X)
        self.references_ = X
        self.n_samples_fit_ = X.shape[0]
        # Build now, not at the first prediction: a bad index name should fail early.
        self._search = NeighbourSearch(self.distance_, self.index).build(X)

    def _learner_params(self, weights: np.ndarray | None, fit_params: dict) -> dict:
        """Arguments of the learner's fit: what it requests if metadata is routed, otherwise everything."""
        given = dict(fit_params) if weights is None else {**fit_params, "sample_weight": weights}
        if get_config()["enable_metadata_routing"]:
            return process_routing(self, "fit", **given).learner.fit
        if weights is not None and not has_fit_parameter(self.learner, "sample_weight"):
            name = type(self.learner).__name__
            warnings.warn(
                f"{name} does not weigh rows while it learns: sample_weight counts in the votes only.",
                stacklevel=4,
            )
            return fit_params
        return given

    def __getstate__(self) -> dict[str, Any]:
        # An index may hold something that cannot be pickled; it is rebuilt from the references.
        state = dict(super().__getstate__())
        state.pop("_search", None)
        state.pop("_building", None)
        return state

    def _built_search(self) -> NeighbourSearch | SearchedOnce:
        search = self.__dict__.get("_search")
        if search is None:
            # If several threads find a loaded model without an index, only one builds it.
            with self.__dict__.setdefault("_building", Lock()):
                search = self.__dict__.get("_search")
                if search is None:
                    search = NeighbourSearch(self.distance_, self.index).build(self.references_)
                    self._search = search
        return search

    def _replace_references(self, references: MatrixLike, places: np.ndarray) -> None:
        """Other references under the same distance; `places` are their old row numbers, -1 for new ones."""
        if references.shape[0] < self.n_neighbors:
            raise ValueError(
                f"{references.shape[0]} references would be left, fewer than n_neighbors={self.n_neighbors}."
            )
        self._search = NeighbourSearch(self.distance_, self.index).build(references)
        weights = getattr(self, "_row_weights", None)
        if weights is not None:
            # New rows get the mean weight.
            self._row_weights = np.where(places >= 0, weights[places], weights.mean())
        self.references_ = references
        self.n_samples_fit_ = references.shape[0]

    def _validated(self, X: MatrixLike, *y: ColumnLike, **checks: Any) -> Any:
        """Rows in float32 or float64, and y if given, checked as scikit-learn does."""
        refuse_blocks(X, type(self).__name__)
        sparse = "csr" if self._takes_sparse() else False
        with naming_rows(X):
            return validate_data(
                self, widened(X), *y, accept_sparse=sparse, dtype=[np.float64, np.float32], **checks
            )

    def _validate_queries(self, X: MatrixLike) -> Any:
        return self._validated(X, reset=False)

    @overload
    def kneighbors(
        self, X: MatrixLike | None = ..., n_neighbors: int | None = ..., return_distance: Literal[True] = ...
    ) -> tuple[np.ndarray, np.ndarray]: ...

    @overload
    def kneighbors(
        self, X: MatrixLike | None = ..., n_neighbors: int | None = ..., *, return_distance: Literal[False]
    ) -> np.ndarray: ...

    def kneighbors(
        self, X: MatrixLike | None = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """Nearest references of each row.

        Parameters
        ----------
        X : array-like or CSR of shape (n_queries, n_features), or None
            The queries. None means the training rows, each without itself.
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
            with blas_threads(np.inf, n_jobs=getattr(self, "n_jobs", None)):
                squared, indices = self._neighbours_of_references(k)
        else:
            queries = self._validate_queries(X)
            with blas_threads(np.inf, n_jobs=getattr(self, "n_jobs", None)):
                squared, indices = self._built_search().query(queries, k)
        return (np.sqrt(squared), indices) if return_distance else indices

    @contextmanager
    def searched_once(self, X: MatrixLike, n_neighbors: int) -> Iterator[None]:
        """Context in which up to `n_neighbors` neighbours of the rows X are searched for only once.

        For predictions with several numbers of neighbours, as in tuning.
        """
        check_is_fitted(self)
        search = self._built_search()
        most = min(n_neighbors, self.n_samples_fit_)
        self._search = SearchedOnce(search, self._validate_queries(X), most)
        try:
            yield
        finally:
            self._search = search

    def _neighbours_of_references(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        squared, indices = self._built_search().query(self.references_, k + 1)
        keep = others_found(indices, np.arange(len(indices)))
        return squared[keep].reshape(-1, k), indices[keep].reshape(-1, k)

    def hubness(self, X: MatrixLike, k: int = 10) -> Hubness:
        """How unevenly the references occur as neighbours of the queries X.

        Returns
        -------
        Hubness
            Its `skewness` is the usual single number: high means hubs.
        """
        k = min(k, self.n_samples_fit_)
        indices = self.kneighbors(X, n_neighbors=k, return_distance=False)
        return Hubness.of(indices, self.n_samples_fit_)

    def to_faiss(self, kind: str = "flat", metric: str = "l2", *, queries: str = "raw") -> Any:
        """A FAISS index of the references under the learned distance, for raw queries.

        Parameters
        ----------
        kind : {"flat", "ivf", "hnsw"}
            Exact, by lists, or by a graph.
        metric : {"l2", "ip", "cosine"}
            What the index ranks by: the smallest L2 distance, the largest inner product of vectors with one
            extra coordinate, or the largest cosine with two. The neighbours are the same.
        queries : {"raw", "embedded"}
            "raw": search with the rows that `predict` takes; they are transformed inside the index.
            "embedded": a bare index, for ``distance_.folded(metric, references_).embed_queries(X)``; lists
            and graphs by inner product hold vectors folded for "cosine".

        Returns
        -------
        faiss.Index
            With Move-labeled and L2, queries are not transformed, so this is a plain index that can replace
            one in production. Otherwise "raw" gives an `IndexPreTransform`: add new references, embedded,
            to its ``.index``, not to itself.

        Raises
        ------
        TypeError
            If the distance is not an embedding, or if queries are not embedded by an affine map.

        Warns
        -----
        UserWarning
            If the references look standardised: queries must then be scaled in the same way.
            `nearkin.to_faiss` takes a whole pipeline, including the scaler.
        """
        from nearkin.predictors.faiss_handover import index_of

        check_is_fitted(self)
        return index_of(self, kind, metric, queries)

    def _vote_weights(self, distances: np.ndarray, indices: np.ndarray) -> np.ndarray:
        """Weight of each neighbour, by its distance and by the weight of its row."""
        weights = self._distance_weights(distances)
        of_rows = getattr(self, "_row_weights", None)
        if of_rows is None:
            return weights
        weighted = weights * of_rows[indices]
        # If all neighbours have weight zero, they vote as if rows had no weights.
        silent = ~(weighted > 0).any(axis=1)
        weighted[silent] = weights[silent]
        return weighted

    def _distance_weights(self, distances: np.ndarray) -> np.ndarray:
        """Weight of each neighbour by its distance; if some are at distance zero, only they count."""
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
