"""Near pairs remembered from one evaluation to the next, until new ones have come in."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.mirrored_pairs import MirroredPairs
from nearkin.numerics.near_pair_search import NearPairSearch
from nearkin.numerics.near_pairs import PairList, list_distances

#: A list should outlive this many evaluations that change distances as much as the last ones
EVALUATIONS_AHEAD = 4
#: (never less than this share of the limits), ...
SMALLEST_CHANGE = 0.005
#: ... unless it would have to reach farther beyond the limits than this share of them ...
LARGEST_MARGIN = 0.15
#: ... or would hold so many times the pairs within them (and a few for every row).
LONGEST = 40
#: Pairs are searched for anew once so many of the outer half have come within the limits, as a share of
#: all that are, ...
LARGEST_SHARE_ENTERED = 0.005
#: ... or once those within the limits have fallen by this factor, ...
LARGEST_FALL = 3
#: ... or after so many evaluations: from far outside a pair may pass the outer half unseen.
OLDEST = 10


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
    """

    def __init__(self, groups=None, largest_error=0.0):
        self.search = NearPairSearch(groups, largest_error)
        self.change, self.ahead = np.inf, float(EVALUATIONS_AHEAD)
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
            if self._holds(self.pairs, distances, roots):
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
            self.ahead = self.ahead / 2 if found is None else EVALUATIONS_AHEAD
        if found is None:
            self.margin = 0.0
            found = self.search(Z, roots**2, max_pairs)
        self.age, self.pairs = 0, None
        if found is not None:
            self.pairs, distances = found
            self.excesses = _excesses(self.pairs, distances, roots)
            self.inside = self.inside_at_search = int(np.count_nonzero(self.excesses < 0))
        return found

    def _holds(self, pairs, distances, roots) -> bool:
        """Whether the list will do; also learns how fast distances change and how many are near."""
        self.age += 1
        now = _excesses(pairs, distances, roots)
        if len(now):
            self.change = _inward(self.excesses - now, float(np.median(roots))) / self.age
        near = now < 0
        self.inside = int(np.count_nonzero(near))
        if self.age > OLDEST or self.margin == 0 or LARGEST_FALL * self.inside < self.inside_at_search:
            return False
        entered = np.count_nonzero(near & (self.excesses > self.margin / 2))
        return bool(entered <= LARGEST_SHARE_ENTERED * self.inside)


def _inward(moves: np.ndarray, typical_limit: float) -> float:
    """How far pairs tend to come in: less than they move where all of them drift outwards."""
    spread = float(moves.std())
    return max(spread + float(moves.mean()), spread / 2, SMALLEST_CHANGE * typical_limit)


def _excesses(pairs: PairList, distances, roots) -> np.ndarray:
    """How far beyond the limits each listed pair is."""
    from nearkin.numerics.kernels_near_pairs import pair_excesses

    return pair_excesses(*pairs, distances, roots.astype(distances.dtype))
