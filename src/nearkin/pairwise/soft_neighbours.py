"""Every row predicted from its softly weighted neighbours: by a list, by stretches, by tiles or by blocks.

README.md says which of the four when.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from nearkin.pairwise.lists import PairMemory
from nearkin.pairwise.policy import SoftPolicy
from nearkin.pairwise.row_blocks import precise_enough, row_block_gradient
from nearkin.pairwise.search import (
    centred,
    class_segments,
    distances_of,
    nearest_rows,
    probed_distances,
    unsorted,
)
from nearkin.pairwise.soft_tiles import tiled_gradient
from nearkin.pairwise.stretches import SoftRows, kept_gradient, rest_gradient


class Rows(NamedTuple):
    """What a loss may know of the rows whose averages it judges.

    Parameters
    ----------
    weights : ndarray of shape (m,)
    codes : ndarray of shape (m,) or None
        Classes; None for real targets.
    targets : ndarray of shape (m, T)
        Real targets; empty for classes.
    """

    weights: np.ndarray
    codes: np.ndarray | None
    targets: np.ndarray


#: Averages of some rows, which must be neither changed nor kept, and these rows, to the rows' part of the
#: loss and its gradient in the averages, a new array.
Judge = Callable[[np.ndarray, Rows], tuple[float, np.ndarray]]


class Reach(NamedTuple):
    """Where to stop looking for neighbours.

    Parameters
    ----------
    decay : float
        How far the exponent of a neighbour may lie below that of the nearest.
    neighbours : float
        About how many neighbours of a row lie within.
    """

    decay: float
    neighbours: float


UNKNOWN = Reach(0.0, np.inf)


@dataclass
class SoftMemory:
    """All that a `SoftNeighbours` remembers of earlier evaluations.

    Attributes
    ----------
    lists : PairMemory
    nearest : ndarray of shape (n, k) or None
        Near rows of each row, the nearest of all among them when they were found. A hint where to
        begin: no value depends on it.
    reach : Reach
        How far neighbours count, and how many they are; unknown at first, and as long as full blocks are
        weighed.
    inexact : bool
        Whether the last value left out neighbours.
    """

    lists: PairMemory = field(repr=False)
    nearest: np.ndarray | None = field(default=None, repr=False)
    reach: Reach = UNKNOWN
    inexact: bool = False

    def forget(self) -> None:
        """Be as if new, but for the hint."""
        self.lists.forget()
        self.reach, self.inexact = UNKNOWN, False


class SoftNeighbours:
    """Losses of the averages q_i = sum_j p_ij y_j, p_ij = softmax over j != i of -sharpness_i * D_ij.

    With g_i = dE/dq_i known, dE/dD_ij = sharpness_i p_ij (g_i . q_i - g_i . y_j): one engine serves
    classes, as one-hot targets without the hot matrix, and real targets.

    Parameters
    ----------
    y : ndarray
        Class codes (integers), or real targets of shape (n,) or (n, T).
    sharpness : ndarray of shape (n,)
        Factor of the squared distances in each row's exponent.
    weights : ndarray of shape (n,)
        Weight of each row's part of the loss.
    nearest : ndarray of shape (n, k), optional
        Some near rows of each row, if they are known.
    policy : SoftPolicy, optional

    Attributes
    ----------
    order : ndarray or None
        The order that sorts the rows by class; everything below is in this order.
    sharpness, weights, codes, targets, segments
        What was given, sorted.
    memory : SoftMemory
        The only part that depends on earlier calls.

    Notes
    -----
    Where neighbourhoods are sharp, the pairs that matter are found by one product of n^2 e / 2 multiply-adds
    and everything else runs over those pairs: a list of them, which may serve later evaluations, or, where
    they are too many for a list, the stretches of rows in which they were found. Where neighbourhoods are
    broad, all pairs are weighed and forgotten in turn, in blocks of full rows or, of many rows, in tiles.
    None of the four keeps anything of n x n. README.md says how exact each is.

    Examples
    --------
    The chance that a softly drawn neighbour is of another class:

    >>> pairs = SoftNeighbours(np.array([0, 0, 1, 1]), np.ones(4), np.full(4, 0.25))
    >>> def judge(q, rows):
    ...     own = np.arange(len(q)), rows.codes
    ...     slope = np.zeros_like(q)
    ...     slope[own] = -rows.weights
    ...     return float(rows.weights @ (1 - q[own])), slope
    >>> round(pairs.value_and_grad(np.array([[0.0], [0.1], [9.0], [9.1]]), judge)[0], 6)
    0.0
    """

    def __init__(
        self,
        y: np.ndarray,
        sharpness: np.ndarray,
        weights: np.ndarray,
        *,
        nearest: np.ndarray | None = None,
        policy: SoftPolicy | None = None,
    ) -> None:
        self.policy = policy or SoftPolicy()
        y = np.asarray(y)
        self.codes: np.ndarray | None = None
        self.targets, self.segments, self.order = np.empty((len(y), 0)), np.array([0, len(y)]), None
        if np.issubdtype(y.dtype, np.integer):
            self.order, self.segments = class_segments(y)
            if self.order is not None:
                y, weights, sharpness = y[self.order], weights[self.order], sharpness[self.order]
                nearest = None if nearest is None else np.argsort(self.order)[nearest[self.order]]
            self.codes = y
        else:
            self.targets = np.asarray(y.reshape(len(y), -1), dtype=np.float64)
        self.weights, self.sharpness = weights, sharpness
        self.most_listed = self.policy.most_listed(len(y))
        nearest = None if nearest is None else nearest.astype(np.int32)
        most_found = self.policy.most_found(len(y))
        self.memory = SoftMemory(PairMemory(policy=self.policy, most_found=most_found), nearest)

    @property
    def inexact(self) -> bool:
        """Whether the last value left out neighbours."""
        return self.memory.inexact

    @property
    def tolerance(self) -> float:
        """How far inexact values may be off, relative to the larger of themselves and one."""
        return self.policy.neglected_share

    def narrowed(self, rows: np.ndarray) -> SoftNeighbours:
        """The same with some of the rows only, their sharpness as it is."""
        places = rows if self.order is None else np.argsort(self.order)[rows]
        y = (self.targets if self.codes is None else self.codes)[places]
        weights = self.weights[places] / self.weights[places].sum()
        return SoftNeighbours(y, self.sharpness[places], weights, policy=self.policy)

    def neighbours_per_row(self, Z: np.ndarray) -> float:
        """About how many neighbours of a row have a say at Z."""
        return reach(centred(Z, self.order), self.sharpness, self.policy).neighbours

    def value_and_grad(self, Z: np.ndarray, judge: Judge, *, exact: bool = False) -> tuple[float, np.ndarray]:
        """Value at the embedding Z (n x e) and its gradient, of the shape and dtype of Z."""
        memory = self.memory
        if exact:
            memory.forget()
        Zc = centred(Z, self.order)
        memory.inexact = not exact
        limits = self._limits(Zc, exact)
        listed = None if limits is None else memory.lists.within(Zc, limits, self.most_listed)
        if listed is not None:
            value, dZ = self._over_list(Zc, listed[1], judge)
        elif limits is not None and not self._crowded:
            value, dZ = self._over_stretches(Zc, limits, judge)
        else:
            memory.reach, memory.inexact, memory.lists.overflow = UNKNOWN, False, None
            weigh_all = self._over_tiles if len(Zc) >= self.policy.smallest_tiled else self._over_blocks
            value, dZ = weigh_all(precise_enough(Zc, self.sharpness, self.policy), judge)
        if exact:
            # Its reach is much longer than the next evaluation needs.
            memory.lists.forget()
            memory.reach = UNKNOWN
        return value, unsorted(dZ.astype(Z.dtype, copy=False), self.order)

    def _judged(self, q: np.ndarray, first: int, stop: int, judge: Judge):
        """Value of some rows' averages, and the slopes and offsets that make weights of the p_ij."""
        rows = slice(first, stop)
        codes = None if self.codes is None else self.codes[rows]
        value, slopes = judge(q, Rows(self.weights[rows], codes, self.targets[rows]))
        sharpness = self.sharpness[rows].astype(q.dtype)
        offsets = sharpness * np.einsum("ij,ij->i", slopes, q)
        slopes *= -sharpness[:, None]
        return value, slopes, offsets

    def _over_blocks(self, Z, judge) -> tuple[float, np.ndarray]:
        from nearkin.pairwise.kernels_blocks import softmax_block, weigh_classes

        sharpness, targets = self.sharpness.astype(Z.dtype), self.targets.astype(Z.dtype)
        nearest = np.empty(len(Z), dtype=np.int32)

        def weigh(G, first, norms) -> float:
            sums = np.empty((len(G), len(self.segments) - 1), Z.dtype)
            # The distance, turned and halved, but for what a row's entries have in common.
            G -= norms / 2
            rows = np.arange(len(G))
            G[rows, first + rows] = -np.inf
            nearest[first : first + len(G)] = best = G.argmax(axis=1)
            highest = G[rows, best]
            G[rows, first + rows] = highest
            softmax_block(G, first, highest, 2 * sharpness, self.segments, sums)
            inverse = 1 / (sums @ np.ones(sums.shape[1], Z.dtype))[:, None]
            q = G @ targets if self.codes is None else sums
            q *= inverse
            value, slopes, offsets = self._judged(q, first, first + len(G), judge)
            slopes *= inverse
            offsets *= inverse[:, 0]
            if self.codes is None:
                G *= slopes @ targets.T + offsets[:, None]
            else:
                weigh_classes(G, self.segments, slopes, offsets)
            return value

        result = row_block_gradient(Z, weigh, policy=self.policy)
        self.memory.nearest = nearest[:, None]
        return result

    def _over_tiles(self, Z, judge) -> tuple[float, np.ndarray]:
        """The same for many rows: every product serves the rows of both sides."""
        nearest = np.empty(len(Z), dtype=np.int32)
        codes = np.zeros(len(Z), dtype=np.int64) if self.codes is None else self.codes
        labels = self.segments, codes, self.targets
        result = tiled_gradient(
            Z, self.sharpness, labels, lambda q: self._judged(q, 0, len(Z), judge), nearest, self.policy
        )
        self.memory.nearest = nearest[:, None]
        return result

    def _limits(self, Z, exact: bool) -> np.ndarray | None:
        """How far each row's neighbours count; None where there are too few rows or too many neighbours."""
        memory = self.memory
        if len(Z) < self.policy.smallest_listed:
            return None
        if memory.reach is UNKNOWN:
            memory.reach = reach(Z, self.sharpness, self.policy, certain=exact)
        if memory.reach.neighbours > self.policy.largest_listed_share / 2 * len(Z):
            return None
        if memory.nearest is None:
            memory.nearest = nearest_rows(Z, policy=self.policy)
        return distances_of(Z, memory.nearest).min(axis=1) + memory.reach.decay / self.sharpness

    @property
    def _crowded(self) -> bool:
        """Whether a search that found too many for a list found so many that blocks are faster."""
        lists, n = self.memory.lists, len(self.weights)
        if lists.overflow is None:
            return True
        rows, pairs = lists.overflow.rows, lists.overflow.size
        if rows < n:
            # With the next stretch of rows there were too many to be kept.
            rows, pairs = min(n, rows + self.policy.tile_rows), lists.most_found + 1
        return pairs > self.policy.largest_listed_share * rows * (n - rows / 2)

    def _over_list(self, Z, distances, judge) -> tuple[float, np.ndarray]:
        pairs, memory = self.memory.lists.mirrored(), self.memory
        assert memory.nearest is not None
        P = pairs.spread(distances)
        nearest = memory.nearest[:, 0].copy()
        weigh = self._weighing(Z.dtype, judge, nearest)
        value = pairs.row_parts(
            lambda first, stop: weigh(first, pairs.starts[first : stop + 1], pairs.partners, P)
        )
        memory.nearest = nearest[:, None]
        pairs.join(P)
        return value, pairs.gradient(Z, P)

    def _over_stretches(self, Z, limits, judge) -> tuple[float, np.ndarray]:
        """The same where one list would be too long."""
        memory = self.memory
        kept, memory.lists.overflow = memory.lists.overflow, None
        assert kept is not None
        assert memory.nearest is not None
        nearest = memory.nearest[:, 0].copy()
        if self.codes is None:
            width = self.targets.shape[1]
            places, values = np.tile(np.arange(width, dtype=np.int32), (len(Z), 1)), self.targets
        else:
            width = len(self.segments) - 1
            places, values = self.codes[:, None].astype(np.int32), np.ones((len(Z), 1))
        rows = SoftRows(self.sharpness, memory.reach.decay, places, values, width)
        value, dZ = kept_gradient(Z, kept, rows, lambda q: self._judged(q, 0, kept.rows, judge), nearest)
        if kept.rows < len(Z):
            weigh = self._weighing(Z.dtype, judge, nearest)
            rest, pulls = rest_gradient(Z, kept.rows, limits, weigh, self.policy)
            value, dZ = value + rest, dZ + pulls
        memory.nearest = nearest[:, None]
        return value, dZ

    def _weighing(self, dtype, judge: Judge, nearest: np.ndarray):
        """``weigh(first, starts, partners, P)``: distances P of some rows' partners to weights dE/dD.

        Returns the rows' part of the loss and notes the nearest of each.
        """
        from nearkin.pairwise import kernels

        sharpness, decay = self.sharpness.astype(dtype), self.memory.reach.decay
        if self.codes is None:
            add_up, weigh, labels = kernels.row_target_sums, kernels.row_weigh_targets, self.targets
            width = labels.shape[1]
        else:
            add_up, weigh, labels = kernels.row_class_sums, kernels.row_weigh_classes, self.codes
            width = len(self.segments) - 1

        def weigh_rows(first, starts, partners, P) -> float:
            stop = first + len(starts) - 1
            kernels.row_softmax(starts, partners, P, sharpness[first:stop], decay, nearest[first:stop])
            q = np.zeros((stop - first, width), dtype=dtype)
            add_up(starts, partners, P, labels, q)
            value, slopes, offsets = self._judged(q, first, stop, judge)
            weigh(starts, partners, P, labels, slopes, offsets)
            return value

        return weigh_rows


def reach(Z: np.ndarray, sharpness: np.ndarray, policy: SoftPolicy, *, certain: bool = False) -> Reach:
    """The reach beyond which neighbours hold a negligible share of the weights.

    Parameters
    ----------
    Z : ndarray of shape (n, e)
    sharpness : ndarray of shape (n,)
        Factor of the squared distances in each row's exponent.
    policy : SoftPolicy
        Its `neglected_share` is what is negligible on average, judging by some rows.
    certain : bool, default=False
        Keep every row's share below `certain_share` instead, as if all rows lay just beyond the
        reach, which then is much longer.

    Examples
    --------
    >>> Z, policy = np.arange(1000.0)[:, None], SoftPolicy()
    >>> reach(Z, np.ones(1000), policy), reach(Z, np.ones(1000), policy, certain=True).decay > 16
    (Reach(decay=8.25, neighbours=5.9), True)
    """
    longest = float(np.log(len(Z) / policy.certain_share))
    rows, distances = probed_distances(Z, policy.rows_probed)
    distances[np.arange(len(rows)), rows] = np.inf
    exponents = distances - distances.min(axis=1, keepdims=True)
    exponents *= sharpness[rows, None].astype(Z.dtype)
    weights = np.exp(-exponents)
    weights /= weights.sum(axis=1, keepdims=True)
    # Reaches are rounded up to quarters: finer ones would save hardly a neighbour.
    per_unit = 4
    # How many neighbours, and what share of the weights, lie in each bin; the last holds all beyond.
    steps = int(np.ceil(longest * per_unit))
    bins = np.minimum(exponents * per_unit, steps).astype(np.intp).ravel()
    counts = np.bincount(bins, minlength=steps + 1)[:steps].cumsum() / len(rows)
    if certain:
        return Reach(longest, float(counts[-1]))
    shares = np.bincount(bins, weights.ravel(), steps + 1) / len(rows)
    beyond = shares[::-1].cumsum()[::-1][1:]
    last = min(int(np.argmax(np.append(beyond, 0.0) <= policy.neglected_share)), steps - 1)
    return Reach(min((last + 1) / per_unit, longest), float(counts[last]))
