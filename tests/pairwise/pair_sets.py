"""Near pairs as sets, from a list and by definition."""

import numpy as np
from scipy.spatial.distance import cdist

from nearkin.pairwise.search import near_stretches


def near_pairs(Z, limits, *, max_pairs, groups=None, policy=None):
    """All near pairs as one list; None if there are more than `max_pairs`."""
    found = near_stretches(Z, limits, most=max_pairs, groups=groups, policy=policy)
    return found.joined() if found.rows == len(Z) else None


def listed(pairs):
    indptr, others = pairs
    return set(zip(np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)).tolist(), others.tolist()))


def near(Z, limits, groups=None):
    within = cdist(Z, Z, "sqeuclidean") <= np.maximum.outer(limits, limits)
    if groups is not None:
        within &= groups[:, None] != groups
    return {(i, j) for i, j in zip(*np.nonzero(within)) if i < j}
