"""Where training starts: initial coordinates, and prototypes in them."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, eigh

from nearkin.learners.prototype.training import LabelledRows
from nearkin.numerics.products import squared_distances
from nearkin.numerics.threads import blas_threads

METRIC_STARTS = ("auto", "standard", "whiten", "pca", "identity")
PROTOTYPE_STARTS = ("random", "kmeans")
# How much of the within-class covariance is replaced by a multiple of the identity.
SHRINKAGE = 0.1
LLOYD_PASSES = 100


def weighted_moments(X, weights) -> tuple[np.ndarray, np.ndarray]:
    """Weighted mean and standard deviation of each column; a constant column has deviation 0."""
    mean = weights @ X
    deviation = np.sqrt(weights @ np.square(X - mean))
    # The deviation of a constant column is rounding, in proportion to its value.
    rounding = 10 * np.finfo(X.dtype).eps * np.abs(mean)
    return mean, np.where(deviation > rounding, deviation, 0)


def _inverse_or_zero(values) -> np.ndarray:
    return np.divide(1, values, out=np.zeros_like(values), where=values > 0)


def _class_means(X, y, weights) -> np.ndarray:
    """The mean of its class for each row."""
    n_classes = y.max() + 1
    membership = np.zeros((n_classes, len(y)), dtype=X.dtype)
    membership[y, np.arange(len(y))] = weights
    return ((membership @ X) / membership.sum(axis=1, keepdims=True))[y]


def _descending_eigenvectors(covariance, count) -> tuple[np.ndarray, np.ndarray]:
    """The `count` largest eigenvalues and their eigenvectors as columns."""
    size = len(covariance)
    exact = covariance.astype(np.float64)
    # Several threads make an eigendecomposition of this size slower.
    with blas_threads(0):
        try:
            # If few eigenvectors are wanted, computing only those is faster.
            driver, chosen = ("evr", (size - count, size - 1)) if count < size / 2 else ("evd", None)
            values, vectors = eigh(exact, subset_by_index=chosen, driver=driver)
        except LinAlgError:
            # LAPACK's routine for some eigenvalues can fail where many are equal, as for a narrow kernel.
            values, vectors = eigh(exact, driver="evd")
    return values[::-1][:count].astype(covariance.dtype), vectors[:, ::-1][:, :count].astype(covariance.dtype)


def _principal_axes(centred, weights, count) -> np.ndarray:
    """The `count` leading principal axes; with fewer rows than features, only those in their span."""
    n, d = centred.shape
    if n > d:
        return _descending_eigenvectors((centred * weights[:, None]).T @ centred, count)[1].T
    rows = centred * np.sqrt(weights)[:, None]
    values, vectors = _descending_eigenvectors(rows @ rows.T, min(count, n))
    spanned = max(1, int(np.sum(values > 10 * d * np.finfo(rows.dtype).eps * values[0])))
    lengths = np.sqrt(np.maximum(values[:spanned], np.finfo(rows.dtype).tiny))
    return (vectors[:, :spanned] / lengths).T @ rows


def start_matrix(X, y, weights, kind, n_components) -> tuple[np.ndarray, np.ndarray]:
    """Matrix (e x d, or a vector of d scales) and origin of the coordinates in which training starts.

    For every `kind` the mean squared coordinate is 1, so that the solver's steps do not depend on the
    units of the data, and a constant column has no weight.
    """
    mean, deviation = weighted_moments(X, weights)
    if kind == "identity":
        matrix = (deviation > 0).astype(X.dtype)
    elif kind == "standard":
        matrix = _inverse_or_zero(deviation)
    elif kind == "pca":
        matrix = _principal_axes(X - mean, weights, n_components)
    else:
        matrix = _whitening(X - mean, y, weights, _inverse_or_zero(deviation))[:n_components]
    return scaled_to_unit_power(X - mean, weights, matrix), mean


def scaled_to_unit_power(centred, weights, matrix) -> np.ndarray:
    """The matrix, scaled so that the mean squared coordinate is 1."""
    U = centred * matrix if matrix.ndim == 1 else centred @ matrix.T
    power = float(weights @ np.square(U).mean(axis=1))
    return (matrix / np.sqrt(power)).astype(matrix.dtype, copy=False) if power > 0 else matrix


def _whitening(centred, y, weights, scales) -> np.ndarray:
    """Rows that whiten the shrunk within-class covariance, the most discriminative first."""
    scaled = centred * scales
    within = scaled - _class_means(scaled, y, weights)
    covariance = (within * weights[:, None]).T @ within
    shrunk = SHRINKAGE * np.trace(covariance) / len(covariance)
    covariance = (1 - SHRINKAGE) * covariance
    covariance[np.diag_indices_from(covariance)] += shrunk if shrunk > 0 else 1
    values, vectors = _descending_eigenvectors(covariance, len(covariance))
    white = (vectors / np.sqrt(values)).T
    between = _class_means(scaled, y, weights) @ white.T
    spread = scaled @ white.T
    # A small share of the total scatter orders the directions in which the class means do not differ.
    contrast = (between * weights[:, None]).T @ between + 1e-3 * (spread * weights[:, None]).T @ spread
    _, rotation = _descending_eigenvectors(contrast, len(contrast))
    return rotation.T @ white * scales


def start_prototypes(data: LabelledRows, counts, init, rng) -> tuple[np.ndarray, np.ndarray]:
    """Positions and classes of ``counts[c]`` prototypes for each class c."""
    centres, labels = [], []
    for c, count in enumerate(counts):
        members = np.flatnonzero(data.y == c)
        if init == "kmeans" and count < len(members):
            centres.append(_cluster_means(data.U[members], data.weights[members], count, rng))
        else:
            centres.append(data.U[rng.choice(members, count, replace=False)])
        labels.append(np.full(count, c))
    return np.concatenate(centres).astype(data.U.dtype, copy=False), np.concatenate(labels)


def _cluster_means(U, weights, count, rng) -> np.ndarray:
    """Weighted k-means by Lloyd's algorithm from k-means++ seeds.

    scikit-learn's KMeans gives the same, but spends milliseconds per class on limiting threads, several
    times what training takes on small sets, and its sums depend on the order in which threads finish.
    """
    # Imported here because it would noticeably slow down importing nearkin.
    from sklearn.cluster import kmeans_plusplus

    means, _ = kmeans_plusplus(U, count, sample_weight=weights, random_state=rng)
    nearest = np.full(len(U), -1)
    for _ in range(LLOYD_PASSES):
        before, nearest = nearest, squared_distances(U, means).argmin(axis=1)
        if np.array_equal(before, nearest):
            break
        membership = np.zeros((count, len(U)), dtype=U.dtype)
        membership[nearest, np.arange(len(U))] = weights
        mass = membership.sum(axis=1, keepdims=True)
        # An empty cluster keeps its centre.
        means = np.where(mass > 0, membership @ U * _inverse_or_zero(mass), means)
    return means


def start_metrics(n_prototypes, n_coordinates, rank, dtype) -> np.ndarray:
    """Identity metrics: the first `rank` coordinates, or unit weights for ``rank=None``."""
    if rank is None:
        return np.ones((n_prototypes, n_coordinates), dtype=dtype)
    return np.repeat(np.eye(rank, n_coordinates, dtype=dtype)[None], n_prototypes, axis=0)
