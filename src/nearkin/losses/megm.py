"""MEGM: the squared error of leave-one-out kernel predictions, for classes and for real targets."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from nearkin.losses.base import Loss, mean_weights
from nearkin.pairwise import SoftNeighbours, SoftPolicy
from nearkin.pairwise.search import centred, distances_of, nearest_rows

#: Neglected neighbours matter in proportion to the error of a prediction, which is small for most rows: the
#: relative error of a value is about a tenth of the neglected share.
MEGM_POLICY = SoftPolicy(neglected_share=2e-3, evaluations_ahead=1)


class MEGMLoss(Loss):
    """Mean squared error of Nadaraya-Watson predictions, each sample left out of its own.

    yhat_i = sum_j p_ij y_j with p_ij = softmax over j != i of -|z_i - z_j|^2 / (2 s_i); classes count
    as one-hot targets. s_i is half the mean squared distance to the nearest k/2 rows at the start,
    and stays fixed so that the objective is smooth. With real targets this is metric learning for
    kernel regression.

    Parameters
    ----------
    n_neighbors : int, "log2" or None, default="log2"
        k of the widths s_i; "log2" takes log2 n of the training rows. None sets every 2 s_i to one, so that
        all scale is in the map (MLKR).
    policy : SoftPolicy or None, default=None
        How neighbours are found; None takes the defaults.

    Notes
    -----
    Neglected neighbours hold less than 2e-3 of the weights on average; in exact values less than 1e-4 in
    every row. For the cost see `pairwise.SoftNeighbours`; `prepare` searches for the nearest rows once.

    References
    ----------
    N. Zaidi, D. Squire, D. Suter (2010). A Gradient-Based Metric Learning Algorithm for k-NN
    Classifiers. AI 2010.
    K. Weinberger, G. Tesauro (2007). Metric Learning for Kernel Regression. AISTATS 11.

    Examples
    --------
    >>> loss, Z = MEGMLoss(n_neighbors=2), np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> state = loss.prepare(Z, np.array([1.0, 1.0, 5.0, 5.0]))
    >>> round(loss.value_and_grad(Z, state)[0], 6)
    0.0
    """

    policy: SoftPolicy | None = None

    def __init__(
        self, n_neighbors: int | Literal["log2"] | None = "log2", policy: SoftPolicy | None = None
    ) -> None:
        self.n_neighbors = n_neighbors
        self.policy = policy

    def prepare(
        self,
        X: np.ndarray,
        y: np.ndarray,
        *,
        start: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
    ) -> SoftNeighbours:
        start = centred(X if start is None else start, None)
        sharpness, nearest = np.ones(len(start)), None
        if self.n_neighbors is not None:
            k = np.log2(len(start)) if self.n_neighbors == "log2" else self.n_neighbors
            nearest = nearest_rows(start, int(np.clip(round(k / 2), 1, len(start) - 1)))
            widths = distances_of(start, nearest).mean(axis=1, dtype=np.float64) / 2
            sharpness = 1 / (2 * _usable(widths))
        weights = mean_weights(len(start), sample_weight)
        return SoftNeighbours(y, sharpness, weights, nearest=nearest, policy=self.policy or MEGM_POLICY)

    def value_and_grad(self, Z: np.ndarray, state: Any, *, exact: bool = False) -> tuple[float, np.ndarray]:
        return state.value_and_grad(Z, _squared_error, exact=exact)


def _squared_error(q: np.ndarray, rows: Any) -> tuple[float, np.ndarray]:
    """E = sum of w_i |y_i - q_i|^2, q_i being the prediction of y_i from its neighbours."""
    errors = -q
    if rows.codes is None:
        errors += rows.targets
    else:
        errors[np.arange(len(q)), rows.codes] += 1
    value = float(rows.weights @ np.einsum("ij,ij->i", errors, errors))
    errors *= (-2 * rows.weights[:, None]).astype(q.dtype)
    return value, errors


def _usable(widths: np.ndarray) -> np.ndarray:
    """Positive widths: a row among its own duplicates would see nothing else, and gets a typical width."""
    positive = widths[widths > 0]
    if positive.size == 0:
        return np.full(len(widths), 0.5)
    return np.where(widths <= 1e-12 * positive.max(), np.median(positive), widths)
