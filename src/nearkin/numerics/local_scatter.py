"""Local scatters within and between classes, in which only near rows of a class belong together."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.blocks import blocks
from nearkin.numerics.products import squared_distances, squared_norms
from nearkin.numerics.threads import run_striped, worker_count

#: Squared distances below this many times their rounding error are not precise to a thousandth.
IMPRECISE = 1e3
#: Rows whose affinities with earlier ones are computed together: a smaller number wastes less, a larger one
#: makes faster products.
STRIPE = 128


def local_scatters(
    X: np.ndarray,
    codes: np.ndarray,
    n_neighbors: int | None,
    *,
    precision=np.float64,
    at_once: int = 2**19,
) -> tuple[np.ndarray, np.ndarray]:
    """Local scatter within classes and between them.

    With affinities ``A_ij = exp(-|x_i - x_j|^2 / (s_i s_j))`` of rows of one class of size n_c, the first is
    half the sum of ``A_ij / n_c v v'`` over same-class pairs (in both orders), the second half the sum of
    ``A_ij (1/n - 1/n_c) v v'`` over these and of ``v v' / n`` over pairs of different classes.

    Parameters
    ----------
    X : float64 array of shape (n, d)
    codes : integer array of shape (n,)
        Classes 0..C-1.
    n_neighbors : int or None
        s_i is the distance to this neighbour of the class, or to the farthest if there are fewer; None makes
        all affinities one, which gives the scatters of linear discriminant analysis.
    precision : dtype
        Of the affinities and their products. float32 takes half the time; a class whose rows are too close
        for it is still computed in float64.
    at_once : int
        Affinities held at a time: two megabytes stay in the cache.

    Notes
    -----
    3 sum n_c^2 d + n d^2 multiply-adds; holds one block of affinities for each worker, never those of a whole
    large class.
    """
    n, d = X.shape
    sizes = np.bincount(codes)
    order, stops = np.argsort(codes, kind="stable"), np.cumsum(sizes)
    means = np.empty((len(sizes), d))
    workers = worker_count(2.0 * d * float(np.sum(np.square(sizes, dtype=float))))
    # Sums of each worker: the scatter within classes, and the part of both scatters that rows contribute.
    sums = np.zeros((workers, 2, d, d))

    def add_classes(worker, classes):
        for code in classes:
            rows, size = X[order[stops[code] - sizes[code] : stops[code]]], sizes[code]
            means[code] = rows.mean(axis=0)
            if size > 1:
                near, all_alike = _class_scatters(rows - means[code], n_neighbors, precision, at_once)
                sums[worker] += near / size, near / n + (1 - size / n) * all_alike

    run_striped(add_classes, len(sizes), workers)
    within, both = sums.sum(axis=0)
    apart = np.sqrt(sizes)[:, None] * (means - sizes / n @ means)
    between = both + apart.T @ apart - within
    return (within + within.T) / 2, (between + between.T) / 2


def _class_scatters(rows: np.ndarray, n_neighbors: int | None, precision, at_once: int):
    """Half the sum of A_ij v v' over ordered pairs of centred rows, perhaps asymmetric; rows.T @ rows."""
    if n_neighbors is None:
        scatter = rows.T @ rows
        return len(rows) * scatter, scatter
    k, found = min(n_neighbors, len(rows) - 1), None
    if precision == np.float32:
        found = _single_scatters(rows, k, at_once)
    return found or _double_scatters(rows, k, at_once)


def _double_scatters(rows: np.ndarray, k: int, at_once: int) -> tuple[np.ndarray, np.ndarray]:
    squared_scales, all_alike = _kth_distances(rows, rows, k, at_once), rows.T @ rows
    # If a row coincides with its neighbours, nothing else is near, and copies add nothing.
    apart = squared_scales > _rounding(rows)
    rows, inverse = rows[apart], 1 / np.sqrt(squared_scales[apart])[:, None]
    norms, summands = squared_norms(rows), np.column_stack([rows, np.ones(len(rows))])
    scatter = np.zeros_like(all_alike)
    for part in blocks(len(rows), max(1, len(rows)), at_once):
        A = squared_distances(rows[part], rows, norms_a=norms[part], norms_b=norms)
        A *= -inverse[part]
        A *= inverse.T
        sums = np.exp(A, out=A) @ summands
        scatter += rows[part].T @ (sums[:, -1:] * rows[part] - sums[:, :-1])
    return scatter, all_alike


def _single_scatters(wide: np.ndarray, k: int, at_once: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The same in float32, in a fraction of the time; None if rows are too close to each other for it.

    By symmetry, only affinities of a row with earlier ones are computed.
    """
    from nearkin.numerics.kernels_affinity import kth_smallest, turn_into_affinities

    rows = wide.astype(np.float32)
    left, right = _factors(rows)
    n, all_alike = len(rows), rows.T @ rows
    whole = left @ right.T if n * n <= at_once else None
    squared_scales = np.empty(n, dtype=np.float32)
    for part in blocks(n, n, at_once):
        kth_smallest(left[part] @ right.T if whole is None else whole, k, squared_scales[part])
    near = squared_scales <= IMPRECISE * _rounding(rows)
    if near.any():
        if (_kth_distances(wide[near], wide, k, at_once) > _rounding(wide)).any():
            return None
        # All of these coincide with others, so they add nothing.
        rows, left, right = rows[~near], left[~near], right[~near]
        n, squared_scales = len(rows), squared_scales[~near]
        whole = None if whole is None else whole[np.ix_(~near, ~near)]
    inverse, degrees = 1 / np.sqrt(squared_scales), np.zeros(n, dtype=np.float32)
    pulled = np.empty_like(rows)
    for part in blocks(n, max(1, n), min(at_once, STRIPE * n)):
        before = slice(part.stop)
        A = left[part] @ right[before].T if whole is None else whole[part]
        turn_into_affinities(A, part.start, inverse, degrees)
        np.matmul(A[:, before], rows[before], out=pulled[part])
    return rows.T @ (degrees[:, None] * rows - 2 * pulled), all_alike


def _factors(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays whose product is the squared distances between rows, so that no further pass is needed."""
    norms, one = squared_norms(rows), np.ones(len(rows), dtype=rows.dtype)
    return np.column_stack([-2 * rows, norms, one]), np.column_stack([rows, one, norms])


def _kth_distances(queries: np.ndarray, rows: np.ndarray, k: int, at_once: int) -> np.ndarray:
    """Squared distances of queries, which are among the rows, to their k-th nearest other row."""
    found, norms = np.empty(len(queries)), squared_norms(rows)
    for part in blocks(len(queries), len(rows), at_once):
        # Each row itself comes first, at distance zero.
        D = squared_distances(queries[part], rows, norms_b=norms)
        D.partition(k, axis=1)
        found[part] = D[:, k]
    return found


def _rounding(rows: np.ndarray) -> float:
    """Rounding error of squared distances between these rows."""
    return 4 * float(np.finfo(rows.dtype).eps * squared_norms(rows).max())
