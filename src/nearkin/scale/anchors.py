"""A part of the large-margin loss: anchors with their lists, and replicas of the rows that these name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from nearkin.scale.pair_lists import Chunk, Neighbours

#: Rows whose products are taken at a time: float64 copies that stay in the cache.
ROWS_AT_ONCE = 4_096


class Shard(NamedTuple):
    """Anchors and all that their part of the loss needs.

    Attributes
    ----------
    rows : ndarray of shape (m + p, d)
        The m anchors, then p replicas of partners from elsewhere.
    targets, impostors : int array of shape (m, ...)
        Rows of the table; -1 for none.
    """

    rows: np.ndarray
    targets: np.ndarray
    impostors: np.ndarray


def partners_of(lists: Neighbours, start: int, n: int) -> np.ndarray:
    """Numbers of the rows that the lists of a chunk name and that are not its own, rising."""
    named = np.unique(np.concatenate([found.numbers.ravel() for found in lists]))
    return named[(named >= 0) & ((named < start) | (named >= start + n))]


def taken(chunk: Chunk, numbers: np.ndarray) -> np.ndarray:
    """The rows of a chunk among these numbers."""
    inside = numbers[(numbers >= chunk.start) & (numbers < chunk.start + len(chunk.codes))]
    return chunk.rows[inside - chunk.start]


def shard_of(chunk: Chunk, lists: Neighbours, partners: np.ndarray, replicas: list[np.ndarray]) -> Shard:
    """The shard of a chunk: partners' rows come in the order of their numbers."""
    n = len(chunk.codes)

    def placed(numbers: np.ndarray) -> np.ndarray:
        own = (numbers >= chunk.start) & (numbers < chunk.start + n)
        away = n + np.searchsorted(partners, numbers)
        return np.where(numbers < 0, -1, np.where(own, numbers - chunk.start, away))

    rows = np.concatenate([chunk.rows, *replicas])
    return Shard(rows, placed(lists.own.numbers), placed(lists.others.numbers))


class Part(NamedTuple):
    """A part of the loss and of its gradient (e x d), and how many hinges are open.

    `short` counts anchors whose farthest listed impostor is within reach: there may be more of them.
    """

    value: float
    gradient: np.ndarray
    open_hinges: int
    short: int

    def __add__(self, other: Part) -> Part:  # type: ignore[override]
        return Part(
            self.value + other.value,
            self.gradient + other.gradient,
            self.open_hinges + other.open_hinges,
            self.short + other.short,
        )


def part_of(shard: Shard, L: np.ndarray, mu: float, weight: float) -> Part:
    """``weight`` times (1 - mu) * distances to targets + mu * hinges, over the anchors of a shard.

    Parameters
    ----------
    shard : Shard
    L : ndarray of shape (e, d)
    mu, weight : float

    Notes
    -----
    (m + p) d e multiply-adds, and m k K comparisons for k targets and K impostors. Only the e x d gradient
    leaves the process.
    """
    Z = shard.rows @ L.T.astype(shard.rows.dtype)
    to_targets, to_impostors = (_distances(Z, listed) for listed in (shard.targets, shard.impostors))
    has_target, has_impostor = shard.targets >= 0, shard.impostors >= 0
    value = (1 - mu) * float(to_targets[has_target].sum(dtype=np.float64))
    pulls = np.where(has_target, 1 - mu, 0.0)
    pushes = np.zeros(shard.impostors.shape)
    opened = 0
    for t in range(shard.targets.shape[1]):
        hinges = 1 + to_targets[:, [t]] - to_impostors
        violated = (hinges > 0) & has_impostor & has_target[:, [t]]
        value += mu * float(hinges[violated].sum(dtype=np.float64))
        pulls[:, t] += mu * violated.sum(axis=1)
        pushes -= mu * violated
        opened += int(violated.sum())
    gradient = _gradient(shard, Z, pulls, pushes)
    short = 0
    if shard.impostors.shape[1]:
        reach = 1 + np.where(has_target, to_targets, -np.inf).max(axis=1)
        short = int(np.count_nonzero(has_impostor[:, -1] & (to_impostors[:, -1] < reach)))
    return Part(weight * value, weight * gradient, opened, short)


def _distances(Z: np.ndarray, listed: np.ndarray) -> np.ndarray:
    found = np.empty(listed.shape, Z.dtype)
    anchors = Z[: len(listed)]
    for place, column in enumerate(listed.T):
        difference = anchors - Z[column]
        found[:, place] = np.einsum("ij,ij->i", difference, difference)
    return found


def _gradient(shard: Shard, Z: np.ndarray, pulls: np.ndarray, pushes: np.ndarray) -> np.ndarray:
    """``2 L sum w (x - z)(x - z)'`` over the pairs, by the rows' own gradients dZ: no d x d differences."""
    listed, weights = np.hstack([shard.targets, shard.impostors]), np.hstack([pulls, pushes])
    m, n = len(listed), len(Z)
    counts = (listed >= 0) & (weights != 0)
    rows = np.repeat(np.arange(m), counts.sum(axis=1))
    W = sparse.csr_array((weights[counts], (rows, listed[counts])), shape=(m, n))
    Z = Z.astype(np.float64)
    dZ = -(W.T @ Z[:m])
    dZ += np.asarray(W.sum(axis=0)).ravel()[:, None] * Z
    dZ[:m] += np.asarray(W.sum(axis=1)).ravel()[:, None] * Z[:m] - W @ Z
    total = np.zeros((Z.shape[1], shard.rows.shape[1]))
    for first in range(0, n, ROWS_AT_ONCE):
        part = slice(first, first + ROWS_AT_ONCE)
        total += dZ[part].T @ shard.rows[part].astype(np.float64)
    return 2 * total
