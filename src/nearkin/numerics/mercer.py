"""Mercer kernels by name or as functions, and checks of kernel matrices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils.sparsefuncs import mean_variance_axis

from nearkin.numerics.blocks import blocks
from nearkin.numerics.products import cross_products, squared_distances
from nearkin.numerics.threads import blas_threads

#: Names of the kernels computed here; all other names are scikit-learn's.
KERNELS = ("rbf", "polynomial", "linear")
#: scikit-learn's pairwise functions that are not Mercer kernels.
NOT_MERCER = ("sigmoid", "additive_chi2")


def check_kernel(kernel) -> str | Callable:
    """The canonical name of a kernel, or the function; raises if it is neither.

    Known names are `KERNELS` and the other Mercer kernels of `sklearn.metrics.pairwise.pairwise_kernels`.

    >>> check_kernel("rbf"), check_kernel("poly"), check_kernel("laplacian")
    ('rbf', 'polynomial', 'laplacian')
    """
    kernel = "polynomial" if isinstance(kernel, str) and kernel == "poly" else kernel
    known = (*KERNELS, *sorted(set(PAIRWISE_KERNEL_FUNCTIONS) - {"poly", *KERNELS, *NOT_MERCER}))
    if not callable(kernel) and kernel not in known:
        raise ValueError(f"kernel={kernel!r} is not known; use one of {list(known)} or a function k(A, B).")
    return kernel


def kernel_scale(X, gamma) -> float:
    """The value of `gamma`: itself, or for "scale" one over the summed variances of the columns.

    For standardised columns this equals scikit-learn's "scale"; unlike that, it ignores the means.

    >>> kernel_scale(np.array([[0.0, 5.0], [2.0, 5.0]]), "scale")
    1.0
    """
    if isinstance(gamma, str):
        if gamma != "scale":
            raise ValueError(f"gamma={gamma!r}: expected 'scale' or a positive number.")
        variances = mean_variance_axis(X, axis=0)[1] if sparse.issparse(X) else X.var(axis=0)
        variance = float(variances.sum())
        return 1.0 / variance if variance > 0 else 1.0
    if not np.isfinite(gamma) or gamma <= 0:
        raise ValueError(f"gamma={gamma!r}: expected 'scale' or a positive number.")
    return float(gamma)


def mercer_kernel(A, B, kernel="rbf", *, gamma=1.0, degree=3, coef0=1.0) -> np.ndarray:
    """Kernel values between the rows of A and of B (m x n).

    "rbf" is ``exp(-gamma ||a - b||^2)``, "polynomial" ``(gamma a.b + coef0)^degree``, "linear" ``a.b``;
    other names are scikit-learn's; a function is called with A and B and must return the m x n matrix.

    >>> mercer_kernel(np.array([[1.0]]), np.array([[2.0], [3.0]]), "polynomial", degree=2)
    array([[ 9., 16.]])
    """
    kernel = check_kernel(kernel)
    if callable(kernel):
        K = np.asarray(kernel(A, B))
        if K.shape != (A.shape[0], B.shape[0]):
            raise ValueError(
                f"the kernel function returned shape {K.shape} for {A.shape[0]} and {B.shape[0]} rows; "
                f"it must return one value per pair, shape {(A.shape[0], B.shape[0])}."
            )
        if not np.isfinite(K).all():
            raise ValueError("the kernel function returned infinite or missing values.")
        return K.astype(A.dtype, copy=False)
    if kernel == "linear":
        return cross_products(A, B)
    if kernel == "polynomial":
        K = cross_products(A, B)
        K *= A.dtype.type(gamma)
        K += A.dtype.type(coef0)
        return K**degree
    if kernel != "rbf":
        settings = {"gamma": gamma, "degree": degree, "coef0": coef0}
        K = pairwise_kernels(A, B, metric=kernel, filter_params=True, **settings)
        return np.asarray(K).astype(A.dtype, copy=False)
    K = _accurate_distances(A, B)
    K *= -A.dtype.type(gamma)
    return np.exp(K, out=K)


def _accurate_distances(A, B) -> np.ndarray:
    """Squared distances with few digits lost to cancellation, in the precision of A."""
    if not sparse.issparse(A) and not sparse.issparse(B):
        # Centring does not change differences.
        centre = B.mean(axis=0)
        return squared_distances(A - centre, B - centre)
    # Sparse rows cannot be centred; products are computed in double precision, block by block.
    D = np.empty((A.shape[0], B.shape[0]), dtype=A.dtype)
    exact = B.astype(np.float64)
    for part in blocks(*D.shape):
        D[part] = squared_distances(A[part].astype(np.float64), exact)
    return D


def kernel_slope(kernel, *, gamma=1.0, degree=3, coef0=1.0) -> float:
    """Ratio of squared distances in the feature space of a kernel to those of rows, near the origin.

    One if that is not known: for a function, for scikit-learn's kernels, and if the slope is zero.

    >>> kernel_slope("rbf", gamma=0.25), kernel_slope("polynomial", gamma=0.5, degree=3, coef0=2.0)
    (0.5, 6.0)
    """
    kernel = check_kernel(kernel)
    if kernel not in ("rbf", "polynomial"):
        return 1.0
    slope = 2.0 * gamma if kernel == "rbf" else degree * gamma * coef0 ** (degree - 1)
    return slope if slope > 0 else 1.0


def kernel_eigenpairs(K, *, relative_cut=None, cut=0.0) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (descending) and eigenvectors of a kernel matrix, without its numerical null space.

    `relative_cut` and `cut` leave out more: eigenvalues below this share of the largest, or below this.
    Raises if K is not symmetric or not positive semi-definite, up to rounding.
    """
    values, vectors = np.linalg.eigh(_symmetric(K))
    rounding = 10 * np.finfo(K.dtype).eps * K.shape[0] * max(values[-1], np.abs(K).max(initial=0))
    if values[0] < -rounding:
        raise ValueError(
            f"the kernel matrix is not positive semi-definite (smallest eigenvalue {values[0]:.3g}, largest "
            f"{values[-1]:.3g}); use a Mercer kernel such as 'rbf', 'polynomial' or 'linear'."
        )
    cut = max(rounding, cut, 0.0 if relative_cut is None else relative_cut * values[-1])
    kept = np.flatnonzero(values > cut)[::-1]
    if len(kept) == 0:
        raise ValueError("the kernel is zero between all rows; choose another kernel or gamma.")
    return values[kept], vectors[:, kept]


def kernel_basis(K, dtype=None) -> np.ndarray:
    """Rows T such that inner products of ``k(X, landmarks) @ T.T`` are the kernel.

    K is the kernel between the landmarks, and `dtype` that of ``k(X, landmarks)``, by default the same.
    Such coordinates are unique up to a rotation: T is the inverse of a Cholesky factor if K is well
    conditioned, and otherwise computed from its eigenvectors without the null space, at ten times the
    cost. Raises as `kernel_eigenpairs` does.

    A wide kernel is nearly constant: all but its first eigenvalue are small beside its values, and what
    tells rows apart is in those. With rows in single precision they are seen if K is in double precision.

    >>> kernel_basis(np.diag([4.0, 1.0]))
    array([[0.5, 0. ],
           [0. , 1. ]])
    """
    dtype = K.dtype if dtype is None else np.dtype(dtype)
    precision = np.finfo(dtype).eps
    try:
        with blas_threads(len(K) ** 3 / 3):
            factor = cholesky(_symmetric(K), lower=True)
            pivots = np.diag(factor) ** 2
            if pivots.min() > 1e4 * precision * pivots.max():
                return solve_triangular(factor, np.eye(len(K)), lower=True).astype(dtype, copy=False)
    except LinAlgError:
        # Singular, or not a Mercer kernel: the eigenvalues decide.
        pass
    # A coordinate with eigenvalue v is about sqrt(v / n) long, and rounding of the kernel's values makes an
    # error of about precision / sqrt(v) in it: below this v it would be mostly error.
    cut = 10 * precision * np.sqrt(len(K)) * np.abs(K).max(initial=0)
    values, vectors = kernel_eigenpairs(K, cut=cut)
    return (vectors / np.sqrt(values)).T.astype(dtype, copy=False)


def _symmetric(K) -> np.ndarray:
    """K in float64, made symmetric; raises if the asymmetry is more than rounding."""
    if not np.allclose(K, K.T, rtol=0, atol=1e3 * np.finfo(K.dtype).eps * np.abs(K).max(initial=0)):
        raise ValueError("the kernel is not symmetric: k(a, b) must equal k(b, a).")
    return ((K + K.T) / 2).astype(np.float64)
