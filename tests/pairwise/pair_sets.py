"""Near pairs as sets, from a list and by definition."""

import numpy as np
from scipy.spatial.distance import cdist


def listed(pairs):
    indptr, others = pairs
    return set(zip(np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)).tolist(), others.tolist()))


def near(Z, limits, groups=None):
    within = cdist(Z, Z, "sqeuclidean") <= np.maximum.outer(limits, limits)
    if groups is not None:
        within &= groups[:, None] != groups
    return {(i, j) for i, j in zip(*np.nonzero(within)) if i < j}
