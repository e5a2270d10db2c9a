"""Repeated searches for near pairs of rows that move little from one to the next."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.near_pairs import PairList, list_distances, near_pairs, pairs_within
from nearkin.numerics.products import squared_norms
from nearkin.numerics.tall_products import tall_inner_product, tall_product

#: Searches in principal dimensions pay from this many dimensions on ...
FEWEST_DIMENSIONS = 32
#: ... if so small a share of them holds most of the variance, ...
WORTHWHILE = 0.6
#: ... and if not too many pairs per true one have to be looked at closely.
MOST_FALSE_CANDIDATES = 6
#: A distance made of inner products is wrong by at most about so many roundings of the larger norm.
DIGITS_LOST = 4
#: Searches after which the directions are renewed.
MOST_SEARCHES = 8


class NearPairSearch:
    """Finds near pairs in few principal dimensions, where no pair is farther than in all, then looks closely.

    Parameters
    ----------
    groups : sorted integer array, optional
        List only pairs of different groups.
    largest_error : float, default=0
        How far the distances may be from the exact ones (to rounding).

    Examples
    --------
    >>> NearPairSearch()(np.array([[0.0], [1.0], [5.0]]), np.array([2.0, 0.0, 0.0]), 9)
    ((array([0, 1, 1, 1]), array([1], dtype=int32)), array([1.]))
    """

    def __init__(self, groups=None, largest_error=0.0):
        self.groups, self.largest_error = groups, largest_error
        self.share, self.age = 0.9, MOST_SEARCHES
        self.directions: np.ndarray | None = None

    def __call__(self, Z, limits, max_pairs: int) -> tuple[PairList, np.ndarray] | None:
        """Pairs i < j with ``|z_i - z_j|^2 <= max(limits[i], limits[j])``, and these distances.

        None if there are more than `max_pairs`.
        """
        self._turn(Z)
        found: tuple[PairList, np.ndarray] | None
        if self.directions is not None:
            flat = tall_product(Z, self.directions)
            candidates = near_pairs(flat, limits, max_pairs=2 * max_pairs, groups=self.groups)
            if candidates is not None:
                found = pairs_within(Z, candidates[0], limits)
                n_candidates, n_found = len(candidates[1]), len(found[1])
                if n_candidates > len(Z) + MOST_FALSE_CANDIDATES * n_found:
                    self.share = 1 - (1 - self.share) / 2
                return found if n_found <= max_pairs else None
            self.share = 1.0
        found = near_pairs(Z, limits, max_pairs=max_pairs, groups=self.groups)
        if (
            found is None
            or DIGITS_LOST * np.finfo(Z.dtype).eps * squared_norms(Z).max() <= self.largest_error
        ):
            return found
        return found[0], list_distances(Z, *found[0])

    def _turn(self, Z) -> None:
        """Renew the principal directions now and then, and take as many as hold the share of the variance.

        Any orthonormal directions would be valid.
        """
        if Z.shape[1] < FEWEST_DIMENSIONS:
            return
        self.age += 1
        if self.age >= MOST_SEARCHES:
            self.age = 0
            variances, directions = np.linalg.eigh(tall_inner_product(Z, Z).astype(np.float64))
            total = max(float(variances.sum()), np.finfo(np.float64).tiny)
            self.shares = np.cumsum(variances[::-1]) / total
            self.axes = directions[:, ::-1].astype(Z.dtype)
        count = 8 * int(np.ceil((np.searchsorted(self.shares, self.share) + 1) / 8))
        worthwhile = count <= WORTHWHILE * Z.shape[1]
        self.directions = np.ascontiguousarray(self.axes[:, :count]) if worthwhile else None
