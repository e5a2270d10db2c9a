"""Pairs and triplets of labelled rows, the same in every environment, and the gap of a metric to them."""

from __future__ import annotations

import numpy as np


def balanced_pairs(y: np.ndarray, count: int, seed: int = 0) -> tuple:
    """`count` similar pairs, then `count` dissimilar ones, as row numbers of shape (2 count, 2).

    >>> balanced_pairs(np.array([0, 0, 1, 1]), 2).shape
    (4, 2)
    """
    rng = np.random.RandomState(seed)
    wanted = {True: [], False: []}
    while min(map(len, wanted.values())) < count:
        drawn = rng.randint(len(y), size=(4 * count, 2))
        drawn = drawn[drawn[:, 0] != drawn[:, 1]]
        same = y[drawn[:, 0]] == y[drawn[:, 1]]
        wanted[True] += drawn[same].tolist()
        wanted[False] += drawn[~same].tolist()
    return np.array(wanted[True][:count] + wanted[False][:count])


def squared_lengths(X: np.ndarray, pairs: np.ndarray, components=None) -> np.ndarray:
    """Squared distance of each pair after the map, by default none."""
    Z = X if components is None else X @ np.asarray(components, dtype=np.float64).T
    return ((Z[pairs[:, 0]] - Z[pairs[:, 1]]) ** 2).sum(axis=1)


def logdet_from_identity(components) -> float:
    """LogDet divergence of the metric from the identity; infinite for a metric without full rank."""
    components = np.asarray(components, dtype=np.float64)
    M = components.T @ components
    sign, logdet = np.linalg.slogdet(M)
    return np.trace(M) - logdet - len(M) if sign > 0 else np.inf
