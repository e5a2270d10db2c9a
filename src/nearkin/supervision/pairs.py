"""Which rows should be near each other, as sparse matrices of pair weights."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nearkin.numerics.neighbours import same_class_neighbours


def target_pairs(X, codes: np.ndarray, n_targets: int, sample_weight=None) -> sparse.csr_array:
    """Pair weights J: ``J[i, j] > 0`` where j is one of the nearest rows of i's own class.

    A row alone in its class has no target; a class smaller than `n_targets` + 1 gives what it has.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    codes : ndarray of shape (n,)
        Class of each row.
    n_targets : int
        Targets per row.
    sample_weight : ndarray of shape (n,) or None
        Weight of the pairs of each source row; one by default.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0]])
    >>> target_pairs(X, np.array([0, 0, 1]), 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    return listed_pairs(same_class_neighbours(X, codes, n_targets), X.dtype, sample_weight)


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
