"""What MCML and log-NCA share: log-probabilities of soft neighbours, each row left out of its own."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from nearkin._types import Auto
from nearkin.losses.base import Loss, mean_weights
from nearkin.losses.scale import check_scale, usual_scale
from nearkin.numerics.products import squared_norms
from nearkin.pairwise import SoftPolicy, row_block_gradient
from nearkin.pairwise.row_blocks import precise_enough
from nearkin.pairwise.search import centred, class_segments, unsorted


@dataclass(frozen=True)
class LikelihoodState:
    """Rows sorted by class; those alone in their class have weight zero."""

    weights: np.ndarray
    codes: np.ndarray
    segments: np.ndarray
    order: np.ndarray | None
    #: Factor of the squared distances in the exponents, 1 / (2 temperature).
    sharpness: float

    @classmethod
    def of(cls, codes: np.ndarray, weights: np.ndarray, sharpness: float) -> LikelihoodState:
        """The state of rows in any order."""
        order, segments = class_segments(codes)
        if order is not None:
            codes, weights = codes[order], weights[order]
        lone = np.diff(segments)[codes] == 1
        return cls(np.where(lone, 0.0, weights), codes, segments, order, sharpness)

    def narrowed(self, rows: np.ndarray) -> LikelihoodState:
        """The state of some of the rows; with fewer rows to choose from the value falls by a constant."""
        codes, weights = (unsorted(column, self.order)[rows] for column in (self.codes, self.weights))
        return LikelihoodState.of(codes, mean_weights(len(rows), weights), self.sharpness)

    def neighbours_per_row(self, Z: np.ndarray) -> float:
        """All of them: once a class has collapsed to a point, all its rows are equally likely."""
        return len(Z)

    @property
    def members(self) -> sparse.csr_array:
        """The C x n indicator matrix of the classes: products with it are sums over classes."""
        n = len(self.codes)
        return sparse.csr_array((np.ones(n), (self.codes, np.arange(n))), shape=(len(self.segments) - 1, n))


class NeighbourLikelihoodLoss(Loss):
    """Mean over rows of log sum_{k != i} exp(-s D_ik), plus a term of the row's own class from a subclass.

    s is 1 / (2 temperature), so that p_ij = softmax over j != i of -s D_ij is the probability that j is the
    neighbour of row i. Rows alone in their class are neighbours of others but have no part in the loss.

    Parameters
    ----------
    temperature : float or "auto", default=0.5
    policy : SoftPolicy or None, default=None
        Size of the blocks, and when they are made in float64; None takes the defaults.

    Notes
    -----
    3 n^2 e multiply-adds per evaluation in blocks of rows, however narrow the neighbourhoods: unlike the
    expected error of `NCALoss`, a logarithm does not tolerate neglecting far neighbours.
    """

    policy: SoftPolicy | None = None

    def __init__(self, temperature: float | Auto = 0.5, policy: SoftPolicy | None = None) -> None:
        self.temperature = temperature
        self.policy = policy

    def prepare(
        self,
        X: np.ndarray,
        y: np.ndarray,
        *,
        start: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
    ) -> LikelihoodState:
        check_scale("temperature", self.temperature)
        codes = np.asarray(y)
        if not np.issubdtype(codes.dtype, np.integer):
            raise ValueError("the likelihood of neighbours needs classes, but y holds real targets.")
        if np.bincount(codes).max() == 1:
            raise ValueError(
                "every class has a single sample, so no sample has a neighbour to draw; give at least two "
                "of one class."
            )
        temperature = self.temperature
        if temperature == "auto":
            Z = centred(X if start is None else start, None)
            temperature = usual_scale(squared_norms(Z) / Z.shape[1])
        return LikelihoodState.of(
            codes, mean_weights(len(codes), sample_weight), 1 / (2 * float(temperature))
        )

    @abstractmethod
    def _own_class(self, Z: np.ndarray, state: Any) -> tuple[float, np.ndarray]:
        """Value and gradient of the terms within classes; rows are sorted and centred."""

    def value_and_grad(self, Z: np.ndarray, state: Any, *, exact: bool = False) -> tuple[float, np.ndarray]:
        Zc = centred(Z, state.order)
        value, dZ = log_normaliser(Zc, state.weights, state.sharpness, self.policy)
        own_value, own_dZ = self._own_class(Zc, state)
        return value + own_value, unsorted((dZ + own_dZ).astype(Z.dtype, copy=False), state.order)


def log_normaliser(
    Z: np.ndarray, weights: np.ndarray, sharpness: float, policy: SoftPolicy | None = None
) -> tuple[float, np.ndarray]:
    """Sum over rows of weight_i * log sum_{k != i} exp(-sharpness * D_ik), and its gradient in Z.

    dE/dD_ij is -weight_i * sharpness * p_ij, p the softmax.

    >>> value, _ = log_normaliser(np.array([[0.0], [1.0], [3.0]]), np.array([1.0, 0.0, 0.0]), 1.0)
    >>> round(value, 4)  # log(exp(-1) + exp(-9))
    -0.9997
    """
    policy = policy or SoftPolicy()
    Z = precise_enough(Z, sharpness, policy)
    s = Z.dtype.type(sharpness)
    factors = (-sharpness * weights).astype(Z.dtype)

    def weigh(G: np.ndarray, first: int, norms: np.ndarray) -> float:
        rows = slice(first, first + len(G))
        # Exponents without -s |z_i|^2, which is common to the whole row.
        G *= 2 * s
        G -= s * norms
        log_sums = softmax_rows(G, first)
        G *= factors[rows, None]
        return weights[rows] @ (log_sums - s * norms[rows])

    return row_block_gradient(Z, weigh, policy=policy)


def softmax_rows(scores: np.ndarray, first: int) -> np.ndarray:
    """Replace scores by their softmax without the entries (r, first + r); returns the log-sum-exps.

    >>> scores = np.array([[9.0, 1.0, 1.0]])
    >>> softmax_rows(scores, 0), scores
    (array([1.69314718]), array([[0. , 0.5, 0.5]]))
    """
    own = np.arange(len(scores))
    scores[own, first + own] = -np.inf
    highest = scores.max(axis=1)
    scores -= highest[:, None]
    np.exp(scores, out=scores)
    sums = scores.sum(axis=1)
    scores /= sums[:, None]
    return highest + np.log(sums)
