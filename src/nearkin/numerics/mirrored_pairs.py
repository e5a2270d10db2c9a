"""A list of near pairs with each pair in the rows of both its partners.

Passes over such rows write only what is their own, so that several threads can share them. What both
partners of a pair make of it is joined at the end.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nearkin.numerics.near_pairs import PairList, pair_workers, row_stripes
from nearkin.numerics.workers import run_parts, worker_count


class MirroredPairs:
    """Entries ``starts[i]:starts[i + 1]`` are the pairs of row i, with the row `partners` each.

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
        from nearkin.numerics.kernels_mirrored import count_partners, fill_partners

        indptr, others = self.pairs = pairs
        self._workers = pair_workers(others.size)
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
        from nearkin.numerics.kernels_mirrored import spread

        out = np.empty(self.partners.size, dtype=values.dtype)
        self._over_pairs(
            lambda _, first, stop: spread(
                self.pairs[0], self._middles, self._mirrors, values, first, stop, out
            )
        )
        return out

    def join(self, weights: np.ndarray) -> None:
        """Replace the weights that both partners give each pair with their sum."""
        from nearkin.numerics.kernels_mirrored import join

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
        from nearkin.numerics.kernels_mirrored import gather_pairs

        dZ = np.empty_like(Z)
        workers = max(self._workers, worker_count(weights.size * Z.shape[1] * 4))
        stripes = row_stripes(self.starts, workers)
        run_parts(
            lambda part: gather_pairs(self.starts, self.partners, weights, *stripes[part], Z, dZ), workers
        )
        return dZ

    def _over_pairs(self, task) -> None:
        run_parts(lambda part: task(part, *self._pair_stripes[part]), self._workers)
