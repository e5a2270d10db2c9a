"""The contract of every index: `build` and `query`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from nearkin._types import MatrixLike


class Index(BaseEstimator, ABC):
    """Nearest references under squared Euclid.

    `query` returns squared distances and row numbers, each m x k, every row sorted by distance and then by
    row number. If several references tie for the last place, an exact index takes the lowest row numbers.

    An index has scikit-learn's parameters (`get_params`, `clone`), all plain values. Predictors build a
    clone of it, so that one instance can be passed to several of them, and a stored predictor can rebuild
    its index.
    """

    #: Whether the neighbours found are the true ones.
    exact: bool = True

    @abstractmethod
    def build(self, references: MatrixLike) -> Self:
        """Index the references (n x e); returns self."""

    @abstractmethod
    def query(self, queries: MatrixLike, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """The `n_neighbors` nearest references of each query."""


def float_rows(rows: MatrixLike, owner: Index, *, accept_sparse: bool = False) -> Any:
    """Rows as a C-contiguous float array, or CSR if accepted; float32 and float64 are kept."""
    if sparse.issparse(rows):
        if not accept_sparse:
            raise TypeError(
                f"{type(owner).__name__} cannot hold sparse rows; use index='exact', or make them dense "
                "with .toarray() if they fit."
            )
        rows = rows.tocsr()
    else:
        rows = np.asarray(rows)
    if rows.ndim != 2:
        raise ValueError(
            f"expected rows as a 2-D array, got shape {rows.shape}; use X.reshape(1, -1) for one row."
        )
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    return rows if sparse.issparse(rows) else np.ascontiguousarray(rows)


def check_query(owner: Index, queries: MatrixLike, n_neighbors: int) -> None:
    """Raise unless `owner` is built, has enough references, and the queries have the right width."""
    if not hasattr(owner, "shape_"):
        raise NotFittedError(
            f"this {type(owner).__name__} holds no references yet: call build(references) first."
        )
    n, width = owner.shape_
    if queries.ndim != 2 or queries.shape[1] != width:
        raise ValueError(f"queries have shape {queries.shape}, but the references have {width} columns.")
    if not 1 <= n_neighbors <= n:
        raise ValueError(
            f"n_neighbors={n_neighbors}, but there are {n} references; it must be between 1 and {n}."
        )
