"""MEGM: the squared error of leave-one-out kernel predictions, for classes and for real targets."""

from __future__ import annotations

import numpy as np

from nearkin.losses.soft_neighbours import SoftNeighbourLoss
from nearkin.numerics.near_pairs import distances_of, nearest_rows


class MEGMLoss(SoftNeighbourLoss):
    """Mean squared error of Nadaraya-Watson predictions, each sample left out of its own.

    yhat_i = sum_j p_ij y_j with p_ij = softmax over j != i of -|z_i - z_j|^2 / (2 s_i); classes count
    as one-hot targets. s_i is half the mean squared distance to the nearest k/2 rows at the start,
    and stays fixed so that the objective is smooth. With real targets this is metric learning for
    kernel regression.

    Parameters
    ----------
    n_neighbors : int, "log2" or None, default="log2"
        k of the widths s_i; "log2" takes log2 n, as the paper does. None makes every 2 s_i one, so that
        all scale is in the map (MLKR).

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

    # What is left out of a prediction counts in proportion to its error, which is small where it matters:
    # values are right to about a tenth of this, relative to themselves.
    negligible = 2e-3
    # So a few pairs that come in unseen do no harm either.
    evaluations_ahead, share_entered = 1, 0.01

    def __init__(self, n_neighbors="log2"):
        self.n_neighbors = n_neighbors

    def _sharpness(self, start):
        n = len(start)
        if self.n_neighbors is None:
            return np.ones(n), None
        k = np.log2(n) if self.n_neighbors == "log2" else self.n_neighbors
        half = int(np.clip(round(k / 2), 1, n - 1))
        nearest = nearest_rows(start, half)
        widths = distances_of(start, nearest).mean(axis=1, dtype=np.float64) / 2
        positive = widths[widths > 0]
        if positive.size == 0:
            return np.ones(n), nearest
        # Rows among their own duplicates would see nothing else: give them a typical width.
        widths[widths <= 1e-12 * positive.max()] = np.median(positive)
        return 1 / (2 * widths), nearest

    def _judge(self, averages, rows, state):
        weights = state.weights[rows]
        errors = np.negative(averages, out=averages)
        if state.codes is None:
            errors += state.targets[rows]
            on_targets = np.einsum("ij,ij->i", errors, state.targets[rows])
        else:
            own = np.arange(len(errors)), state.codes[rows]
            errors[own] += 1
            on_targets = errors[own]
        squares = np.einsum("ij,ij->i", errors, errors)
        factor = (2 * weights * state.sharpness[rows]).astype(errors.dtype)
        # errors . averages, the averages being the targets less the errors.
        offsets = factor * (squares - on_targets)
        errors *= factor[:, None]
        return float(weights @ squares), errors, offsets
