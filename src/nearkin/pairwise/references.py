"""References of other classes within the limit of each row, where rows and references are different sets."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.threads import run_striped, worker_count
from nearkin.pairwise.policy import ListPolicy
from nearkin.pairwise.search import LOOK, ROOM, PairList, half_norms


def others_within(Z, codes, limits, R, reference_codes) -> PairList:
    """References j of other classes with ``|z_i - r_j|^2 <= limits[i]``, and perhaps a few just outside.

    Parameters
    ----------
    Z : ndarray of shape (n, e)
        Rows, best centred with the references, as for `search.near_stretches`.
    codes : int array of shape (n,)
    limits : ndarray of shape (n,)
    R : ndarray of shape (m, e)
    reference_codes : int array of shape (m,)

    Returns
    -------
    indptr, others
        Partners ``others[indptr[i]:indptr[i + 1]]`` of row i, rising.

    Notes
    -----
    n m e multiply-adds in matrix products; memory for one tile per worker and the pairs.

    Examples
    --------
    >>> others_within(np.array([[0.0], [3.0]]), np.array([0, 1]), np.array([5.0, 0.5]),
    ...               np.array([[1.0], [2.0], [9.0]]), np.array([0, 1, 1]))
    (array([0, 1, 1]), array([1], dtype=int32))
    """
    policy = ListPolicy()
    n, width = Z.shape
    halves, reference_halves = half_norms(Z), half_norms(R)
    half_limits = (limits / 2).astype(Z.dtype, copy=False)
    starts = range(0, n, policy.tile_rows)
    found: list = [None] * len(starts)

    def search(_, blocks) -> None:
        from nearkin.pairwise.kernels import sort_by_row
        from nearkin.pairwise.kernels_references import collect_others

        room = np.empty((2, ROOM), dtype=np.int32)
        for block in blocks:
            first, total = starts[block], 0
            rows = Z[first : first + policy.tile_rows]
            for column in range(0, len(R), policy.tile_columns):
                G = rows @ R[column : column + policy.tile_columns].T
                more = -1
                while more < 0:
                    more = collect_others(
                        G, first, column, halves, reference_halves, half_limits, codes, reference_codes,
                        total, room,
                    )  # fmt: skip
                    if more < 0:
                        full, room = room, np.empty((2, 4 * room.shape[1]), dtype=np.int32)
                        room[:, :total] = full[:, :total]
                total = more
            counts, others = np.empty(len(rows), dtype=np.int64), np.empty(total, dtype=np.int32)
            sort_by_row(room[0, :total], room[1, :total], first, counts, others)
            found[block] = counts, others

    run_striped(search, len(starts), worker_count(n * len(R) * (width + LOOK)))
    if not found:
        return np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)
    counts, others = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return np.concatenate([[0], np.cumsum(counts)]), others
