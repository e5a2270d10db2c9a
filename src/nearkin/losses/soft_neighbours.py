"""What NCA and MEGM share: every sample predicted from its softly weighted neighbours, itself left out."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np

from nearkin.losses.base import Loss, centred, class_segments, mean_weights, unsorted
from nearkin.losses.pair_memory import PairMemory
from nearkin.losses.soft_reach import NEGLIGIBLE_SHARE, reach
from nearkin.numerics.near_pairs import distances_of, nearest_rows
from nearkin.numerics.products import squared_norms
from nearkin.numerics.row_blocks import row_block_gradient

#: Below this many rows every pair is weighed: finding the near ones would cost as much.
SMALLEST_LISTED = 500
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
    """Fixed parts of a soft-neighbour loss, rows sorted by class, and where it last found neighbours.

    `nearest` names some near rows of each row, the nearest of all among them when they were found.
    """

    weights: np.ndarray
    sharpness: np.ndarray
    targets: np.ndarray
    codes: np.ndarray | None
    segments: np.ndarray | None
    order: np.ndarray | None
    memory: PairMemory = field(repr=False)
    nearest: np.ndarray | None = field(default=None, repr=False)
    wait: int = 0
    decay: float = 0.0
    age: int = 0
    certain: bool = False
    listed: bool = False


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
    #: How long lists of pairs should serve, and how many pairs they may miss; see `PairMemory`.
    evaluations_ahead, share_entered = 4, 0.005

    def prepare(self, X, y, *, start=None, sample_weight=None) -> SoftState:
        start = X if start is None else start
        y = np.asarray(y)
        sharpness, nearest = self._sharpness(centred(start, None))
        state = self._sorted_state(y, mean_weights(len(y), sample_weight), sharpness)
        if nearest is not None and state.order is not None:
            nearest = np.argsort(state.order)[nearest[state.order]]
        state.nearest = nearest
        return state

    def narrowed(self, state, rows) -> SoftState:
        places = rows if state.order is None else np.argsort(state.order)[rows]
        y = (state.targets if state.codes is None else state.codes)[places]
        return self._sorted_state(y, mean_weights(len(rows), state.weights[places]), state.sharpness[places])

    def pairs_per_row(self, Z, state) -> float:
        return reach(centred(Z, state.order), state.sharpness, share=self.negligible).neighbours

    def _sorted_state(self, y, weights, sharpness) -> SoftState:
        """The state of rows that come in any order."""
        targets, codes, segments, order = np.empty((0, 0)), None, None, None
        if np.issubdtype(y.dtype, np.integer):
            order, segments = class_segments(y)
            if order is not None:
                y, weights, sharpness = y[order], weights[order], sharpness[order]
            codes = y
        else:
            targets = np.asarray(y.reshape(len(y), -1), dtype=np.float64)
        memory = PairMemory(
            largest_error=LARGEST_EXPONENT_ERROR / float(sharpness.max()),
            evaluations_ahead=self.evaluations_ahead,
            share_entered=self.share_entered,
        )
        return SoftState(weights, sharpness, targets, codes, segments, order, memory)

    @abstractmethod
    def _sharpness(self, start: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Factor of the squared distances in each row's exponent, from the rows before the first step.

        Also the nearest other rows of each row, a column each, if they had to be found for it.
        """

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
        from nearkin.numerics.kernels_soft import softmax_block, weigh_classes

        error = 4 * np.finfo(Z.dtype).eps * float((squared_norms(Z) * state.sharpness).max())
        if Z.dtype == np.float32 and error > LARGEST_EXPONENT_ERROR:
            Z = Z.astype(np.float64)
        dtype = Z.dtype
        sharpness = state.sharpness.astype(dtype)
        targets = state.targets.astype(dtype)
        nearest = np.empty(len(Z), dtype=np.int64)

        segments = np.array([0, len(Z)]) if state.codes is None else state.segments

        def weigh(G, first, norms) -> float:
            sums = np.empty((len(G), len(segments) - 1), dtype)
            softmax_block(G, first, norms, sharpness, segments, nearest, sums)
            inverse = 1 / (sums @ np.ones(sums.shape[1], dtype))[:, None]
            averages = G @ targets if state.codes is None else sums
            averages *= inverse
            value, slopes, offsets = self._judge(averages, slice(first, first + len(G)), state)
            slopes *= inverse
            offsets *= inverse[:, 0]
            if state.codes is None:
                G *= slopes @ targets.T + offsets[:, None]
            else:
                weigh_classes(G, segments, slopes, offsets)
            return value

        result = row_block_gradient(Z, weigh)
        state.nearest = nearest[:, None]
        return result

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
        if state.nearest is None:
            state.nearest = nearest_rows(Z)
        limits = distances_of(Z, state.nearest).min(axis=1) + state.decay / state.sharpness
        listed = state.memory.within(Z, limits, _most_listed(n))
        if listed is None:
            state.wait = EVALUATIONS_BETWEEN_ATTEMPTS
            return None
        return self._weigh_list(Z, listed[1], state)

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

    def _weigh_list(self, Z, distances, state) -> tuple[float, np.ndarray]:
        from nearkin.numerics import kernels_soft as kernels

        pairs = state.memory.mirrored()
        P = pairs.spread(distances)
        nearest = state.nearest[:, 0].copy()
        sharpness = state.sharpness.astype(Z.dtype)
        if state.codes is None:
            add_up, weigh, labels = kernels.row_target_sums, kernels.row_weigh_targets, state.targets
            width = labels.shape[1]
        else:
            add_up, weigh, labels = kernels.row_class_sums, kernels.row_weigh_classes, state.codes
            width = len(state.segments) - 1

        def weigh_rows(first: int, stop: int) -> float:
            rows = pairs.starts, pairs.partners, first, stop
            kernels.row_softmax(*rows, P, sharpness, state.decay, nearest)
            averages = np.zeros((stop - first, width), dtype=Z.dtype)
            add_up(*rows, P, labels, averages)
            value, slopes, offsets = self._judge(averages, slice(first, stop), state)
            weigh(*rows, P, labels, slopes, offsets)
            return value

        value = pairs.row_parts(weigh_rows)
        state.nearest = nearest[:, None]
        pairs.join(P)
        return value, pairs.gradient(Z, P)


def _most_listed(n: int) -> int:
    """The longest list of pairs that is worth its making."""
    return int(min(LARGEST_LISTED, LARGEST_LISTED_SHARE * n * n / 2))
