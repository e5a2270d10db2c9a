"""The coordinates in which training takes place, and the rank of a factor in them."""

from __future__ import annotations

import numpy as np

from nearkin.distances.embeddings import CentredEmbedding
from nearkin.learners.prototype.starts import (
    METRIC_STARTS,
    scaled_to_unit_power,
    start_matrix,
    weighted_moments,
)
from nearkin.learners.settings import check_count

# With more features, training uses the leading principal components, and factors have a lower rank.
MANY_COORDINATES = 64
LOW_RANK = 32


def start_coordinates(X, y, weights, init_metric, n_components) -> CentredEmbedding:
    """The map to the coordinates of the given start."""
    n_features = X.shape[1]
    if not isinstance(init_metric, str):
        return _given_coordinates(X, weights, init_metric)
    if init_metric not in METRIC_STARTS:
        raise ValueError(f"init_metric={init_metric!r}: expected one of {list(METRIC_STARTS)} or an array.")
    if n_components is not None and not 1 <= n_components <= n_features:
        raise ValueError(
            f"n_components={n_components!r}: expected 1 to {n_features}, the number of features."
        )
    if init_metric == "auto":
        init_metric = "standard" if n_features <= MANY_COORDINATES and n_components is None else "pca"
    kept = min(n_features, MANY_COORDINATES) if n_components is None else n_components
    try:
        matrix, origin = start_matrix(X, y, weights, init_metric, kept)
    except FloatingPointError:
        raise ValueError("the values of X are too large to square; scale the features first.") from None
    return CentredEmbedding(matrix.astype(X.dtype, copy=False), origin.astype(X.dtype, copy=False))


def _given_coordinates(X, weights, init_metric) -> CentredEmbedding:
    matrix = np.atleast_2d(np.asarray(init_metric, dtype=X.dtype))
    if matrix.ndim != 2 or matrix.shape[1] != X.shape[1] or not np.isfinite(matrix).all():
        raise ValueError(
            f"init_metric has shape {np.shape(init_metric)}; a linear map of {X.shape[1]} features "
            f"needs finite values of shape (e, {X.shape[1]})."
        )
    mean, _ = weighted_moments(X, weights)
    return CentredEmbedding(scaled_to_unit_power(X - mean, weights, matrix), mean)


def resolve_rank(rank, n_coordinates) -> int:
    """Rows of a factor for the setting `rank`.

    >>> resolve_rank(None, 10), resolve_rank(None, 64), resolve_rank(2, 10)
    (10, 32, 2)
    """
    if rank is None:
        return n_coordinates if n_coordinates < MANY_COORDINATES else LOW_RANK
    check_count(words=(None,), rank=rank)
    return min(int(rank), n_coordinates)
