"""All references within a radius."""

from __future__ import annotations

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances import Distance, EmbeddedDistance
from nearkin.numerics.products import row_distances, squared_norms

#: Bytes of one block of distances.
MEMORY_BUDGET = 128 * 2**20
#: Error of a squared distance from products, in units in the last place of the squared lengths.
ROUNDING = 64


def within_radius(
    distance: Distance,
    references: MatrixLike,
    queries: MatrixLike,
    radius: float,
    memory_budget: int = MEMORY_BUDGET,
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Distances (not squared) to, and row numbers of, all references within `radius` of each query.

    Parameters
    ----------
    distance : Distance
    references, queries : arrays or CSR rows as the distance takes them
    radius : float
        The boundary counts as inside.
    memory_budget : int
        Bytes that one block of distances may take.

    Returns
    -------
    distances, indices : lists of ndarray
        One entry per query, in the order of the rows.

    Notes
    -----
    m n distances are computed in blocks of queries. For embeddings they come from matrix products, whose
    rounding matters for rows near the boundary: those that might be inside are measured from differences.

    Examples
    --------
    >>> rows = np.array([[0.0], [2.0], [5.0]])
    >>> within_radius(EmbeddedDistance(), rows, np.array([[1.5]]), 1.5)
    ([array([1.5, 0.5])], [array([0, 1])])
    """
    to_references = distance.bind(references)
    if isinstance(distance, EmbeddedDistance):
        exact = distance.embed_references(references)
        scale = squared_norms(exact).max()
    step = max(1, memory_budget // (8 * references.shape[0]))
    distances: list[np.ndarray] = []
    indices: list[np.ndarray] = []
    for start in range(0, queries.shape[0], step):
        block = queries[start : start + step]
        squared = to_references(block)
        if not isinstance(distance, EmbeddedDistance):
            left, right = np.nonzero(squared <= radius**2)
            found = np.sqrt(squared[left, right])
        else:
            placed = distance.embed_queries(block)
            slack = ROUNDING * np.finfo(squared.dtype).eps * (scale + squared_norms(placed)[:, None])
            left, right = np.nonzero(squared <= radius**2 + slack)
            found = np.sqrt(row_distances(placed, exact, left, right))
        inside = found <= radius
        left, right, found = left[inside], right[inside], found[inside]
        ends = np.cumsum(np.bincount(left, minlength=block.shape[0]))[:-1]
        distances += np.split(found, ends)
        indices += np.split(right, ends)
    return distances, indices
