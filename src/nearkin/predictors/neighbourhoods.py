"""Neighbours beyond the k nearest: graphs and radii, under scikit-learn's names."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal, overload

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from nearkin._types import MatrixLike
from nearkin.search.radius import within_radius

MODES = ("connectivity", "distance")


class Neighbourhoods:
    """Mixin of the predictors: what `sklearn.neighbors.NearestNeighbors` has in addition to `kneighbors`."""

    # Provided by the predictor.
    distance_: Any
    references_: Any
    n_samples_fit_: int
    kneighbors: Any
    _validate_queries: Any

    def kneighbors_graph(
        self, X: MatrixLike | None = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> sparse.csr_matrix:
        """Nearest references as a CSR matrix of shape (n_queries, n_samples_fit).

        Parameters
        ----------
        X : array-like or CSR of shape (n_queries, n_features), or None
            The queries; None means the training rows, each without itself.
        n_neighbors : int or None
            How many; the constructor's number by default.
        mode : {"connectivity", "distance"}
            Ones, or learned distances (not squared); entries of a row are in order of nearness.
        """
        _check_mode(mode)
        distances, indices = self.kneighbors(X, n_neighbors)
        n, k = indices.shape
        values = np.ones(n * k) if mode == "connectivity" else distances.ravel()
        starts = np.arange(0, n * k + 1, k)
        return sparse.csr_matrix((values, indices.ravel(), starts), shape=(n, self.n_samples_fit_))

    @overload
    def radius_neighbors(
        self,
        X: MatrixLike | None = ...,
        radius: float = ...,
        return_distance: Literal[True] = ...,
        sort_results: bool = ...,
    ) -> tuple[np.ndarray, np.ndarray]: ...

    @overload
    def radius_neighbors(
        self,
        X: MatrixLike | None = ...,
        radius: float = ...,
        *,
        return_distance: Literal[False],
        sort_results: bool = ...,
    ) -> np.ndarray: ...

    def radius_neighbors(
        self,
        X: MatrixLike | None = None,
        radius: float = 1.0,
        return_distance: bool = True,
        sort_results: bool = False,
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """All references within a radius of each row under the learned distance.

        Parameters
        ----------
        X : array-like or CSR of shape (n_queries, n_features), or None
            The queries; None means the training rows, each without itself.
        radius : float
            In units of the learned distance (not squared); the boundary counts as inside.
        return_distance : bool
            Whether to return the distances too.
        sort_results : bool
            Nearest first; otherwise in the order of the training rows.

        Returns
        -------
        distances : ndarray of shape (n_queries,) of arrays
            Only if `return_distance`.
        indices : ndarray of shape (n_queries,) of arrays
            Rows of the training set.

        Notes
        -----
        Always exact, whatever the index: m n distances, in blocks of bounded memory.
        """
        check_is_fitted(self)
        if not isinstance(radius, Real) or not float(radius) >= 0:
            raise ValueError(f"radius={radius!r}: expected a number of at least 0.")
        queries = self.references_ if X is None else self._validate_queries(X)
        distances, indices = within_radius(self.distance_, self.references_, queries, float(radius))
        if X is None:
            others = [found != row for row, found in enumerate(indices)]
            distances = [found[keep] for found, keep in zip(distances, others)]
            indices = [found[keep] for found, keep in zip(indices, others)]
        if sort_results:
            orders = [np.argsort(found, kind="stable") for found in distances]
            distances = [found[order] for found, order in zip(distances, orders)]
            indices = [found[order] for found, order in zip(indices, orders)]
        return (_ragged(distances), _ragged(indices)) if return_distance else _ragged(indices)

    def radius_neighbors_graph(
        self,
        X: MatrixLike | None = None,
        radius: float = 1.0,
        mode: str = "connectivity",
        sort_results: bool = False,
    ) -> sparse.csr_matrix:
        """References within a radius as a CSR matrix; parameters as in `radius_neighbors`, mode as above."""
        _check_mode(mode)
        distances, indices = self.radius_neighbors(X, radius, sort_results=sort_results)
        starts = np.concatenate([[0], np.cumsum([len(found) for found in indices])])
        found = np.concatenate(list(indices))
        values = np.ones(len(found)) if mode == "connectivity" else np.concatenate(list(distances))
        return sparse.csr_matrix((values, found, starts), shape=(len(indices), self.n_samples_fit_))


def _check_mode(mode: str) -> None:
    if mode not in MODES:
        raise ValueError(f"mode={mode!r}: expected 'connectivity' or 'distance'.")


def _ragged(parts: list[np.ndarray]) -> np.ndarray:
    """Arrays of different lengths in one array of objects, as scikit-learn returns them."""
    out = np.empty(len(parts), dtype=object)
    for position, part in enumerate(parts):
        out[position] = part
    return out
