"""The bias of the nearest neighbour's error at a point, and the metric that removes it.

With finitely many rows the nearest one lies at some distance, where the densities differ from those at the
query. To second order the expected error exceeds its limit by a multiple of tr(M^-1 B), where

    B = sum_c Hess p_c (sum_{j != c} p_j^2 - p_c sum_{j != c} p_j),     p_c = prior times density,

and M is the metric at the query. If B has eigenvalues of both signs, there is an M with trace zero.
"""

from __future__ import annotations

import numpy as np


def bias_weights(log_joint: np.ndarray) -> np.ndarray:
    """Weight of each class's ``Hess p_c / p_c`` in B, up to a positive factor for each row.

    Parameters
    ----------
    log_joint : ndarray of shape (m, C)
        Logarithms of prior times density; any constant may be added to a row.

    Returns
    -------
    weights : ndarray of shape (m, C)
        ``eta_c (sum_{j != c} eta_j^2 - eta_c (1 - eta_c)) / (1 - eta_max)`` for posteriors eta. With two
        classes they differ only in sign and are given as -1 and 1.

    Notes
    -----
    Deep inside one class the other posteriors underflow, so their sum ``1 - eta_max`` is computed on a
    separate scale, and only ratios to it are formed.

    Examples
    --------
    >>> bias_weights(np.log([[0.5, 0.3, 0.2]])).round(3)
    array([[-0.12 , 0.048, 0.072]])
    """
    m, C = log_joint.shape
    if C == 2:
        return np.tile([-1.0, 1.0], (m, 1))
    rows, top = np.arange(m), log_joint.argmax(axis=1)
    others = log_joint.copy()
    others[rows, top] = -np.inf
    highest = others.max(axis=1, keepdims=True)
    shares = np.exp(others - highest)
    total = shares.sum(axis=1, keepdims=True)
    shares /= total
    # Posterior of all classes but the most probable one, and of that one.
    rest = np.exp(-np.logaddexp(0, log_joint[rows, top] - highest[:, 0] - np.log(total[:, 0])))
    largest = 1 - rest
    posteriors = shares * rest[:, None]
    posteriors[rows, top] = largest
    squares = np.square(posteriors)
    weights = shares * (squares.sum(axis=1, keepdims=True) - squares - posteriors * (1 - posteriors))
    weights[rows, top] = largest * (rest * np.square(shares).sum(axis=1) - largest)
    return weights


def unbiased_factors(B: np.ndarray, floor: float, euclid_share: float) -> np.ndarray:
    """Factors of the metrics of determinant one under which the traces tr(M^-1 B) vanish.

    Parameters
    ----------
    B : ndarray of shape (m, d, d)
        Symmetric.
    floor : float in [0, 1]
        Smallest eigenvalue of a metric, as a share of its largest.
    euclid_share : float in [0, 1]
        Share of the identity that is mixed into metrics of mean eigenvalue one.

    Returns
    -------
    factors : ndarray of shape (m, d, d)
        F with ``F'F = M``, so that ``|F v|^2`` is the squared length of v.

    Notes
    -----
    With B = U diag(w) U', the eigenvalues of M are ``n_pos w`` for positive and ``n_neg |w|`` for negative w,
    so that the positive ones add 1 to the trace and the negative ones -1. If all have one sign, M = |B|
    makes the trace smallest; if B = 0, M = I. One eigendecomposition, d^3, for each matrix.

    Examples
    --------
    >>> F = unbiased_factors(np.diag([4.0, -1.0])[None], 0.0, 0.0)[0]
    >>> F.T @ F
    array([[2. , 0. ],
           [0. , 0.5]])
    """
    values, vectors = np.linalg.eigh(B)
    largest = np.abs(values).max(axis=1, keepdims=True)
    values = np.divide(values, largest, out=np.zeros_like(values), where=largest > 0)
    # The sign of a zero eigenvalue would be rounding.
    positive, negative = values > 1e-14, values < -1e-14
    lengths = np.abs(values) * np.where(
        positive, positive.sum(axis=1, keepdims=True), negative.sum(axis=1, keepdims=True)
    )
    lengths[largest[:, 0] == 0] = 1
    lengths = np.maximum(lengths, max(floor, 1e-14) * lengths.max(axis=1, keepdims=True))
    lengths = (1 - euclid_share) * lengths / lengths.mean(axis=1, keepdims=True) + euclid_share
    lengths /= np.exp(np.log(lengths).mean(axis=1, keepdims=True))
    return np.sqrt(lengths)[:, :, None] * vectors.transpose(0, 2, 1)
