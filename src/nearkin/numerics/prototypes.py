"""Distances to prototypes that carry their own metric, the ratio objective, and its gradients.

Shapes used throughout: a batch ``X`` is m x e, ``prototypes`` is P x e and ``metrics`` is either P x e
(one weight per feature, squared) or P x r x e (one factor L_s per prototype), so that

    d_s(x) = sum_j metrics[s, j]**2 (x_j - p_sj)**2      or      d_s(x) = ||metrics[s] @ (x - p_s)||**2.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

# The dense pullback does P / 2 times the needed work in one product; beyond this many multiply-adds
# a loop over the prototypes that were hit is faster.
DENSE_PULLBACK_MULTIPLY_ADDS = 2e6


class Forward(NamedTuple):
    """Distances of a batch to all prototypes and what the pullback needs again."""

    distances: np.ndarray  # m x P
    projected: np.ndarray | None  # m x P x r: metrics[s] @ (x_i - p_s); None for weight vectors


def prototype_distances(X, prototypes, metrics) -> Forward:
    """Squared distances of every row to every prototype, each under the prototype's own metric.

    One matrix product with all factors side by side; cost m P r e multiply-adds (m P e for weights).

    >>> prototype_distances(np.array([[3.0, 4.0]]), np.zeros((1, 2)), np.array([[1.0, 0.5]])).distances
    array([[13.]])
    """
    if metrics.ndim == 2:
        squared = metrics * metrics
        weighted = squared * prototypes
        D = (X * X) @ squared.T
        D -= 2 * (X @ weighted.T)
        D += np.einsum("se,se->s", weighted, prototypes)
        return Forward(np.maximum(D, 0, out=D), None)
    P, r, e = metrics.shape
    Z = (X @ metrics.reshape(P * r, e).T).reshape(X.shape[0], P, r)
    Z -= np.matmul(metrics, prototypes[:, :, None])[:, :, 0]
    return Forward(np.einsum("isr,isr->is", Z, Z), Z)


def nearest_same_and_other(D, own) -> tuple[np.ndarray, np.ndarray]:
    """Column of the nearest prototype where `own` (m x P) holds, and where it does not."""
    return np.where(own, D, np.inf).argmin(axis=1), np.where(own, np.inf, D).argmin(axis=1)


def ratio_errors(same, other, beta, tiny) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Smoothed errors of the ratio same / other and their slopes by either distance.

    The error is ``1 / (1 + exp(beta (1 - R)))`` with ``R = (same + tiny) / (other + tiny)``: a point on
    both prototypes at once is undecided (R = 1), not a division by zero.
    """
    denominator = other + tiny
    with np.errstate(over="ignore"):
        R = (same + tiny) / denominator
    # tanh never overflows, which exp would for an outlier far beyond the window.
    errors = 0.5 + 0.5 * np.tanh((0.5 * beta) * (R - 1))
    slope = beta * errors * (1 - errors) / denominator
    # Far outside the window 0 * inf must stay 0.
    return errors, slope, -slope * np.where(slope > 0, R, 0)


def pull_back(forward, X, prototypes, metrics, columns, slopes, grad_prototypes, grad_metrics) -> None:
    """Write to both gradients those of ``sum_ki slopes_ki d_{columns_ki}(x_i)``.

    `columns` and `slopes` are k x m: each row of X counts with k prototypes.
    """
    if metrics.ndim == 2:
        _pull_back_to_weights(X, prototypes, metrics, columns, slopes, grad_prototypes, grad_metrics)
        return
    P, r, e = metrics.shape
    m = X.shape[0]
    rows = np.arange(m)
    # pulled[k, i] is the gradient by the projected difference of row i to its k-th prototype.
    pulled = (2 * slopes)[:, :, None] * forward.projected[rows, columns]
    if m * P * r * e <= DENSE_PULLBACK_MULTIPLY_ADDS:
        spread = np.zeros((m, P, r), dtype=X.dtype)
        for chosen, values in zip(columns, pulled):
            spread[rows, chosen] += values
        sums = spread.sum(axis=0)
        np.matmul(spread.reshape(m, P * r).T, X, out=grad_metrics.reshape(P * r, e))
        grad_metrics -= sums[:, :, None] * prototypes[:, None, :]
    else:
        sums = _pull_back_by_groups(X, prototypes, columns.ravel(), pulled.reshape(-1, r), grad_metrics)
    np.negative(np.matmul(sums[:, None, :], metrics)[:, 0, :], out=grad_prototypes)


def _pull_back_by_groups(X, prototypes, columns, pulled, grad_metrics) -> np.ndarray:
    """One product per prototype with the rows that chose it; returns the sums of `pulled` per prototype."""
    P, r, _ = grad_metrics.shape
    order = np.argsort(columns, kind="stable")
    chosen = columns[order]
    bounds = np.searchsorted(chosen, np.arange(P + 1))
    pulled = pulled[order]
    differences = X[order % X.shape[0]]
    differences -= prototypes[chosen]
    for s, (first, last) in enumerate(pairwise(bounds.tolist())):
        # An empty product is zero, as it should be.
        np.dot(pulled[first:last].T, differences[first:last], out=grad_metrics[s])
    sums = np.zeros((P, r), dtype=X.dtype)
    hit = np.flatnonzero(np.diff(bounds))
    sums[hit] = np.add.reduceat(pulled, bounds[hit], axis=0)
    return sums


def _pull_back_to_weights(X, prototypes, weights, columns, slopes, grad_prototypes, grad_weights) -> None:
    m = X.shape[0]
    spread = np.zeros((m, prototypes.shape[0]), dtype=X.dtype)
    rows = np.arange(m)
    for chosen, values in zip(columns, slopes):
        spread[rows, chosen] += values
    totals = spread.sum(axis=0)[:, None]
    first = spread.T @ X
    second = spread.T @ (X * X)
    grad_weights[...] = 2 * weights * (second - 2 * prototypes * first + totals * prototypes * prototypes)
    grad_prototypes[...] = -2 * weights * weights * (first - totals * prototypes)


def ratio_objective(X, own, row_weights, prototypes, metrics, *, beta, tiny, grad_prototypes, grad_metrics):
    """Weighted sum of the smoothed errors of a batch; its gradients overwrite the two given arrays.

    Parameters
    ----------
    X : m x e array
    own : m x P array of bool
        Which prototypes are of the row's own class.
    row_weights : m array
        Weight of each row in the sum.
    prototypes, metrics : P x e, and P x e or P x r x e arrays
    beta : float
        Slope of the sigmoid.
    tiny : float
        Added to both distances of the ratio.
    grad_prototypes, grad_metrics : arrays like prototypes and metrics
    """
    forward = prototype_distances(X, prototypes, metrics)
    same, other = nearest_same_and_other(forward.distances, own)
    rows = np.arange(X.shape[0])
    errors, by_same, by_other = ratio_errors(
        forward.distances[rows, same], forward.distances[rows, other], beta, tiny
    )
    pull_back(
        forward,
        X,
        prototypes,
        metrics,
        np.stack([same, other]),
        np.stack([by_same, by_other]) * row_weights,
        grad_prototypes,
        grad_metrics,
    )
    return float(errors @ row_weights)
