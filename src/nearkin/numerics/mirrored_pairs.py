"""A list of near pairs with each pair in the rows of both its partners.

Passes over such rows write only what is their own, so that several threads can share them. What both
partners of a pair make of it is joined at the end.
"""

from __future__ import annotations

import numpy as np

from nearkin.numerics.near_pairs import PairList, pair_workers, row_stripes
from nearkin.numerics.workers import run_parts, worker_count


class MirroredPairs:
    """Entries ``starts[i]:starts[i + 1]`` are the pairs of row i, with the row `partners` each.

    Parameters
    ----------
    pairs : (indptr, others)
        Each pair once, with the greater row as the other.

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
        from nearkin.numerics.kernels_mirrored import count_partners, fill_partners

        self.pairs = pairs
        indptr, others = pairs
        n = len(indptr) - 1
        self.workers = pair_workers(others.size)
        self.pair_stripes = row_stripes(indptr, self.workers)
        counts = np.zeros((self.workers, n), dtype=np.int64)
        self._over_pairs(lambda part, rows: count_partners(*pairs, *rows, counts[part]))
        earlier = counts.sum(axis=0)
        self.starts = np.concatenate([[0], np.cumsum(earlier + np.diff(indptr))])
        #: Where the partners that come after a row begin.
        self.middles = self.starts[:-1] + earlier
        # Each worker's share of a row comes after those of the workers before.
        places = self.starts[:-1] + np.cumsum(counts, axis=0) - counts
        self.partners = np.empty(self.starts[-1], dtype=np.int32)
        #: Where the other partner keeps each pair.
        self.mirrors = np.empty(others.size, dtype=np.int64)
        self._over_pairs(
            lambda part, rows: fill_partners(
                *pairs, self.middles, *rows, places[part], self.partners, self.mirrors
            )
        )
        self.row_stripes = row_stripes(self.starts, self.workers)

    def spread(self, values: np.ndarray) -> np.ndarray:
        """A value of each pair in the rows of both partners."""
        from nearkin.numerics.kernels_mirrored import spread

        out = np.empty(self.partners.size, dtype=values.dtype)
        self._over_pairs(
            lambda part, rows: spread(self.pairs[0], self.middles, self.mirrors, values, *rows, out)
        )
        return out

    def over_rows(self, kernel, *arguments) -> None:
        """Call ``kernel(starts, partners, first, stop, *arguments)`` on stretches of rows."""
        run_parts(
            lambda part: kernel(self.starts, self.partners, *self.row_stripes[part], *arguments), self.workers
        )

    def join(self, weights: np.ndarray) -> None:
        """Replace the two weights of each pair with their sum."""
        from nearkin.numerics.kernels_mirrored import join

        self._over_pairs(lambda _, rows: join(self.pairs[0], self.middles, self.mirrors, *rows, weights))

    def gradient(self, Z, weights: np.ndarray) -> np.ndarray:
        """Gradient in Z of the sum of weight times squared distance, each pair counted once.

        `weights` are the same in the rows of both partners. Z is best centred: each row's pull is the
        difference of two sums.
        """
        from nearkin.numerics.kernels_mirrored import gather_pairs

        dZ = np.empty_like(Z)
        workers = max(self.workers, worker_count(weights.size * Z.shape[1] * 4))
        stripes = row_stripes(self.starts, workers)
        run_parts(
            lambda part: gather_pairs(self.starts, self.partners, *stripes[part], Z, weights, dZ), workers
        )
        return dZ

    def _over_pairs(self, task) -> None:
        run_parts(lambda part: task(part, self.pair_stripes[part]), self.workers)
