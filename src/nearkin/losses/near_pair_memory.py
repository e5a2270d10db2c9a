"""Near pairs remembered from one evaluation to the next, while the rows have hardly moved."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.near_pair_search import NearPairSearch
from nearkin.numerics.near_pairs import PairList

#: A list should outlive this many steps as long as the last one ...
STEPS_AHEAD = 3
#: ... unless it would have to reach farther beyond the limits than this share of them.
LARGEST_MARGIN = 0.15
#: Share of rows that may have moved farther than the list allows for.
STRAGGLERS = 0.01


class NearPairMemory:
    """Lists of near pairs that are searched for anew when one might be missing.

    A list is made at some Z_0, out to a margin beyond what was asked for. At a later Z, with c the
    factor that takes Z_0 to Z best and r_i = z_i - c z0_i,

        |z_i - z_j| >= c |z0_i - z0_j| - |r_i| - |r_j|,

    so pairs that were beyond the margin are still beyond the limits as long as that bound is. Row i
    is held against its own move and the typical move of the others; few rows may exceed it. What
    a list misses then is little, and `forget` makes the next evaluation exact.

    Parameters
    ----------
    groups : sorted integer array, optional
        List only pairs of different groups.
    """

    def __init__(self, groups=None):
        self.search = NearPairSearch(groups)
        self.last = None
        self.forget()

    def forget(self) -> None:
        """Make the next list from scratch."""
        self.pairs: PairList | None = None

    def within(self, Z: np.ndarray, limits: np.ndarray, max_pairs: int, norms=None) -> PairList | None:
        """A list of the pairs with ``|z_i - z_j|^2 <= max(limits[i], limits[j])``, and more.

        None if there are more than `max_pairs`.
        """
        roots = np.sqrt(np.maximum(limits, 0))
        if self.pairs is None or not self._still_covers(Z, roots):
            self._search(Z, roots, max_pairs, norms)
        self.last = Z
        return self.pairs

    def _search(self, Z, roots, max_pairs, norms) -> None:
        margin = self._margin(Z, roots)
        self.pairs = self.search(Z, (roots + margin) ** 2, max_pairs, norms)
        if self.pairs is None and margin > 0:
            margin = 0.0
            self.pairs = self.search(Z, roots**2, max_pairs, norms)
        self.origin, self.roots = Z, roots + margin

    def _margin(self, Z, roots) -> float:
        """How far beyond the limits to look, judging by the last step."""
        if self.last is None:
            return 0.0
        margin = 2 * STEPS_AHEAD * float(np.sqrt(np.mean(_moves(self.last, Z)[1] ** 2)))
        return margin if margin <= LARGEST_MARGIN * float(np.median(roots)) else 0.0

    def _still_covers(self, Z, roots) -> bool:
        factor, moves = _moves(self.origin, Z)
        bounds = factor * self.roots - moves - np.sqrt(np.mean(moves**2))
        return bool(np.mean(bounds < roots) <= STRAGGLERS)


def _moves(before: np.ndarray, after: np.ndarray) -> tuple[float, np.ndarray]:
    """The factor that takes `before` to `after` best, and how far each row is from there."""
    size = float(np.vdot(before, before))
    factor = max(float(np.vdot(before, after)) / size, 0.0) if size > 0 else 1.0
    left = after - before.dtype.type(factor) * before
    return factor, np.sqrt(np.einsum("ij,ij->i", left, left))
