"""What NCA and MEGM share: every sample predicted from its softly weighted neighbours, itself left out."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np

from nearkin.losses.base import Loss, centred, class_segments, mean_weights, unsorted
from nearkin.losses.pair_memory import PairMemory
from nearkin.losses.soft_reach import NEGLIGIBLE_SHARE, reach
from nearkin.numerics.near_pairs import PairList, list_gradient, nearest_rows, pair_workers, row_stripes
from nearkin.numerics.products import squared_norms
from nearkin.numerics.row_blocks import row_block_gradient
from nearkin.numerics.workers import run_parts

#: Below this many rows every pair is weighed: finding the near ones would cost as much.
SMALLEST_LISTED = 1_000
#: Beyond this share of all pairs full blocks are faster than a list; beyond this many pairs, smaller.
LARGEST_LISTED_SHARE = 0.16
LARGEST_LISTED = 6_000_000
#: Pairs listed for each neighbour within reach: from one half if all are mutual up to one.
MUTUAL = 0.7
#: After a list was found too long, as many evaluations pass before the next attempt.
EVALUATIONS_BETWEEN_ATTEMPTS = 3
#: Evaluations after which the reach is measured anew: neighbourhoods sharpen as the map is learned.
EVALUATIONS_PER_REACH = 10
#: float32 products may lose this much of an exponent before float64 takes over.
LARGEST_EXPONENT_ERROR = 2e-3


@dataclass
class SoftState:
    """Fixed parts of a soft-neighbour loss, rows sorted by class, and where it last found neighbours."""

    weights: np.ndarray
    sharpness: np.ndarray
    targets: np.ndarray
    codes: np.ndarray | None
    segments: np.ndarray | None
    order: np.ndarray | None
    nearest: np.ndarray | None = field(default=None, repr=False)
    memory: PairMemory = field(init=False, repr=False)
    wait: int = 0
    decay: float = 0.0
    age: int = 0
    certain: bool = False
    listed: bool = False

    def __post_init__(self):
        self.memory = PairMemory(largest_error=LARGEST_EXPONENT_ERROR / float(self.sharpness.max()))


class SoftNeighbourLoss(Loss):
    """Losses of the averages q_i = sum_j p_ij y_j, p_ij = softmax over j != i of -sharpness_i * D_ij.

    A subclass says how sharp each row sees (`_sharpness`) and what the averages are worth (`_judge`).
    With dE/dq_i known, dE/dD_ij = p_ij (slope_i . y_j + offset_i): one engine serves classes, one-hot
    targets without the hot matrix, and real targets.

    Notes
    -----
    Where neighbourhoods are sharp, the pairs that matter are found by one product of n^2 e / 2
    multiply-adds and everything else runs over those pairs; neighbours left out hold less than the
    share `negligible` of the weights, on average, and after `forget` less than 1e-4 in every row. Where
    they are not, full blocks of rows are made and forgotten in turn. Neither keeps anything of n x n.
    """

    negligible = NEGLIGIBLE_SHARE

    def prepare(self, X, y, *, start=None, sample_weight=None) -> SoftState:
        start = X if start is None else start
        y = np.asarray(y)
        return _sorted_state(y, mean_weights(len(y), sample_weight), self._sharpness(start))

    def narrowed(self, state, rows) -> SoftState:
        places = rows if state.order is None else np.argsort(state.order)[rows]
        y = (state.targets if state.codes is None else state.codes)[places]
        return _sorted_state(y, mean_weights(len(rows), state.weights[places]), state.sharpness[places])

    def pairs_per_row(self, Z, state) -> float:
        return reach(centred(Z, state.order), state.sharpness, share=self.negligible).neighbours

    @abstractmethod
    def _sharpness(self, start: np.ndarray) -> np.ndarray:
        """Factor of the squared distances in each row's exponent, from the rows before the first step."""

    @abstractmethod
    def _judge(self, averages, rows, state) -> tuple[float, np.ndarray, np.ndarray]:
        """Value of some rows' averages and the slopes and offsets of weights dE/dD_ij, in their dtype."""

    def value_and_grad(self, Z, state) -> tuple[float, np.ndarray]:
        Zc = centred(Z, state.order)
        result = self._over_list(Zc, state)
        state.listed = result is not None
        if result is None:
            result = self._over_blocks(Zc, state)
        value, dZ = result
        return value, unsorted(dZ.astype(Z.dtype, copy=False), state.order)

    def forget(self, state) -> bool:
        state.memory.forget()
        state.certain = True
        return state.listed

    def _over_blocks(self, Z, state) -> tuple[float, np.ndarray]:
        from nearkin.numerics.kernels_soft import class_sums, softmax_block, weigh_classes

        error = 4 * np.finfo(Z.dtype).eps * float((squared_norms(Z) * state.sharpness).max())
        if Z.dtype == np.float32 and error > LARGEST_EXPONENT_ERROR:
            Z = Z.astype(np.float64)
        dtype = Z.dtype
        sharpness = state.sharpness.astype(dtype)
        targets = state.targets.astype(dtype)
        state.nearest = np.empty(len(Z), dtype=np.int64)

        def weigh(G, first, norms) -> float:
            rows = slice(first, first + len(G))
            softmax_block(G, first, norms, sharpness, state.nearest)
            if state.codes is None:
                value, slopes, offsets = self._judge(G @ targets, rows, state)
                G *= slopes @ targets.T + offsets[:, None]
                return value
            averages = np.empty((len(G), len(state.segments) - 1), dtype)
            class_sums(G, state.segments, averages)
            value, slopes, offsets = self._judge(averages, rows, state)
            weigh_classes(G, state.segments, slopes, offsets)
            return value

        return row_block_gradient(Z, weigh)

    def _over_list(self, Z, state) -> tuple[float, np.ndarray] | None:
        """The same over near pairs only; None where there are too few rows or too many near pairs."""
        n = len(Z)
        if n < SMALLEST_LISTED:
            return None
        if state.wait > 0:
            state.wait -= 1
            return None
        if not self._reaches(Z, state):
            return None
        from nearkin.numerics.kernels_near_pairs import distances_to

        if state.nearest is None:
            state.nearest = nearest_rows(Z)[1]
        nearest = np.empty((n, 1), dtype=Z.dtype)
        distances_to(Z, state.nearest[:, None], nearest)
        limits = nearest[:, 0] + state.decay / state.sharpness
        listed = state.memory.within(Z, limits, _most_listed(n))
        if listed is None:
            state.wait = EVALUATIONS_BETWEEN_ATTEMPTS
            return None
        pairs, distances = listed
        return self._weigh_list(Z, pairs, distances, state)

    def _reaches(self, Z, state) -> bool:
        """Measure now and then how far to look, and tell whether a list of so many pairs is worthwhile.

        A search that fails costs as much as a list: a look at some rows tells most of them.
        """
        state.age += 1
        if state.memory.pairs is not None and state.age < EVALUATIONS_PER_REACH:
            return True
        state.decay, neighbours = reach(Z, state.sharpness, share=self.negligible, certain=state.certain)
        state.age, state.certain = 0, False
        return len(Z) * neighbours * MUTUAL <= _most_listed(len(Z))

    def _weigh_list(self, Z, pairs, distances, state) -> tuple[float, np.ndarray]:
        from nearkin.numerics import kernels_soft as kernels

        n, (indptr, others) = len(Z), pairs
        stripes = row_stripes(indptr, pair_workers(others.size))
        minima = self._nearest_listed(n, pairs, distances, stripes, state)
        sharpness = state.sharpness.astype(Z.dtype)
        forth, back = np.empty_like(distances), np.empty_like(distances)
        # The last column adds up the weights themselves.
        targets = (
            np.column_stack([state.targets, np.ones(n)]).astype(Z.dtype) if state.codes is None else None
        )
        width = len(state.segments) - 1 if targets is None else targets.shape[1]
        sums = np.zeros((len(stripes), n, width), dtype=Z.dtype)

        def add_up(part: int) -> None:
            rows = stripes[part]
            kernels.list_softmax(
                indptr, others, distances, minima, sharpness, state.decay, *rows, forth, back
            )
            if targets is None:
                kernels.list_class_sums(indptr, others, forth, back, state.codes, *rows, sums[part])
            else:
                kernels.list_target_sums(indptr, others, forth, back, targets, *rows, sums[part])

        run_parts(add_up, len(stripes))
        averages = sums[0]
        for more in sums[1:]:
            averages += more
        totals = averages @ np.ones(width, dtype=Z.dtype) if targets is None else averages[:, -1].copy()
        totals[totals == 0] = 1
        averages /= totals[:, None]
        if targets is not None:
            averages = averages[:, :-1]
        value, slopes, offsets = self._judge(averages, slice(0, n), state)
        slopes /= totals[:, None]
        offsets /= totals

        def weigh(part: int) -> None:
            rows = stripes[part]
            if state.codes is None:
                kernels.list_weigh(indptr, others, forth, back, slopes, offsets, state.targets, *rows)
            else:
                kernels.list_weigh_classes(indptr, others, forth, back, slopes, offsets, state.codes, *rows)

        run_parts(weigh, len(stripes))
        return value, list_gradient(Z, indptr, others, forth)

    def _nearest_listed(
        self, n: int, pairs: PairList, distances, stripes: list[tuple[int, int]], state
    ) -> np.ndarray:
        """Squared distance of each row to its nearest listed partner, which the state then knows."""
        from nearkin.numerics.kernels_soft import FAR, list_nearest

        minima = np.full((len(stripes), n), FAR, dtype=distances.dtype)
        nearest = np.tile(state.nearest, (len(stripes), 1))
        run_parts(
            lambda part: list_nearest(*pairs, distances, *stripes[part], minima[part], nearest[part]),
            len(stripes),
        )
        best = minima.argmin(axis=0)
        state.nearest = nearest[best, np.arange(n)]
        return minima[best, np.arange(n)]


def _sorted_state(y, weights, sharpness) -> SoftState:
    """The state of rows that come in any order."""
    if not np.issubdtype(y.dtype, np.integer):
        return SoftState(
            weights, sharpness, np.asarray(y.reshape(len(y), -1), dtype=np.float64), None, None, None
        )
    order, segments = class_segments(y)
    if order is not None:
        y, weights, sharpness = y[order], weights[order], sharpness[order]
    return SoftState(weights, sharpness, np.empty((0, 0)), y, segments, order)


def _most_listed(n: int) -> int:
    """The longest list of pairs that is worth its making."""
    return int(min(LARGEST_LISTED, LARGEST_LISTED_SHARE * n * n / 2))
