"""What NCA and MEGM share: every sample predicted from its softly weighted neighbours, itself left out."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np

from nearkin.losses.base import Loss, centred, class_segments, mean_weights, unsorted
from nearkin.losses.near_pair_memory import NearPairMemory
from nearkin.numerics.near_pairs import list_distances, list_gradient, nearest_rows
from nearkin.numerics.products import squared_distances, squared_norms
from nearkin.numerics.row_blocks import row_block_gradient

#: Neighbours whose weights together cannot reach this share of a row's total are left out.
NEGLIGIBLE_SHARE = 1e-4
#: Below this many rows every pair is weighed: finding the near ones would cost as much.
SMALLEST_LISTED = 1_000
#: Beyond this share of all pairs full blocks are faster than a list; beyond this many a row, smaller.
LARGEST_LISTED_SHARE = 0.2
LARGEST_LISTED_PER_ROW = 250
#: Rows from which the number of near pairs is estimated.
ROWS_PROBED = 100
#: After a list was found too long, as many evaluations pass before the next attempt.
EVALUATIONS_BETWEEN_ATTEMPTS = 3
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
    memory: NearPairMemory = field(default_factory=NearPairMemory, repr=False)
    wait: int = 0


class SoftNeighbourLoss(Loss):
    """Losses of the averages q_i = sum_j p_ij y_j, p_ij = softmax over j != i of -sharpness_i * D_ij.

    A subclass says how sharp each row sees (`_sharpness`) and what the averages are worth (`_judge`).
    With dE/dq_i known, dE/dD_ij = p_ij (slope_i . y_j + offset_i): one engine serves classes, one-hot
    targets without the hot matrix, and real targets.

    Notes
    -----
    Where neighbourhoods are sharp, the pairs that matter are found by one product of n^2 e / 2
    multiply-adds and everything else runs over those pairs; neighbours left out hold less than
    `NEGLIGIBLE_SHARE` of their row. Where they are not, full blocks of rows are made and forgotten in turn.
    Neither keeps anything of n x n.
    """

    def prepare(self, X, y, *, start=None, sample_weight=None) -> SoftState:
        start = X if start is None else start
        y = np.asarray(y)
        return _sorted_state(y, mean_weights(len(y), sample_weight), self._sharpness(start))

    def narrowed(self, state, rows) -> SoftState:
        places = rows if state.order is None else np.argsort(state.order)[rows]
        y = (state.targets if state.codes is None else state.codes)[places]
        return _sorted_state(y, mean_weights(len(rows), state.weights[places]), state.sharpness[places])

    def pairs_per_row(self, Z, state) -> float:
        return _near_per_row(centred(Z, state.order), state)

    @abstractmethod
    def _sharpness(self, start: np.ndarray) -> np.ndarray:
        """Factor of the squared distances in each row's exponent, from the rows before the first step."""

    @abstractmethod
    def _judge(self, averages, rows, state) -> tuple[float, np.ndarray, np.ndarray]:
        """Value of some rows' averages and the slopes and offsets of their weights dE/dD_ij."""

    def value_and_grad(self, Z, state) -> tuple[float, np.ndarray]:
        Zc = centred(Z, state.order)
        result = self._over_list(Zc, state)
        if result is None:
            result = self._over_blocks(Zc, state)
        value, dZ = result
        return value, unsorted(dZ.astype(Z.dtype, copy=False), state.order)

    def forget(self, state) -> None:
        state.memory.forget()

    def _over_blocks(self, Z, state) -> tuple[float, np.ndarray]:
        from nearkin.numerics.kernels_soft import class_sums, softmax_block, weigh_classes

        error = 4 * np.finfo(Z.dtype).eps * float((squared_norms(Z) * state.sharpness).max())
        if Z.dtype == np.float32 and error > LARGEST_EXPONENT_ERROR:
            Z = Z.astype(np.float64)
        dtype = Z.dtype
        sharpness = state.sharpness.astype(dtype)
        targets = state.targets.astype(dtype)

        def weigh(G, first, norms) -> float:
            rows = slice(first, first + len(G))
            softmax_block(G, first, norms, sharpness)
            if state.codes is None:
                value, slopes, offsets = self._judge(G @ targets, rows, state)
                G *= slopes.astype(dtype) @ targets.T + offsets.astype(dtype)[:, None]
                return value
            averages = np.empty((len(G), len(state.segments) - 1), dtype)
            class_sums(G, state.segments, averages)
            value, slopes, offsets = self._judge(averages, rows, state)
            weigh_classes(G, state.segments, slopes.astype(dtype), offsets.astype(dtype))
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
        # A search that fails costs as much as a list: a look at some rows tells most of them.
        if state.memory.pairs is None and n * _near_per_row(Z, state) / 2 > _most_listed(n):
            return None
        from nearkin.numerics.kernels_near_pairs import distances_to

        norms = squared_norms(Z)
        if state.nearest is None:
            state.nearest = nearest_rows(Z, norms)[1]
        reach = np.empty((n, 1), dtype=Z.dtype)
        distances_to(Z, state.nearest[:, None], reach)
        limits = reach[:, 0] + _decay(n) / state.sharpness
        pairs = state.memory.within(Z, limits, _most_listed(n), norms)
        if pairs is None:
            state.wait = EVALUATIONS_BETWEEN_ATTEMPTS
            return None
        indptr, others = pairs
        return self._weigh_list(Z, indptr, others, state)

    def _weigh_list(self, Z, indptr, others, state) -> tuple[float, np.ndarray]:
        from nearkin.numerics import kernels_soft as kernels

        distances = list_distances(Z, indptr, others)
        minima = np.full(len(Z), kernels.FAR, dtype=Z.dtype)
        kernels.list_nearest(indptr, others, distances, minima, state.nearest)
        forth, back = np.empty_like(distances), np.empty_like(distances)
        totals = np.zeros(len(Z))
        kernels.list_softmax(
            indptr, others, distances, minima, state.sharpness.astype(Z.dtype), forth, back, totals
        )
        rows = slice(0, len(Z))
        if state.codes is None:
            averages = np.zeros(state.targets.shape)
            kernels.list_averages(indptr, others, forth, back, totals, state.targets, averages)
            value, slopes, offsets = self._judge(averages, rows, state)
            kernels.list_weigh(indptr, others, forth, back, slopes, offsets, state.targets)
        else:
            averages = np.zeros((len(Z), len(state.segments) - 1))
            kernels.list_class_sums(indptr, others, forth, back, totals, state.codes, averages)
            value, slopes, offsets = self._judge(averages, rows, state)
            kernels.list_weigh_classes(indptr, others, forth, back, slopes, offsets, state.codes)
        return value, list_gradient(Z, indptr, others, forth)


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


def _near_per_row(Z, state) -> float:
    """How many neighbours of a row are not negligible, judging by some rows."""
    n = len(Z)
    rows = np.unique(np.linspace(0, n - 1, ROWS_PROBED).astype(int))
    D = squared_distances(Z[rows], Z)
    D[np.arange(len(rows)), rows] = np.inf
    reach = D.min(axis=1) + _decay(n) / state.sharpness[rows]
    return float(np.count_nonzero(reach[:, None] >= D)) / len(rows)


def _decay(n: int) -> float:
    """How far an exponent has to fall until n such neighbours hold a negligible share of a row."""
    return float(np.log(n / NEGLIGIBLE_SHARE))


def _most_listed(n: int) -> int:
    """The longest list of pairs that is worth its making."""
    return int(min(LARGEST_LISTED_PER_ROW * n, LARGEST_LISTED_SHARE * n * n / 2))
