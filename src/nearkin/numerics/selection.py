"""Selection of the smallest entries of each row."""

from __future__ import annotations

import numpy as np

# Rows shorter than this many times k are partitioned directly: grouping would exclude little.
GROUPING_MIN_RATIO = 12
# A row with more candidate groups than this many times k has many ties and is handled separately.
MANY_CANDIDATES = 8


def smallest_per_row(D: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest values of each row and their columns, sorted by value, then by column.

    Ties at the k-th place go to the lowest columns, so that the answer does not depend on the caller's
    blocks. If k is larger than the row, the whole row is returned sorted.

    Parameters
    ----------
    D : float array of shape (m, n)
        No NaN; infinities are allowed.
    k : int
        At least 1.

    Notes
    -----
    Long rows are folded into groups of columns: the k-th smallest of the group minima bounds the
    k-th smallest value, so only the few groups up to it are examined again. That is one pass over D,
    several times faster than `numpy.argpartition`.

    Examples
    --------
    >>> smallest_per_row(np.array([[3.0, 1.0, 1.0, 0.0]]), 2)
    (array([[0., 1.]]), array([[3, 1]]))
    """
    if k == 1 and D.shape[1] > 0:
        chosen = D.argmin(axis=1)[:, None]
        return np.take_along_axis(D, chosen, axis=1), chosen
    if k >= D.shape[1]:
        chosen = np.argsort(D, axis=1, kind="stable")
    elif len(D) and D.shape[1] >= GROUPING_MIN_RATIO * k:
        chosen = _smallest_by_groups(D, k)
    else:
        chosen = _smallest_by_partition(D, k)
    return np.take_along_axis(D, chosen, axis=1), chosen


def others_found(found: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Which of the k + 1 neighbours found of each row are the k others.

    A row itself goes where it was found; where it was not, hidden by duplicates or moved away, the farthest
    goes.

    Parameters
    ----------
    found : ndarray of int of shape (m, k + 1)
        Numbers of each row's neighbours, the nearest first.
    rows : ndarray of int of shape (m,)
        Each row's own number.

    Returns
    -------
    ndarray of bool of shape (m, k + 1)
        With k true entries in every row.

    Examples
    --------
    >>> others_found(np.array([[0, 5, 7], [4, 5, 6]]), np.array([0, 1]))
    array([[False,  True,  True],
           [ True,  True, False]])
    """
    others = found != rows[:, None]
    others[others.all(axis=1), -1] = False
    return others


def _smallest_by_partition(D: np.ndarray, k: int) -> np.ndarray:
    chosen = np.argpartition(D, k - 1, axis=1)[:, :k]
    values = np.take_along_axis(D, chosen, axis=1)
    # argpartition breaks ties at the k-th place arbitrarily, so rows with such ties are selected again.
    tied = np.flatnonzero(np.count_nonzero(values.max(axis=1)[:, None] >= D, axis=1) > k)
    for row in tied:
        chosen[row] = _first_smallest(D[row], k)
        values[row] = D[row, chosen[row]]
    return np.take_along_axis(chosen, np.lexsort((chosen, values), axis=1), axis=1)


def _smallest_by_groups(D: np.ndarray, k: int) -> np.ndarray:
    m, n = D.shape
    # Balances the work on group minima (n / size of them) against that within k selected groups.
    size = max(2, int(np.sqrt(n / k)))
    width = n // size
    minima = D[:, : size * width].reshape(m, size, width).min(axis=1)
    bound = np.partition(minima, k - 1, axis=1)[:, k - 1]
    hits = minima <= bound[:, None]
    crowded = np.flatnonzero(np.count_nonzero(hits, axis=1) > MANY_CANDIDATES * k)
    hits[crowded] = False
    rows, groups = np.divmod(np.flatnonzero(hits), width)
    members = groups[:, None] + width * np.arange(size)
    inside = D[rows[:, None], members] <= bound[rows, None]
    rest = D[:, size * width :] <= bound[:, None]
    rest[crowded] = False
    rest_rows, rest_columns = np.nonzero(rest)
    settled = [_first_smallest(D[row], k) for row in crowded]
    rows = np.concatenate([np.repeat(rows, size)[inside.ravel()], rest_rows, np.repeat(crowded, k)])
    columns = np.concatenate([members[inside], rest_columns + size * width, *settled])
    order = np.lexsort((columns, D[rows, columns], rows))
    firsts = np.searchsorted(rows[order], np.arange(m))
    return columns[order[firsts[:, None] + np.arange(k)]]


def _first_smallest(row: np.ndarray, k: int) -> np.ndarray:
    """Columns of the k smallest entries of one row, ties at the k-th place to the lowest columns."""
    worst = np.partition(row, k - 1)[k - 1]
    below = np.flatnonzero(row < worst)
    return np.concatenate([below, np.flatnonzero(row == worst)[: k - len(below)]])
