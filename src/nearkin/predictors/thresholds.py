"""Thresholds on distances below which pairs are predicted to belong together."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

CRITERIA = ("accuracy", "f1")


def best_cut(
    distances: np.ndarray, same: np.ndarray, criterion: str, weights: np.ndarray | None = None
) -> float:
    """The threshold that separates pairs best, halfway between two distances.

    Of several equally good ones, the one in the widest gap.

    Parameters
    ----------
    distances : ndarray of shape (T,)
    same : bool array of shape (T,)
    criterion : {"accuracy", "f1"}
        What to maximise when pairs up to the threshold are predicted to be the same.
    weights : ndarray of shape (T,), optional

    Notes
    -----
    One sort of the distances.

    Examples
    --------
    >>> best_cut(np.array([1.0, 2.0, 4.0]), np.array([True, True, False]), "accuracy")
    3.0
    """
    order = np.argsort(distances, kind="stable")
    weights = np.ones(len(order)) if weights is None else np.asarray(weights, dtype=np.float64)
    D, similar = np.asarray(distances, dtype=np.float64)[order], np.where(same, weights, 0.0)[order]
    # hits and told after the first 0, 1, ..., T pairs in order of distance.
    hits = np.concatenate([[0.0], np.cumsum(similar)])
    told = np.concatenate([[0.0], np.cumsum(weights[order])])
    scores = 2 * hits - told if criterion == "accuracy" else 2 * hits / (told + hits[-1])
    beyond = D.mean() or 1.0
    edges = np.concatenate([[D[0] - beyond], D, [D[-1] + beyond]])
    gaps = np.diff(edges)
    # Equal distances cannot be separated; predicting all or none is the last resort.
    scores[gaps <= 0] = -np.inf
    gaps[[0, -1]] = 0
    best = np.lexsort((-gaps, -scores))[0]
    # Sums of weights in another order may differ in their last digits; such scores count as equal.
    near = scores >= scores[best] - 1e-12 * max(1.0, told[-1])
    best = np.flatnonzero(near)[gaps[near].argmax()]
    return float((edges[best] + edges[best + 1]) / 2)


def logistic_scale(margins: np.ndarray, same: np.ndarray, weights: np.ndarray | None = None) -> float:
    """The factor a > 0 for which expit(a * margin) predicts `same` with the smallest log-loss.

    As in Platt's scaling, targets are smoothed as if one more pair of each kind had been seen, so that
    probabilities stay away from 0 and 1 even if pairs can be separated without error.

    Examples
    --------
    >>> from scipy.special import expit
    >>> margins = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])
    >>> round(float(expit(logistic_scale(margins, margins > 0))), 3)  # (3 + 1) / (3 + 2)
    0.8
    """
    weights = np.ones(len(margins)) if weights is None else np.asarray(weights, dtype=np.float64)
    unit = float(np.average(np.abs(margins), weights=weights))
    if not unit > 0:
        return 1.0
    u = margins / unit
    n_same, n_other = np.count_nonzero(same), np.count_nonzero(~same)
    wanted = np.where(same, (n_same + 1) / (n_same + 2), 1 / (n_other + 2))

    def log_loss(log_a: float) -> float:
        scores = np.exp(log_a) * u
        return float(weights @ (wanted * np.logaddexp(0, -scores) + (1 - wanted) * np.logaddexp(0, scores)))

    # A distance that is worse than chance gets a factor near zero instead of a negative one.
    found = minimize_scalar(log_loss, bounds=(np.log(1e-3), np.log(1e3)), method="bounded")
    return float(np.exp(found.x)) / unit
