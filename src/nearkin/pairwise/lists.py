"""Lists of near pairs: kept from one evaluation to the next, and turned so that both partners see them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nearkin.numerics.threads import run_parts, worker_count
from nearkin.pairwise.policy import ListPolicy
from nearkin.pairwise.search import (
    Found,
    PairList,
    Stretches,
    list_distances,
    near_stretches,
    pairs_within,
    principal_directions,
    row_stripes,
)

#: Places of the sums over the pairs: how far they have moved inwards, its squares, how many are within
#: the limits, and how many of those came in from the outer half.
MOVED, SQUARES, INSIDE, ENTERED = range(4)


class PairMemory:
    """Lists of near pairs that are kept as long as hardly any pair can have come in from outside.

    A list reaches a margin beyond the limits. How many pairs of its outer half have come within the
    limits tells how many from beyond it may have. A pair that has just come in hardly counts, so to
    miss a few for a few evaluations does no harm, and `forget` makes the next list complete. Near
    rows move together under a map, so such a list lives far longer than one that has to hold for any
    moves of the rows.

    Parameters
    ----------
    groups : sorted integer array, optional
        Only pairs of different groups are listed.
    policy : ListPolicy, optional
    most_found : int, default=0
        Pairs up to which a search goes on that has found too many for a list.

    Attributes
    ----------
    All of it depends on earlier calls.

    pairs : PairList or None
        The list at hand.
    age : int
        Evaluations since its search; a list of age 0 is complete.
    searches : int
    margin : float
        How far beyond the limits it reaches.
    excesses : ndarray
        How far outside the limits each of its pairs was at the search.
    inside, inside_at_search : int
        Pairs within the limits, now and at the search; with half as many, the list is too long.
    change : float
        How far pairs come in during an evaluation, by the last one.
    ahead : float
        Evaluations that the next list should serve: fewer after a list with a margin was too long.
    directions : ndarray or None
        Principal directions at the first search, in which near pairs are looked for first; None for all.
    overflow : Stretches or None
        What the last search found, where that was too much for a list and not more than `most_found`.
    _mirrored : MirroredPairs or None
        The list at hand in the rows of both partners, once `mirrored` was asked for it.
    """

    def __init__(self, groups=None, policy: ListPolicy | None = None, most_found: int = 0):
        self.groups, self.policy, self.most_found = groups, policy or ListPolicy(), most_found
        self.forget()

    def forget(self) -> None:
        """Be as if new: the next list is made from scratch."""
        self.pairs: PairList | None = None
        self.directions: np.ndarray | None = None
        self.excesses = np.empty(0)
        self.margin, self.change, self.ahead = 0.0, np.inf, float(self.policy.evaluations_ahead)
        self.age, self.inside, self.inside_at_search, self.searches = 0, 0, 0, 0
        self.overflow: Stretches | None = None
        self._mirrored: MirroredPairs | None = None

    def mirrored(self) -> MirroredPairs:
        """The pairs last returned, each in the rows of both its partners; made once for every list."""
        assert self.pairs is not None
        if self._mirrored is None:
            self._mirrored = MirroredPairs(self.pairs)
        return self._mirrored

    def within(self, Z, limits, max_pairs: int) -> Found | None:
        """The pairs with ``|z_i - z_j|^2 <= max(limits[i], limits[j])`` and more, and their distances.

        None if there are more than `max_pairs`; see `overflow`.
        """
        roots = np.sqrt(np.maximum(limits, 0))
        if self.pairs is not None:
            distances = list_distances(Z, *self.pairs)
            if self._holds(distances, roots):
                return self.pairs, distances
        return self._renewed(Z, roots, max_pairs)

    def _renewed(self, Z, roots, max_pairs) -> Found | None:
        # Twice over, as a list serves only until pairs have crossed the outer half.
        self.margin = 2 * self.ahead * self.change
        found, self.pairs, self.overflow, self._mirrored = None, None, None, None
        room = self.policy.least_room * self.inside <= max_pairs
        if room and self.margin <= self.policy.largest_margin * float(np.median(roots)):
            # A few pairs per row are always cheap.
            longest = int(min(max_pairs, self.policy.listed_per_near * max(self.inside, len(Z))))
            found = self._search(Z, (roots + self.margin) ** 2, longest)
            self.ahead = self.ahead / 2 if found is None else self.policy.evaluations_ahead
        if found is None:
            self.margin = 0.0
            found = self._search(Z, roots**2, max_pairs)
        self.age = 0
        if found is not None:
            self.pairs, distances = found
            self.excesses = np.zeros_like(distances)
            # Moves from zero: the list now remembers how far outside the limits each pair is.
            self.inside = self.inside_at_search = int(self._moves(distances, roots, remember=True)[INSIDE])
        elif self.overflow is not None:
            self.excesses, self.inside = np.empty(0), self.overflow.size
        return found

    def _search(self, Z, limits, max_pairs: int) -> Found | None:
        """Near pairs in the principal dimensions first, of which those stay that are near in all."""
        if self.searches == 0:
            self.directions = principal_directions(Z, self.policy)
        self.searches += 1
        if self.directions is not None:
            most = int(self.policy.candidates_per_listed * max_pairs)
            candidates = self._near(Z @ self.directions, limits, most)
            if candidates.rows == len(Z):
                pairs, distances = pairs_within(Z, candidates.joined(), limits)
                if len(distances) <= max_pairs:
                    return pairs, distances
                if not self.margin and len(distances) <= self.most_found:
                    self.overflow = Stretches.of(pairs, self.policy.tile_rows)
                return None
            if self.margin:
                return None
            # They tell too little apart, even of the nearest.
            self.directions = None
        found = self._near(Z, limits, max_pairs if self.margin else max(max_pairs, self.most_found))
        if found.rows == len(Z) and found.size <= max_pairs:
            pairs = found.joined()
            return pairs, list_distances(Z, *pairs)
        if not self.margin and self.most_found:
            self.overflow = found
        return None

    def _near(self, Z, limits, most: int) -> Stretches:
        return near_stretches(Z, limits, most=most, groups=self.groups, policy=self.policy)

    def _holds(self, distances, roots) -> bool:
        """Whether the list will do; also learns how fast distances change and how many are near."""
        self.age += 1
        moves = self._moves(distances, roots)
        self.inside = int(moves[INSIDE])
        if len(distances):
            self.change = _inward(moves, len(distances)) / self.age
        if self.margin == 0 or 2 * self.inside < self.inside_at_search:
            return False
        return bool(moves[ENTERED] <= self.policy.entered_share * self.inside)

    def _moves(self, distances, roots, *, remember: bool = False) -> np.ndarray:
        """Sums over the pairs of how they have moved inwards since the search."""
        from nearkin.pairwise.kernels import pair_moves

        assert self.pairs is not None
        indptr, others = self.pairs
        stripes = row_stripes(indptr, _workers(len(distances)))
        roots, half = roots.astype(distances.dtype), self.margin / 2
        sums = np.zeros((len(stripes), 4))
        run_parts(
            lambda part: pair_moves(
                indptr, others, distances, roots, self.excesses, half, remember, *stripes[part], sums[part]
            ),
            len(stripes),
        )
        return sums.sum(axis=0)


def _inward(moves: np.ndarray, n_pairs: int) -> float:
    """How far pairs tend to come in: less than they move where all of them drift outwards."""
    mean = moves[MOVED] / n_pairs
    spread = float(np.sqrt(max(moves[SQUARES] / n_pairs - mean**2, 0.0)))
    return max(spread + mean, spread / 2)


def _workers(n_pairs: int) -> int:
    """How many threads a pass over so many listed pairs deserves: a second one takes 0.16 ms to wake."""
    return worker_count(n_pairs * 400)


class MirroredPairs:
    """A list with each pair in the rows of both its partners.

    Entries ``starts[i]:starts[i + 1]`` are the pairs of row i, with the row `partners` each. Passes over
    such rows write only what is their own, so that several threads can share them; what both partners of a
    pair make of it is joined at the end.

    Parameters
    ----------
    pairs : (indptr, others)
        Each pair once, with the greater row as the other.

    Attributes
    ----------
    starts : ndarray of shape (n + 1,)
    partners : ndarray
        The other row of each entry, rising within a row.

    Notes
    -----
    Two passes over the pairs; 12 bytes for each are kept.

    Examples
    --------
    >>> mirrored = MirroredPairs((np.array([0, 2, 2, 2]), np.array([1, 2], dtype=np.int32)))
    >>> mirrored.starts, mirrored.partners
    (array([0, 2, 3, 4]), array([1, 2, 0, 0], dtype=int32))
    >>> mirrored.spread(np.array([5.0, 7.0]))
    array([5., 7., 5., 7.])
    """

    def __init__(self, pairs: PairList):
        from nearkin.pairwise.kernels import count_partners, fill_partners

        indptr, others = self.pairs = pairs
        self._workers = _workers(others.size)
        self._pair_stripes = row_stripes(indptr, self._workers)
        counts = np.zeros((self._workers, len(indptr) - 1), dtype=np.int64)
        self._over_pairs(lambda part, first, stop: count_partners(*pairs, first, stop, counts[part]))
        earlier = counts.sum(axis=0)
        self.starts = np.concatenate([[0], np.cumsum(earlier + np.diff(indptr))])
        # Where the partners that come after a row begin.
        self._middles = self.starts[:-1] + earlier
        # Each worker's share of a row comes after those of the workers before.
        places = self.starts[:-1] + np.cumsum(counts, axis=0) - counts
        self.partners = np.empty(self.starts[-1], dtype=np.int32)
        # Where the other partner keeps each pair.
        small = self.partners.size < np.iinfo(np.int32).max
        self._mirrors = np.empty(others.size, dtype=np.int32 if small else np.int64)
        self._over_pairs(
            lambda part, first, stop: fill_partners(
                *pairs, self._middles, first, stop, places[part], self.partners, self._mirrors
            )
        )

    def spread(self, values: np.ndarray) -> np.ndarray:
        """A value of each pair, in the rows of both partners."""
        from nearkin.pairwise.kernels import spread

        out = np.empty(self.partners.size, dtype=values.dtype)
        self._over_pairs(
            lambda _, first, stop: spread(
                self.pairs[0], self._middles, self._mirrors, values, first, stop, out
            )
        )
        return out

    def join(self, weights: np.ndarray) -> None:
        """Replace the weights that both partners give each pair with their sum."""
        from nearkin.pairwise.kernels import join

        self._over_pairs(
            lambda _, first, stop: join(self.pairs[0], self._middles, self._mirrors, first, stop, weights)
        )

    def row_parts(self, task: Callable[[int, int], float]) -> float:
        """Call ``task(first, stop)`` on stretches of rows, in several threads; the sum of the results."""
        stripes = row_stripes(self.starts, self._workers)
        results = np.zeros(len(stripes))

        def work(part: int) -> None:
            results[part] = task(*stripes[part])

        run_parts(work, len(stripes))
        return float(results.sum())

    def gradient(self, Z, weights: np.ndarray) -> np.ndarray:
        """Gradient in Z of the sum of weight times squared distance, each pair counted once.

        `weights` are the same in the rows of both partners. Z is best centred: each row's pull is the
        difference of two sums.
        """
        from nearkin.pairwise.kernels import gather_pairs

        dZ = np.empty_like(Z)
        workers = max(self._workers, worker_count(weights.size * Z.shape[1] * 4))
        stripes = row_stripes(self.starts, workers)
        run_parts(
            lambda part: gather_pairs(self.starts, self.partners, weights, *stripes[part], Z, dZ), workers
        )
        return dZ

    def _over_pairs(self, task) -> None:
        run_parts(lambda part: task(part, *self._pair_stripes[part]), self._workers)
