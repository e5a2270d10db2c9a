"""Class centres: the log-probability of a row's class, given its distances to the centres of all classes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import logsumexp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from nearkin._types import Auto
from nearkin.losses.base import Loss, mean_weights
from nearkin.losses.scale import check_scale, usual_scale
from nearkin.numerics.blocks import blocks
from nearkin.numerics.products import squared_distances, squared_norms
from nearkin.pairwise.search import centred, class_segments, unsorted


@dataclass(frozen=True)
class CentreState:
    """Groups of rows and their weights; rows, and with them the groups, are sorted by class."""

    weights: np.ndarray
    #: Group of each row, numbered class after class.
    groups: np.ndarray
    #: Share of each row in the centre of its group, P x n; its product with the rows gives the centres.
    shares: sparse.csr_array
    #: Factor of the squared distance of each row to the centre of its own group.
    stretch: np.ndarray
    temperature: float
    #: First group of each row's class, and the first of the next.
    own_first: np.ndarray
    own_stop: np.ndarray
    order: np.ndarray | None


class CentreLoss(Loss):
    """Cross-entropy of a classifier by the nearest class centre.

    The score of a class is log sum over its centres m_g of exp(-|z - m_g|^2 / (2 temperature)); a row's
    loss is minus the log-softmax of the score of its own class. Centres are means of embedded rows and
    move with them; which rows make up a centre is decided in `prepare`, by k-means in the input space.

    Parameters
    ----------
    n_centres : int, default=1
        Centres per class; a class with no more rows than that has one centre per row. One gives NCMML,
        several give NCMC, one per row the log-likelihood of soft neighbours at half the distances.
    temperature : float or "auto", default="auto"
        "auto" is the mean squared distance of a row to its centre at the start, per dimension, so that the
        unit of the features does not matter. The published NCMML has 1.
    leave_one_out : bool, default=True
        Leave each row out of its own centre, without which small groups overfit. The centre of a single
        row is then ignored for that row, and a row alone in its class has no part in the loss.

    Notes
    -----
    n P e multiply-adds per evaluation for P centres, in blocks of rows: linear in n. Leaving a row out of
    its centre makes the centre W_g / (W_g - w_i) times as far away, W_g being the weight of the group, so
    leaving one out costs nothing.

    References
    ----------
    T. Mensink, J. Verbeek, F. Perronnin, G. Csurka (2013). Distance-Based Image Classification:
    Generalizing to New Classes at Near-Zero Cost. PAMI 35(11).

    Examples
    --------
    >>> loss, Z = CentreLoss(), np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> state = loss.prepare(Z, np.array([0, 0, 1, 1]))
    >>> round(loss.value_and_grad(Z, state)[0], 6)
    0.0
    """

    def __init__(
        self, n_centres: int = 1, temperature: float | Auto = "auto", leave_one_out: bool = True
    ) -> None:
        self.n_centres = n_centres
        self.temperature = temperature
        self.leave_one_out = leave_one_out

    def prepare(
        self,
        X: np.ndarray,
        y: np.ndarray,
        *,
        start: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
    ) -> CentreState:
        self._check_settings()
        codes = np.asarray(y)
        if not np.issubdtype(codes.dtype, np.integer):
            raise ValueError("class centres need classes, but y holds real targets.")
        order, segments = class_segments(codes)
        weights = mean_weights(len(codes), sample_weight)
        if order is not None:
            X, codes, weights = X[order], codes[order], weights[order]
        groups, n_groups = _groups(X, segments, self.n_centres)
        shares = weights / np.bincount(groups, weights)[groups]
        stretch = np.ones(len(codes))
        if self.leave_one_out:
            stretch, weights = _left_out(shares, weights, groups, n_groups[codes])
        first = np.concatenate([[0], np.cumsum(n_groups)])
        members = sparse.csr_array((shares, (groups, np.arange(len(codes)))), shape=(first[-1], len(codes)))
        temperature = self.temperature
        if temperature == "auto":
            Z = centred(X if start is None else start, None if start is None else order)
            Z = Z.astype(np.float64, copy=False)
            temperature = usual_scale(squared_norms(Z - (members @ Z)[groups]) / Z.shape[1])
        return CentreState(
            weights, groups, members, stretch, float(temperature), first[codes], first[codes + 1], order
        )

    def _check_settings(self) -> None:
        if not isinstance(self.n_centres, Integral) or self.n_centres < 1:
            raise ValueError(f"n_centres={self.n_centres!r}: expected an integer of at least 1.")
        check_scale("temperature", self.temperature)

    def value_and_grad(self, Z: np.ndarray, state: Any, *, exact: bool = False) -> tuple[float, np.ndarray]:
        Zc = centred(Z, state.order).astype(np.float64, copy=False)
        centres = state.shares @ Zc
        dZ = np.empty_like(Zc)
        d_centres = np.zeros_like(centres)
        value = 0.0
        # Blocks of a megabyte stay in the cache.
        for rows in blocks(len(Zc), max(centres.shape), at_once=2**17):
            part, slopes = self._judge(squared_distances(Zc[rows], centres), rows, state)
            value += part
            # Of slope_ig |z_i - m_g|^2, in z and in m.
            dZ[rows] = 2 * (slopes.sum(axis=1)[:, None] * Zc[rows] - slopes @ centres)
            d_centres += 2 * (slopes.sum(axis=0)[:, None] * centres - slopes.T @ Zc[rows])
        dZ += state.shares.T @ d_centres
        return value, unsorted(dZ.astype(Z.dtype, copy=False), state.order)

    def _judge(self, distances: np.ndarray, rows: slice, state: Any) -> tuple[float, np.ndarray]:
        """Value of some rows, and its slopes in their squared distances to the centres."""
        weights = state.weights[rows]
        own = np.arange(len(distances)), state.groups[rows]
        hidden = np.isinf(state.stretch[rows])
        stretch = np.where(hidden, 0.0, state.stretch[rows])
        distances[own] *= stretch
        scores = distances / (-2 * state.temperature)
        scores[own] = np.where(hidden, -np.inf, scores[own])
        groups = np.arange(scores.shape[1])
        in_class = (groups >= state.own_first[rows, None]) & (groups < state.own_stop[rows, None])
        own_scores = np.where(in_class, scores, -np.inf)
        log_all, log_own = logsumexp(scores, axis=1), logsumexp(own_scores, axis=1)
        slopes = np.exp(own_scores - log_own[:, None]) - np.exp(scores - log_all[:, None])
        slopes *= weights[:, None] / (2 * state.temperature)
        slopes[own] *= stretch
        return float(weights @ (log_all - log_own)), slopes


def _left_out(
    shares: np.ndarray, weights: np.ndarray, groups: np.ndarray, centres_of_class: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Factors of the distances to centres without the row itself, and weights of the rows that have one.

    The centre of a single row is infinitely far from that row; if it is the only centre of its class, the
    row has weight zero.
    """
    alone = np.bincount(groups)[groups] == 1
    lone = alone & (centres_of_class == 1)
    if lone.all():
        raise ValueError(
            "every class has a single sample, which leaves no centre to judge it by; give at least two "
            "samples of one class."
        )
    stretch = 1 / np.where(alone, 1.0, 1 - shares) ** 2
    stretch[alone & ~lone] = np.inf
    return stretch, np.where(lone, 0.0, weights)


def _groups(X: np.ndarray, segments: np.ndarray, n_centres: int) -> tuple[np.ndarray, np.ndarray]:
    """Group of each row, numbered class after class, and the number of groups of each class."""
    groups = np.empty(len(X), dtype=np.intp)
    counts = np.zeros(len(segments) - 1, dtype=np.intp)
    for code, (first, stop) in enumerate(pairwise(segments)):
        rows = slice(first, stop)
        if n_centres >= stop - first:
            members = np.arange(stop - first)
        elif n_centres == 1:
            members = np.zeros(stop - first, dtype=np.intp)
        else:
            with warnings.catch_warnings():
                # With fewer distinct rows than centres some centres are empty, which does no harm.
                warnings.simplefilter("ignore", ConvergenceWarning)
                found = KMeans(n_centres, n_init=1, random_state=0).fit_predict(X[rows])
            members = np.unique(found, return_inverse=True)[1]
        groups[rows] = counts.sum() + members
        counts[code] = members.max(initial=-1) + 1
    return groups, counts
