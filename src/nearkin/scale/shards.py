"""A part of the large-margin loss: anchors with their lists, and replicas of the rows in these."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nearkin.pairwise.search import distances_of, list_distances
from nearkin.scale.pair_lists import Chunk, Listed

#: Rows multiplied at a time: their float64 copies stay in the cache.
ROWS_AT_ONCE = 4_096


class Shard(NamedTuple):
    """What the anchors of a chunk need for their part of the loss, in addition to their own rows.

    Attributes
    ----------
    replicas : ndarray of shape (p, d)
        Rows of other chunks that occur in the lists. Lists number the rows of the chunk first, then these.
    targets : int32 array of shape (m, k)
        -1 for none.
    starts, impostors : int array of shape (m + 1,) and (s,)
        Impostors ``starts[i]`` to ``starts[i + 1]`` are those of anchor i.
    loads : ndarray of shape (m + p,)
        How many rows each of them represents as an impostor.
    """

    replicas: np.ndarray
    targets: np.ndarray
    starts: np.ndarray
    impostors: np.ndarray
    loads: np.ndarray


def partners_of(chunk: Chunk, targets: np.ndarray, lists: Listed) -> np.ndarray:
    """Numbers of the rows of other chunks that occur in the lists of a chunk, sorted."""
    named = np.unique(np.concatenate([targets.ravel(), lists.numbers]))
    start, n = chunk.start, len(chunk.codes)
    return named[(named >= 0) & ((named < start) | (named >= start + n))]


def taken(chunk: Chunk, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows of a chunk among these numbers, and their classes."""
    inside = numbers[(numbers >= chunk.start) & (numbers < chunk.start + len(chunk.codes))] - chunk.start
    return chunk.rows[inside], chunk.codes[inside]


def shard_of(chunk: Chunk, targets, lists: Listed, partners, shares: np.ndarray, *replicas) -> Shard:
    """The shard of a chunk; rows of partners are in the order of their numbers."""
    n, (rows, codes) = len(chunk.codes), (np.concatenate(parts) for parts in zip(*replicas))

    def placed(numbers: np.ndarray) -> np.ndarray:
        own = (numbers >= chunk.start) & (numbers < chunk.start + n)
        away = n + np.searchsorted(partners, numbers)
        return np.where(numbers < 0, -1, np.where(own, numbers - chunk.start, away)).astype(np.int32)

    loads = 1 / shares[np.concatenate([chunk.codes, codes])]
    return Shard(rows, placed(targets), lists.starts, placed(lists.numbers), loads)


def no_impostors(chunk: Chunk) -> Listed:
    return Listed(np.zeros(len(chunk.codes) + 1, dtype=np.int64), np.empty(0, dtype=np.int64))


def _embedded(chunk: Chunk, shard: Shard, L: np.ndarray) -> np.ndarray:
    L = L.T.astype(chunk.rows.dtype)
    return np.concatenate([chunk.rows @ L, shard.replicas @ L])


def limits_of(chunk: Chunk, shard: Shard, L: np.ndarray, beyond: float) -> np.ndarray:
    """How far impostors of each anchor are listed: `beyond` times one margin beyond its targets."""
    distances = distances_of(_embedded(chunk, shard, L), shard.targets)
    has_target = shard.targets >= 0
    farthest = np.where(has_target, distances, 0).max(axis=1, initial=0)
    return np.where(has_target.any(axis=1), beyond * (1 + farthest), -1)


def targets_of(chunk: Chunk, shard: Shard, numbers: np.ndarray) -> tuple[np.ndarray, ...]:
    """The anchors among these numbers with their classes, the rows of their targets, and which exist."""
    places = numbers[(numbers >= chunk.start) & (numbers < chunk.start + len(chunk.codes))] - chunk.start
    listed = shard.targets[places]
    table = np.concatenate([chunk.rows, shard.replicas])
    return chunk.rows[places], chunk.codes[places], table[listed], listed >= 0


class Part(NamedTuple):
    """A part of the loss and of its gradient (e x d)."""

    value: float
    gradient: np.ndarray

    def __add__(self, other: Part) -> Part:  # type: ignore[override]
        return Part(self.value + other.value, self.gradient + other.gradient)


def part_of(chunk: Chunk, shard: Shard, L: np.ndarray, mu: float, weight: float) -> Part:
    """``weight`` times (1 - mu) * distances to targets + mu * hinges, over the anchors of a chunk.

    Parameters
    ----------
    chunk : Chunk
    shard : Shard
    L : ndarray of shape (e, d)
    mu, weight : float

    Notes
    -----
    (m + p) d e multiply-adds, and e for each listed pair. Only the e x d gradient leaves the process.
    """
    from nearkin.pairwise.kernels import scatter_pairs
    from nearkin.pairwise.kernels_references import hinge_rows

    Z = _embedded(chunk, shard, L)
    m, k = shard.targets.shape
    to_targets, has_target = distances_of(Z, shard.targets), shard.targets >= 0
    reaches = np.where(has_target, to_targets + 1, -1).astype(Z.dtype, copy=False)
    distances = list_distances(Z, shard.starts, shard.impostors)
    pushes, pair_weights = np.zeros(reaches.shape), np.empty_like(distances)
    value = hinge_rows(shard.starts, shard.impostors, distances, reaches, shard.loads, pushes, pair_weights)
    # Every violation pulls its target as hard as it pushes its impostor.
    pulls = np.where(has_target, (1 - mu) + mu * pushes, 0).astype(Z.dtype)
    dZ = np.zeros_like(Z)
    scatter_pairs(Z, 0, np.arange(m + 1) * k, shard.targets.ravel(), pulls.ravel(), dZ)
    scatter_pairs(Z, 0, shard.starts, shard.impostors, mu * pair_weights, dZ)
    value = (1 - mu) * float(to_targets[has_target].sum(dtype=np.float64)) + mu * value
    gradient = _inner(dZ[:m], chunk.rows) + _inner(dZ[m:], shard.replicas)
    return Part(weight * value, weight * gradient)


def _inner(dZ: np.ndarray, rows: np.ndarray) -> np.ndarray:
    total = np.zeros((dZ.shape[1], rows.shape[1]))
    for first in range(0, len(rows), ROWS_AT_ONCE):
        part = slice(first, first + ROWS_AT_ONCE)
        total += dZ[part].astype(np.float64).T @ rows[part].astype(np.float64)
    return total
