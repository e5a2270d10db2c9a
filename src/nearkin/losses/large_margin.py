"""The large-margin loss: targets pulled close, impostors pushed a margin beyond them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nearkin.losses.base import Loss, centred, class_segments, mean_weights, probed_rows, unsorted
from nearkin.losses.pair_memory import PairMemory
from nearkin.numerics.near_pairs import block_rows, distances_of
from nearkin.numerics.products import squared_distances
from nearkin.numerics.row_blocks import row_block_gradient
from nearkin.supervision.targets import target_neighbours

#: Beyond this share of all pairs full blocks are faster than a list; beyond this many a row, smaller.
LARGEST_LISTED_SHARE = 0.1
LARGEST_LISTED_PER_ROW = 250
#: Values beyond so many times the best are estimated from one block of rows in so many.
HOPELESS = 3.0
BLOCKS_PER_SAMPLE = 6
#: What a distance may be wrong by, of a margin of one.
LARGEST_ERROR = 1e-4


@dataclass
class MarginState:
    """Targets and weights, rows sorted by class."""

    targets: np.ndarray
    weights: np.ndarray
    codes: np.ndarray
    segments: np.ndarray
    order: np.ndarray | None
    memory: PairMemory = field(repr=False)
    #: Whether the last evaluation had too many impostors for a list.
    crowded: bool = False
    #: The lowest value so far.
    best: float = np.inf
    #: Whether the last value was estimated.
    estimated: bool = False


class LargeMarginLoss(Loss):
    """(1 - mu) * distances to targets + mu * hinges [1 + d(i, target) - d(i, impostor)]_+.

    Targets are the `n_targets` nearest rows of the same class in the input space, fixed by `prepare`;
    impostors are all rows of other classes, and every one that violates a margin counts. A
    row alone in its class has no target and no part in the loss; a class smaller
    than n_targets + 1 has as many targets as it can.

    Parameters
    ----------
    n_targets : int, default=3
    mu : float in [0, 1], default=0.5
        Share of the push against the pull.

    Notes
    -----
    Impostors are found by one blocked product of n^2 e / 2 multiply-adds and kept as a list;
    where there are too many for a list (a start far too small), by full blocks of rows. Values of
    many rows that are several times the lowest so far may be estimated, but none after `forget`.

    References
    ----------
    K. Weinberger, L. Saul (2009). Distance Metric Learning for Large Margin Nearest Neighbor
    Classification. JMLR 10.

    Examples
    --------
    >>> loss, Z = LargeMarginLoss(n_targets=1), np.array([[0.0], [2.0], [9.0], [9.5]])
    >>> state = loss.prepare(Z, np.array([0, 0, 1, 1]))
    >>> loss.value_and_grad(Z, state)[0]  # no impostors: half the mean distance to the targets
    1.0625
    """

    def __init__(self, n_targets=3, mu=0.5):
        self.n_targets = n_targets
        self.mu = mu

    def prepare(self, X, y, *, start=None, sample_weight=None) -> MarginState:
        codes = np.asarray(y)
        if not np.issubdtype(codes.dtype, np.integer):
            raise ValueError("the large-margin loss needs classes, but y holds real targets.")
        order, segments = class_segments(codes)
        weights = mean_weights(len(codes), sample_weight)
        if order is not None:
            X, codes, weights = X[order], codes[order], weights[order]
        targets = target_neighbours(X, codes, self.n_targets)
        return MarginState(targets, weights, codes, segments, order, PairMemory(codes, LARGEST_ERROR))

    def value_and_grad(self, Z, state) -> tuple[float, np.ndarray]:
        from nearkin.numerics.kernels_near_pairs import scatter_targets

        Zc = centred(Z, state.order)
        pulls = distances_of(Zc, state.targets)
        has_target = state.targets >= 0
        reaches = np.where(has_target, pulls + 1, -1).astype(Z.dtype)
        weights = self.mu * state.weights
        pushes = np.zeros(pulls.shape)
        pulled = (1 - self.mu) * float(state.weights @ pulls.sum(axis=1, dtype=np.float64))
        pushed, dZ = self._push(Zc, reaches, weights, pushes, state, pulled)
        value = pulled + pushed
        state.best = min(state.best, value)
        pull_weights = ((1 - self.mu) * state.weights)[:, None] + weights[:, None] * pushes
        scatter_targets(Zc, state.targets, pull_weights.astype(Z.dtype), dZ)
        return value, unsorted(dZ, state.order)

    def forget(self, state) -> bool:
        state.best = np.inf
        return state.memory.forget() or state.estimated

    def _push(self, Z, reaches, weights, pushes, state, pulled: float) -> tuple[float, np.ndarray]:
        """The hinges and their gradient with the targets held still; `pushes` counts violations.

        Where full blocks are needed and the value is many times the best so far, it is only estimated:
        a solver that has stepped too far needs to know no more than that.
        """
        from nearkin.numerics import kernels_margin as kernels

        state.estimated = False
        n = len(Z)
        most = int(min(LARGEST_LISTED_PER_ROW * n, max(1_000, LARGEST_LISTED_SHARE * n * n / 2)))
        limits = reaches.max(axis=1)
        listed = None
        if not state.crowded or _impostors(Z, limits, state.codes) <= most:
            listed = state.memory.within(Z, limits, most)
        state.crowded = listed is None
        if listed is not None:
            (indptr, others), distances = listed
            pair_weights = np.empty_like(distances)
            value = kernels.hinge_list(indptr, others, distances, reaches, weights, pushes, pair_weights)
            mirrored = state.memory.mirrored()
            return value, mirrored.gradient(Z, mirrored.spread(pair_weights))

        block_weights = weights.astype(Z.dtype)
        weighed: list[int] = []

        def weigh(G, first, norms) -> float:
            weighed.append(len(G))
            return kernels.hinge_block(
                G, first, norms, state.segments, state.codes, reaches, block_weights, pushes
            )

        if n // block_rows(n, Z.itemsize) >= 4 * BLOCKS_PER_SAMPLE:
            rough = row_block_gradient(Z, weigh, every=BLOCKS_PER_SAMPLE)
            if pulled + rough[0] > HOPELESS * state.best:
                pushes *= n / sum(weighed)
                state.estimated = True
                return rough
        return row_block_gradient(Z, weigh)


def _impostors(Z, limits, codes) -> float:
    """About how many pairs of rows of different classes lie within the limits, judging by some rows."""
    rows = probed_rows(len(Z))
    near = squared_distances(Z[rows], Z) <= np.maximum(limits[rows, None], limits)
    near &= codes[rows, None] != codes
    return float(np.count_nonzero(near)) / len(rows) * len(Z) / 2
