"""Near pairs remembered from one evaluation to the next, until new ones have come in."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.mirrored_pairs import MirroredPairs
from nearkin.numerics.near_pair_search import NearPairSearch
from nearkin.numerics.near_pairs import PairList, list_distances, pair_workers, row_stripes
from nearkin.numerics.workers import run_parts

#: A list should outlive some evaluations that change distances as much as the last ones
#: (never less than this share of the limits), ...
SMALLEST_CHANGE = 0.005
#: ... unless it would have to reach farther beyond the limits than this share of them ...
LARGEST_MARGIN = 0.15
#: ... or would hold so many times the pairs within them (and a few for every row).
LONGEST = 40
#: Pairs are searched for anew once too many of the outer half have come within the limits, or once those
#: within have fallen by this factor, ...
LARGEST_FALL = 3
#: ... or after so many evaluations: from far outside a pair may pass the outer half unseen.
OLDEST = 10
#: Places of the sums over the pairs: how far they have moved inwards, its squares, how many are within
#: the limits, and how many of those came in from the outer half.
MOVED, SQUARES, INSIDE, ENTERED = range(4)
N_SUMS = 4


class PairMemory:
    """Lists of near pairs that are kept as long as hardly any pair can have come in from outside.

    A list reaches a margin beyond the limits. How many pairs of its outer half have come within the
    limits tells how many from beyond it may have. A pair that has just come in hardly counts, so to
    miss a few for a few evaluations does no harm, and `forget` makes the next evaluation exact. Near
    rows move together under a map, so such a list lives far longer than one that has to hold for any
    moves of the rows.

    Parameters
    ----------
    groups : sorted integer array, optional
        Only pairs of different groups are listed.
    largest_error : float, default=0
        How far the distances of a new list may be from the exact ones, which take time.
    evaluations_ahead : int, default=4
        How many evaluations a list is made for; the margin grows with them.
    share_entered : float, default=0.005
        Of the pairs within the limits, how many may have come in from the outer half of the margin.
    """

    def __init__(self, groups=None, largest_error=0.0, evaluations_ahead=4, share_entered=0.005):
        self.search = NearPairSearch(groups, largest_error)
        self.evaluations_ahead, self.share_entered = evaluations_ahead, share_entered
        self.change, self.ahead = np.inf, float(evaluations_ahead)
        self.age, self.inside = 0, 0
        self._mirrored: MirroredPairs | None = None
        self.forget()

    def forget(self) -> bool:
        """Make the next list from scratch; tells whether the last one was older than its evaluation."""
        self.pairs: PairList | None = None
        self._mirrored = None
        older, self.age = self.age > 0, 0
        return older

    def mirrored(self) -> MirroredPairs:
        """The pairs last returned, each in the rows of both its partners; made once for every list."""
        assert self.pairs is not None
        if self._mirrored is None:
            self._mirrored = MirroredPairs(self.pairs)
        return self._mirrored

    def within(self, Z, limits, max_pairs: int) -> tuple[PairList, np.ndarray] | None:
        """The pairs with ``|z_i - z_j|^2 <= max(limits[i], limits[j])`` and more, and their distances.

        None if there are more than `max_pairs`.
        """
        roots = np.sqrt(np.maximum(limits, 0))
        if self.pairs is not None:
            distances = list_distances(Z, *self.pairs)
            if self._holds(distances, roots):
                return self.pairs, distances
        return self._renewed(Z, roots, max_pairs)

    def _renewed(self, Z, roots, max_pairs) -> tuple[PairList, np.ndarray] | None:
        self.margin = 2 * self.ahead * self.change
        found, self._mirrored = None, None
        # A list with a margin is seldom less than three times as long: not to be had near the limit.
        room = 3 * self.inside <= max_pairs
        if room and self.margin <= LARGEST_MARGIN * float(np.median(roots)):
            most = min(max_pairs, LONGEST * self.inside + len(Z))
            found = self.search(Z, (roots + self.margin) ** 2, most)
            self.ahead = self.ahead / 2 if found is None else self.evaluations_ahead
        if found is None:
            self.margin = 0.0
            found = self.search(Z, roots**2, max_pairs)
        self.age, self.pairs = 0, None
        if found is not None:
            self.pairs, distances = found
            self.excesses = np.zeros_like(distances)
            # Moves from zero: the list now remembers how far outside the limits each pair is.
            self.inside = self.inside_at_search = int(self._moves(distances, roots, remember=True)[INSIDE])
        return found

    def _holds(self, distances, roots) -> bool:
        """Whether the list will do; also learns how fast distances change and how many are near."""
        self.age += 1
        moves = self._moves(distances, roots)
        self.inside = int(moves[INSIDE])
        if len(distances):
            self.change = _inward(moves, len(distances), float(np.median(roots))) / self.age
        if self.age > OLDEST or self.margin == 0 or LARGEST_FALL * self.inside < self.inside_at_search:
            return False
        return bool(moves[ENTERED] <= self.share_entered * self.inside)

    def _moves(self, distances, roots, *, remember: bool = False) -> np.ndarray:
        """Sums over the pairs of how they have moved inwards since the search."""
        from nearkin.numerics.kernels_near_pairs import pair_moves

        assert self.pairs is not None
        indptr, others = self.pairs
        stripes = row_stripes(indptr, pair_workers(len(distances)))
        roots, half = roots.astype(distances.dtype), self.margin / 2
        sums = np.zeros((len(stripes), N_SUMS))
        run_parts(
            lambda part: pair_moves(
                indptr, others, distances, roots, self.excesses, half, remember, *stripes[part], sums[part]
            ),
            len(stripes),
        )
        return sums.sum(axis=0)


def _inward(moves: np.ndarray, n_pairs: int, typical_limit: float) -> float:
    """How far pairs tend to come in: less than they move where all of them drift outwards."""
    mean = moves[MOVED] / n_pairs
    spread = float(np.sqrt(max(moves[SQUARES] / n_pairs - mean**2, 0.0)))
    return max(spread + mean, spread / 2, SMALLEST_CHANGE * typical_limit)
