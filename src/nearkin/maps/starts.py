"""Where the optimisation of a linear map starts."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from nearkin._types import MatrixLike, Start

STARTS = ("auto", "identity", "pca", "lda", "random")


def check_components(n_components: float | None, n_samples: int, n_features: int) -> int:
    """The number of output dimensions.

    None means all features; a number between 0 and 1 means that share of them, rounded up, but no more
    than the samples can span.

    >>> check_components(None, 100, 5), check_components(0.5, 100, 5), check_components(3, 100, 5)
    (5, 3, 3)
    """
    if n_components is None:
        return n_features
    if isinstance(n_components, float) and 0 < n_components < 1:
        return max(1, min(int(np.ceil(n_components * n_features)), n_samples - 1))
    if not isinstance(n_components, int | np.integer) or n_components < 1:
        raise ValueError(f"n_components={n_components!r}: expected None or an integer of at least 1.")
    if n_components > n_features:
        raise ValueError(
            f"n_components={n_components} is more than the {n_features} features; give at most as many."
        )
    return int(n_components)


def linear_start(
    X: MatrixLike, y: np.ndarray, n_components: float | None, init: Start, rng: np.random.RandomState
) -> np.ndarray:
    """The initial matrix (n_components x d).

    Parameters
    ----------
    init : {"auto", "identity", "pca", "lda", "random"} or array
        "auto" is LDA if there are enough classes for the components, else PCA if dimensions are dropped,
        else the identity, as in scikit-learn.

    >>> linear_start(np.eye(3), np.array([0, 1, 1]), 2, "identity", np.random.RandomState(0))
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    n, d = X.shape
    if not isinstance(init, str):
        return _given_start(init, n_components, d)
    if init not in STARTS:
        raise ValueError(f"init={init!r}: expected one of {list(STARTS)} or a matrix.")
    e = check_components(n_components, n, d)
    classes = len(np.unique(y)) if np.issubdtype(np.asarray(y).dtype, np.integer) else 0
    if init == "auto":
        if e <= min(d, classes - 1):
            try:
                return _lda_start(X, y, e, classes)
            except ValueError:
                # Constant or collinear features leave LDA fewer directions than the number of classes allows.
                pass
        init = "pca" if e < min(d, n) else "identity"
    if init == "identity":
        return np.eye(e, d)
    if init == "random":
        return rng.standard_normal((e, d)) / np.sqrt(d)
    if init == "pca":
        if e > min(n, d):
            raise ValueError(f"init='pca' has only {min(n, d)} directions, n_components={e}; use 'identity'.")
        # Constant data have no variance to divide by; any components will do.
        with np.errstate(invalid="ignore"):
            return PCA(e, random_state=rng).fit(X).components_.astype(np.float64)
    return _lda_start(X, y, e, classes)


def _given_start(init: Start, n_components: float | None, d: int) -> np.ndarray:
    matrix = np.array(init, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != d or not np.isfinite(matrix).all():
        raise ValueError(
            f"init of shape {matrix.shape}: expected a finite matrix with one column per feature ({d})."
        )
    if matrix.shape[0] > d or (n_components is not None and matrix.shape[0] != n_components):
        raise ValueError(
            f"init has {matrix.shape[0]} rows, but n_components={n_components} for {d} features."
        )
    return matrix


def _lda_start(X: MatrixLike, y: np.ndarray, e: int, classes: int) -> np.ndarray:
    if classes < 2:
        raise ValueError("init='lda' needs at least two classes; use 'pca' or 'identity'.")
    means = np.stack([X[y == code].mean(axis=0) for code in np.unique(y)])
    within = np.abs(X - means[np.unique(y, return_inverse=True)[1]]).max(initial=0)
    if within <= 10 * np.finfo(X.dtype).eps * np.abs(X).max(initial=0):
        raise ValueError("init='lda' needs rows that differ within a class; use 'pca' or 'identity'.")
    with warnings.catch_warnings():
        # Collinear features only cost LDA some directions, which is checked below.
        warnings.simplefilter("ignore")
        scalings = LinearDiscriminantAnalysis().fit(X, y).scalings_.T.astype(np.float64)
    found = scalings[:e]
    if len(found) < e or not np.isfinite(found).all():
        raise ValueError(f"init='lda' has only {len(found)} directions here, n_components={e}; use 'pca'.")
    return found
