"""Distances to prototypes with their own metrics, and the smoothed errors of their ratios.

Shapes used throughout: a batch ``X`` is m x e, ``prototypes`` is P x e and ``metrics`` is either P x e
(one weight per feature, squared) or P x r x e (one factor L_s per prototype), so that

    d_s(x) = sum_j metrics[s, j]**2 (x_j - p_sj)**2      or      d_s(x) = ||metrics[s] @ (x - p_s)||**2.
"""

from __future__ import annotations

import numpy as np


def prototype_distances(X, prototypes, metrics) -> np.ndarray:
    """Squared distances of every row to every prototype, each under the prototype's own metric.

    One matrix product with all factors side by side; cost m P r e multiply-adds (m P e for weights).

    >>> prototype_distances(np.array([[3.0, 4.0]]), np.zeros((1, 2)), np.array([[1.0, 0.5]]))
    array([[13.]])
    """
    if metrics.ndim == 2:
        squared = metrics * metrics
        weighted = squared * prototypes
        D = (X * X) @ squared.T
        D -= 2 * (X @ weighted.T)
        D += np.einsum("se,se->s", weighted, prototypes)
        return np.maximum(D, 0, out=D)
    P, r, e = metrics.shape
    Z = (X @ metrics.reshape(P * r, e).T).reshape(X.shape[0], P, r)
    Z -= np.matmul(metrics, prototypes[:, :, None])[:, :, 0]
    return np.einsum("isr,isr->is", Z, Z)


def nearest_same_and_other(D, own) -> tuple[np.ndarray, np.ndarray]:
    """Column of the nearest prototype among those marked in `own` (m x P), and among the others."""
    return np.where(own, D, np.inf).argmin(axis=1), np.where(own, np.inf, D).argmin(axis=1)


def ratio_errors(same, other, beta, tiny) -> np.ndarray:
    """Smoothed errors ``1 / (1 + exp(beta (1 - R)))`` of the ratios ``R = (same + tiny) / (other + tiny)``.

    A point that coincides with both prototypes is undecided (R = 1), not a division by zero.
    """
    with np.errstate(over="ignore"):
        R = (same + tiny) / (other + tiny)
    # Unlike exp, tanh does not overflow for outliers.
    return 0.5 + 0.5 * np.tanh((0.5 * beta) * (R - 1))
