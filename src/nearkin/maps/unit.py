"""Any map with its rows scaled to length one: only directions count."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances.embeddings import Embedding, UnitEmbedding
from nearkin.distances.embeddings.unit import unit_rows
from nearkin.maps.base import Map
from nearkin.maps.linear import LinearMap


class UnitMap(Map):
    """z / |z| for z of another map, so that squared Euclid is 2 (1 - cosine).

    Directions are measured from the origin of the inner map, which for linear maps is the origin of the
    features: centre the features first if their zero has no meaning.

    Parameters
    ----------
    inner : Map or None, default=None
        None is a `LinearMap`.

    Examples
    --------
    >>> cosine, F = UnitMap(LinearMap(init="identity")), np.array([[3.0, 4.0]])
    >>> cosine.forward(cosine.start(F, np.array([0]), np.random.RandomState(0)), F)[0]
    array([[0.6, 0.8]])
    """

    def __init__(self, inner: Map | None = None) -> None:
        self.inner = inner

    @property
    def _inner(self) -> Map:
        return LinearMap() if self.inner is None else self.inner

    @property
    def given_start(self) -> bool:
        return self._inner.given_start

    def lift(self, X: MatrixLike, rng: np.random.RandomState) -> Embedding | None:
        return self._inner.lift(X, rng)

    def lasting_lift(self, X: MatrixLike, rng: np.random.RandomState) -> Embedding | None:
        return self._inner.lasting_lift(X, rng)

    def start(self, F: MatrixLike, y: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        return self._inner.start(F, y, rng)

    def forward(self, theta: np.ndarray, F: MatrixLike) -> tuple[np.ndarray, Any]:
        Z, cache = self._inner.forward(theta, F)
        units, lengths = unit_rows(Z)
        return units, (units, lengths, cache)

    def pullback(self, dZ: np.ndarray, cache: Any) -> np.ndarray:
        units, lengths, inner_cache = cache
        # Only the component orthogonal to a row changes its direction.
        turning = dZ - np.einsum("ij,ij->i", dZ, units)[:, None] * units
        return self._inner.pullback(turning / lengths[:, None], inner_cache)

    def rescaled(self, theta: np.ndarray, unit: float, n_features: int) -> np.ndarray:
        return self._inner.rescaled(theta, unit, n_features)

    def freeze(self, theta: np.ndarray, lift: Embedding | None, n_features: int) -> Embedding:
        return UnitEmbedding(self._inner.freeze(theta, lift, n_features))
