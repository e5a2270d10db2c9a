"""The nearest candidates of each row of a block, of its own class and of other classes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nearkin.numerics.neighbours_blocked import squared_distances_to
from nearkin.numerics.products import squared_norms
from nearkin.numerics.selection import smallest_per_row
from nearkin.scale.statistics import Block, Candidates

#: Bytes of a block of scores: small enough to be still in the cache when its best columns are selected.
SCORE_BYTES = 2 * 2**20
SMALLEST_BLOCK = 64
#: Extra candidates beyond k. Rounding of products depends on their blocks; distances from differences do not,
#: so they decide the order.
SPARE = 3


def nearest_of_own_class(block: Block, candidates: Candidates, k: int) -> np.ndarray:
    """Numbers of the k nearest candidates of each row's class, except the row itself; -1 for none.

    Parameters
    ----------
    block : Block
    candidates : Candidates
    k : int

    Returns
    -------
    targets : intp array of shape (b, k)
        Nearest first, equal distances by row number: if all rows are candidates, the same as
        `numerics.neighbours.same_class_neighbours`.
    """
    found = np.full((len(block.codes), k), -1, dtype=np.intp)
    order = np.argsort(candidates.codes, kind="stable")
    codes = candidates.codes[order]
    for code, rows in _by_class(block.codes):
        own = order[np.searchsorted(codes, code) : np.searchsorted(codes, code, side="right")]
        if not len(own):
            continue
        Z = candidates.rows[own]
        origin = Z.mean(axis=0)
        Z -= origin
        chosen = _nearest(block, rows, Z, candidates.numbers[own], origin, k)
        found[rows] = np.where(chosen >= 0, own[chosen], -1)
    return found


def _by_class(codes: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Each class with its rows, in order; one sort for all, as there may be very many classes."""
    if len(codes):
        order = np.argsort(codes, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
            yield int(codes[rows[0]]), rows


def nearest_of_other_classes(block: Block, candidates: Candidates, k: int) -> np.ndarray:
    """Numbers of the k nearest candidates of other classes of each row; -1 if there are too few."""
    found = np.full((len(block.codes), k), -1, dtype=np.intp)
    origin = candidates.rows.mean(axis=0)
    centred = candidates.rows - origin
    for code in np.unique(block.codes):
        rows = np.flatnonzero(block.codes == code)
        others = np.flatnonzero(candidates.codes != code)
        chosen = _nearest(block, rows, centred[others], candidates.numbers[others], origin, k)
        found[rows] = np.where(chosen >= 0, others[chosen], -1)
    return found


def _nearest(block: Block, rows: np.ndarray, Z, numbers, origin, k: int) -> np.ndarray:
    """The k nearest rows of Z for some rows of the block, by rising ``|z|^2 / 2 - x . z``."""
    found = np.full((len(rows), k), -1, dtype=np.intp)
    if len(Z) == 0:
        return found
    half_norms = squared_norms(Z) / 2
    at_once = max(SMALLEST_BLOCK, SCORE_BYTES // (Z.itemsize * len(Z)))
    # One buffer for all blocks: if freed memory is returned to the system immediately, allocating it for each
    # block costs more than the product.
    buffer = np.empty((min(at_once, len(rows)), len(Z)), dtype=Z.dtype)
    kept, among = min(k, len(Z)), min(k + SPARE, len(Z))
    for first in range(0, len(rows), at_once):
        part = rows[first : first + at_once]
        X = block.X[part] - origin
        scores = np.matmul(X, Z.T, out=buffer[: len(part)])
        np.subtract(half_norms, scores, out=scores)
        own_numbers = block.numbers[part]
        places = np.minimum(np.searchsorted(numbers, own_numbers), len(numbers) - 1)
        itself = np.flatnonzero(numbers[places] == own_numbers)
        scores[itself, places[itself]] = np.inf
        values, chosen = smallest_per_row(scores, among)
        distances = squared_distances_to(X, Z, chosen)
        distances[np.isinf(values)] = np.inf
        order = np.lexsort((chosen, distances), axis=1)[:, :kept]
        values, chosen = (np.take_along_axis(table, order, axis=1) for table in (distances, chosen))
        found[first : first + at_once, :kept] = np.where(np.isfinite(values), chosen, -1)
    return found
