"""Near pairs remembered from one evaluation to the next, until new ones have come in."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.near_pair_search import NearPairSearch
from nearkin.numerics.near_pairs import PairList, list_distances

#: A list should outlive this many evaluations that change distances as much as the last ones ...
EVALUATIONS_AHEAD = 4
#: ... unless it would have to reach farther beyond the limits than this share of them.
LARGEST_MARGIN = 0.15
#: Pairs are searched for anew once this share of the list's outer half has come within the limits.
LARGEST_SHARE_ENTERED = 0.01
#: ... or once the share of it that is within the limits has fallen by this factor.
LARGEST_FALL = 3


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
    """

    def __init__(self, groups=None):
        self.search = NearPairSearch(groups)
        self.change, self.age = np.inf, 0
        self.forget()

    def forget(self) -> bool:
        """Make the next list from scratch; tells whether the last one was older than its evaluation."""
        self.pairs: PairList | None = None
        older, self.age = self.age > 0, 0
        return older

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
        margin = 2 * EVALUATIONS_AHEAD * self.change
        margins = [0.0] if margin > LARGEST_MARGIN * float(np.median(roots)) else [margin, 0.0]
        for self.margin in margins:
            found = self.search(Z, (roots + self.margin) ** 2, max_pairs)
            if found is not None:
                self.pairs, distances = found
                self.age, self.excesses = 0, _excesses(self.pairs, distances, roots)
                self.inside = np.count_nonzero(self.excesses < 0)
                return found
        self.pairs, self.age = None, 0
        return None

    def _holds(self, pairs, distances, roots) -> bool:
        """Whether the list will do; also learns how fast distances change."""
        self.age += 1
        now = _excesses(pairs, distances, roots)
        if len(now):
            self.change = float(np.sqrt(np.mean((now - self.excesses) ** 2))) / self.age
        if self.margin == 0:
            return False
        outer = self.excesses > self.margin / 2
        inside = now < 0
        entered = np.count_nonzero(outer & inside)
        if LARGEST_FALL * np.count_nonzero(inside) < self.inside:
            return False
        return bool(entered <= LARGEST_SHARE_ENTERED * np.count_nonzero(outer))


def _excesses(pairs: PairList, distances, roots) -> np.ndarray:
    """How far beyond the limits each listed pair is."""
    from nearkin.numerics.kernels_near_pairs import pair_excesses

    return pair_excesses(*pairs, distances, roots.astype(distances.dtype))
