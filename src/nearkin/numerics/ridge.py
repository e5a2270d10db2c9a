"""Ridge regression from one set of rows to another: primal and dual forms, and their paths over alpha.

The regression is given by weights k of the input rows and a sparse operator O that sums the output
rows of each input: the normal matrix is ``A = X' diag(k) X`` and the right-hand side ``B = X' (O X)``,
whatever the number of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from scipy import linalg, sparse

from nearkin.numerics.class_means import ClassMeans
from nearkin.numerics.products import dense
from nearkin.numerics.threads import blas_threads


def normal_equations(
    X, weights: np.ndarray, outputs: sparse.csr_array, mean: np.ndarray, *, block_bytes: int = 8 * 2**20
):
    """A and B of the centred rows, as float64 d x d arrays.

    Parameters
    ----------
    X : ndarray (already centred) or CSR (not centred) of shape (n, d)
    weights : ndarray of shape (n,)
        Weight of each row as an input; rows of weight zero cost nothing.
    outputs : csr_array or ClassMeans of shape (n, n)
        Row j sums the rows that input j should be mapped to.
    mean : ndarray of shape (d,)
        The mean to subtract from sparse rows; centring them would make them dense.
    block_bytes : int, default=8 MB
        Bytes of dense rows copied at a time.
    """
    if sparse.issparse(X):
        return _sparse_normal_equations(X, weights, outputs, mean)
    d = X.shape[1]
    A, B = np.zeros((d, d)), np.zeros((d, d))
    inputs = np.flatnonzero(weights)
    block = max(256, block_bytes // (X.itemsize * d))
    roots = np.sqrt(weights).astype(X.dtype)
    by_class = isinstance(outputs, ClassMeans)
    if by_class:
        B += outputs.moment(X)
    for start in range(0, len(inputs), block):
        rows = inputs[start : start + block]
        R = X[rows]
        if not by_class:
            B += R.T @ (outputs[rows] @ X)
        R *= roots[rows, None]
        A += R.T @ R
    return A, B


def _sparse_normal_equations(X, weights, outputs, mean):
    A = dense(X.T @ sparse.diags_array(weights) @ X).astype(np.float64)
    if isinstance(outputs, ClassMeans):
        B = outputs.moment(X)
    else:
        B = dense(X.T @ (outputs @ X)).astype(np.float64)
    input_sum = X.T @ weights
    A -= np.outer(input_sum, mean) + np.outer(mean, input_sum) - weights.sum() * np.outer(mean, mean)
    sums_per_input = np.asarray(outputs.sum(axis=1)).ravel()
    output_sum = X.T @ np.asarray(outputs.sum(axis=0)).ravel()
    B -= np.outer(X.T @ sums_per_input, mean) + np.outer(mean, output_sum)
    B += sums_per_input.sum() * np.outer(mean, mean)
    return A, B


def cross_normal_equations(Z, weights, outputs, Q, mean_z: np.ndarray, mean_q: np.ndarray):
    """A and B of the regression of centred rows Q on centred rows Z, as float64 arrays; all may be sparse.

    Parameters
    ----------
    Z : ndarray or CSR of shape (n, d), not centred
    weights : ndarray of shape (n,)
        Weight of each row of Z as an input.
    outputs : csr_array of shape (n, m)
        Row j sums the rows of Q that row j of Z should be mapped to.
    Q : ndarray or CSR of shape (m, e), not centred
    mean_z, mean_q : ndarray of shape (d,) and (e,)
        Means to subtract.
    """
    if not (sparse.issparse(Z) or sparse.issparse(Q)):
        used = np.flatnonzero(weights)
        R = (Z[used] - mean_z).astype(np.float64, copy=False)
        B = R.T @ (outputs[used] @ (Q - mean_q))
        R *= np.sqrt(weights[used])[:, None]
        return R.T @ R, B
    A = dense(Z.T @ sparse.diags_array(weights) @ Z).astype(np.float64)
    input_sum = Z.T @ weights
    A -= np.outer(input_sum, mean_z) + np.outer(mean_z, input_sum)
    A += weights.sum() * np.outer(mean_z, mean_z)
    B = dense(Z.T @ (outputs @ Q)).astype(np.float64)
    per_input, per_output = np.asarray(outputs.sum(axis=1)).ravel(), np.asarray(outputs.sum(axis=0)).ravel()
    B -= np.outer(Z.T @ per_input, mean_q) + np.outer(mean_z, Q.T @ per_output)
    B += per_input.sum() * np.outer(mean_z, mean_q)
    return A, B


def solve_ridge(A: np.ndarray, B: np.ndarray, alpha: float) -> np.ndarray:
    """``inv(A + alpha I) @ B`` for symmetric A >= 0; the least-norm solution if that is singular.

    >>> solve_ridge(np.diag([1.0, 0.0]), np.array([[2.0], [0.0]]), 0.0)
    array([[2.],
           [0.]])
    """
    shifted = A.copy()
    shifted.flat[:: len(A) + 1] += alpha
    with blas_threads(len(A) ** 3):
        try:
            return linalg.cho_solve(linalg.cho_factor(shifted, overwrite_a=True, check_finite=False), B)
        except linalg.LinAlgError:
            values, vectors = linalg.eigh(A)
            return _from_spectrum(values + alpha, vectors, vectors.T @ B)


def ridge_path(A: np.ndarray, B: np.ndarray, alphas) -> list[np.ndarray]:
    """`solve_ridge` for every alpha, from one eigendecomposition of A."""
    with blas_threads(len(A) ** 3):
        values, vectors = linalg.eigh(A)
        rotated = vectors.T @ B
        return [_from_spectrum(values + alpha, vectors, rotated) for alpha in alphas]


def _from_spectrum(values: np.ndarray, vectors: np.ndarray, rotated: np.ndarray) -> np.ndarray:
    cutoff = np.finfo(values.dtype).eps * len(values) * max(abs(values).max(), 0.0)
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=values > cutoff)
    return (vectors * inverse) @ rotated


def dual_coefficients(
    gram: np.ndarray, weights: np.ndarray, alphas, *, largest_eigendecomposition: int = 2_500
) -> Iterator[np.ndarray]:
    """The matrices F of the dual form, one per alpha, computed one at a time.

    With S = diag(sqrt k) X_I the rows of the inputs I (all weights positive here), push-through
    gives ``inv(X_I' K X_I + alpha I) X_I' = X_I' F``, ``F = sqrt(K) inv(S S' + alpha I) / sqrt(K)``,
    so a mapped row is ``(x . X_I') F (O X)``, which only requires inner products and the output rows.

    Parameters
    ----------
    gram : ndarray of shape (m, m)
        Inner products of the input rows.
    weights : ndarray of shape (m,)
        Weight k of each, all positive.
    alphas : sequence of float
        A single alpha, or any number for large m, is solved by Cholesky; otherwise all of them from one
        eigendecomposition.
    largest_eigendecomposition : int, default=2500
        Larger m are solved by Cholesky: an eigendecomposition costs as much as a dozen solves, and two more
        arrays.
    """
    roots = np.sqrt(weights).astype(gram.dtype)
    H = gram * roots[:, None]
    H *= roots
    identity = np.eye(len(H), dtype=H.dtype)
    if len(alphas) == 1 or len(H) > largest_eigendecomposition:
        inverses: Iterable[np.ndarray] = (solve_ridge(H, identity, alpha) for alpha in alphas)
    else:
        inverses = ridge_path(H, identity, alphas)
    for inverse in inverses:
        inverse *= roots[:, None]
        inverse /= roots
        yield inverse
