"""Which rows should be near each other, as sparse matrices of pair weights."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nearkin.numerics.row_hash import lowest_per_class, row_hash


def candidate_rows(codes: np.ndarray, most: int | None) -> np.ndarray | None:
    """Which rows may be targets: at most `most` of each class, those with the lowest hash of their number.

    None if all may.

    >>> candidate_rows(np.array([0, 0, 0, 1]), 2)
    array([False,  True,  True,  True])
    """
    if most is None or np.bincount(codes).max() <= most:
        return None
    among = np.zeros(len(codes), dtype=bool)
    among[lowest_per_class(codes, row_hash(np.arange(len(codes))), most)] = True
    return among


def listed_pairs(targets: np.ndarray, dtype=np.float64, sample_weight=None) -> sparse.csr_array:
    """Pair weights of a table of targets, one row for each source, -1 where it has no more.

    >>> listed_pairs(np.array([[1], [-1]])).toarray()
    array([[0., 1.],
           [0., 0.]])
    """
    n = len(targets)
    sources, places = np.nonzero(targets >= 0)
    weights = np.ones(n, dtype=dtype) if sample_weight is None else sample_weight.astype(dtype)
    # nonzero lists the pairs row by row, so the row pointers follow from the counts.
    row_ends = np.cumsum(np.bincount(sources, minlength=n))
    pairs = sparse.csr_array(
        (weights[sources], targets[sources, places], np.concatenate([[0], row_ends])), shape=(n, n)
    )
    pairs.sort_indices()
    return pairs
