"""Rows as smooth mixtures of anchor points: weights on the simplex, with a certified gap.

With rows X, anchors U and a graph Laplacian Lap the weights W minimise

    ||X - W U||_F^2 + locality sum_il W_il ||x_i - u_l||^2 + smoothness tr(W' Lap W),   rows on the simplex.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nearkin.numerics.products import squared_distances


def project_rows_to_simplex(V: np.ndarray) -> np.ndarray:
    """The nearest point of the simplex to each row, by one sort.

    >>> project_rows_to_simplex(np.array([[0.5, 0.9], [3.0, -1.0]]))
    array([[0.3, 0.7],
           [1. , 0. ]])
    """
    falling = -np.sort(-V, axis=1)
    excess = np.cumsum(falling, axis=1) - 1
    ranks = np.arange(1, V.shape[1] + 1)
    count = np.count_nonzero(falling * ranks > excess, axis=1)
    shift = excess[np.arange(len(V)), count - 1] / count
    return np.maximum(V - shift[:, None], 0)


def heat_laplacian(neighbours: np.ndarray, squared: np.ndarray) -> sparse.csr_array:
    """Graph Laplacian of nearest neighbours with self-tuned heat weights ``exp(-d^2 / (s_i s_j))``.

    s_i is the distance of row i to its last neighbour. The graph is symmetric: a pair is connected if either
    row is a neighbour of the other.

    Parameters
    ----------
    neighbours : int array of shape (n, k)
    squared : ndarray of shape (n, k)
        Their squared distances, rising.
    """
    n, k = neighbours.shape
    reach = np.sqrt(squared[:, -1])
    scale = np.maximum(reach[:, None] * reach[neighbours], np.finfo(np.float64).tiny)
    rows = np.repeat(np.arange(n), k)
    A = sparse.csr_array((np.exp(-squared / scale).ravel(), (rows, neighbours.ravel())), shape=(n, n))
    A = A.maximum(A.T)
    return (sparse.diags_array(A.sum(axis=1)) - A).tocsr()


def anchor_weights(
    X: np.ndarray,
    anchors: np.ndarray,
    laplacian: sparse.csr_array,
    *,
    locality: float,
    smoothness: float,
    tol: float = 1e-3,
    max_iter: int = 2000,
) -> tuple[np.ndarray, float]:
    """Weights of the anchors at every row, and the gap that certifies them.

    Returns
    -------
    W : ndarray of shape (n, m)
        Rows on the simplex.
    gap : float
        Upper bound on the distance from the optimum, relative to the objective.

    Notes
    -----
    Accelerated projected gradient with restarts; a step costs n m (d + m + k) for k neighbours.
    """
    gram, cross = anchors @ anchors.T, X @ anchors.T
    cost = locality * squared_distances(X, anchors) - 2 * cross
    constant = float(np.einsum("ij,ij->", X, X))
    # No eigenvalue of a graph Laplacian exceeds twice the largest degree.
    curvature = 2 * float(np.linalg.eigvalsh(gram)[-1]) + 4 * smoothness * float(laplacian.diagonal().max())

    def gradient_and_value(W):
        smooth = W @ gram + smoothness * (laplacian @ W)
        return 2 * smooth + cost, float(np.einsum("ij,ij->", W, smooth + cost)) + constant

    W = np.full((len(X), len(anchors)), 1 / len(anchors))
    Y, momentum = W, 1.0
    for step in range(max_iter):
        if step % 20 == 0:
            gradient, value = gradient_and_value(W)
            # The minimum of a linear function on the simplex is its smallest coefficient.
            above = float(np.einsum("ij,ij->", gradient, W) - gradient.min(axis=1).sum())
            gap = above / max(value, np.finfo(np.float64).tiny)
            if gap <= tol:
                break
        W_next = project_rows_to_simplex(Y - gradient_and_value(Y)[0] / max(curvature, 1e-300))
        if np.einsum("ij,ij->", Y - W_next, W_next - W) > 0:
            momentum = 1.0
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        Y = W_next + (momentum - 1) / following * (W_next - W)
        W, momentum = W_next, following
    return W, gap
