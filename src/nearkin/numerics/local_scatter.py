"""Scatters inside and between classes in which only near rows of a class count as belonging together."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.blocks import blocks
from nearkin.numerics.products import squared_distances, squared_norms
from nearkin.numerics.threads import run_striped, worker_count

#: Squared distances below so many roundings are not precise to a thousandth.
IMPRECISE = 1e3


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
        Of the affinities and their products; with float32, half the time, a class with rows too near each
        other for it is still taken in float64.
    at_once : int
        Affinities held together: two megabytes stay in the cache.

    Notes
    -----
    3 sum n_c^2 d + n d^2 multiply-adds; holds one block of affinities for each worker, never those of a
    large class.
    """
    X = X - X.mean(axis=0)
    n, d = X.shape
    sizes = np.bincount(codes)
    ordered = X[np.argsort(codes, kind="stable")]
    stops = np.cumsum(sizes)
    totals = np.add.reduceat(ordered, stops - sizes, axis=0)
    workers = worker_count(2.0 * d * float(np.sum(np.square(sizes, dtype=float))))
    # What each worker has added up: the scatter within classes, and the same times n_c / n.
    sums = np.zeros((workers, 2, d, d))

    def add_classes(worker, classes):
        for code in classes:
            rows = ordered[stops[code] - sizes[code] : stops[code]]
            if len(rows) > 1:
                near = _near_scatter(rows - totals[code] / len(rows), n_neighbors, precision, at_once)
                sums[worker] += near / len(rows), near / n

    run_striped(add_classes, len(sizes), workers)
    within, together = sums.sum(axis=0)
    # The sum of both scatters; between classes it needs no pairs but only sums, X being centred. A matrix
    # times its own transpose takes half the products.
    ordered *= np.repeat(np.sqrt(1 - sizes / n), sizes)[:, None]
    between = together + ordered.T @ ordered + totals.T @ totals / n - within
    return (within + within.T) / 2, (between + between.T) / 2


def _near_scatter(wide: np.ndarray, n_neighbors: int | None, precision, at_once: int) -> np.ndarray:
    """Half the sum of A_ij v v' over ordered pairs of centred rows: rows' (diag(A 1) - A) rows."""
    if n_neighbors is None:
        return len(wide) * (wide.T @ wide)
    rows = wide.astype(precision, copy=False)
    norms, single = squared_norms(rows), precision == np.float32
    if single:
        left, right = _factors(rows, norms)

    def distances(part):
        if single:
            return left[part] @ right.T
        return squared_distances(rows[part], rows, norms_a=norms[part], norms_b=norms)

    k = min(n_neighbors, len(rows) - 1)
    squared_scales = np.empty(len(rows), dtype=precision)
    for part in blocks(len(rows), len(rows), at_once):
        D = distances(part)
        D.partition(k, axis=1)
        # Each row itself stands first, at distance zero.
        squared_scales[part] = D[:, k]
    rounding = 4 * np.finfo(precision).eps * float(norms.max())
    if single and squared_scales.min() <= IMPRECISE * rounding:
        return _near_scatter(wide, n_neighbors, np.float64, at_once)
    # Where a row's near ones coincide with it, nothing else is near, and copies of it add nothing.
    apart = squared_scales > rounding
    rows, norms = rows[apart], norms[apart]
    inverse = 1 / np.sqrt(squared_scales[apart])[:, None]
    if single:
        left, right = -inverse * left, inverse * right
    summands = np.column_stack([rows, np.ones(len(rows), dtype=precision)])
    scatter = np.zeros((rows.shape[1], rows.shape[1]))
    for part in blocks(len(rows), max(1, len(rows)), at_once):
        A = distances(part)
        if not single:
            A *= -inverse[part]
            A *= inverse.T
        sums = np.exp(A, out=A) @ summands
        scatter += rows[part].T @ (sums[:, -1:] * rows[part] - sums[:, :-1])
    return scatter


def _factors(rows: np.ndarray, norms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays whose product is the squared distances of rows: no pass over it is left, a third less time.

    A product adds up in an order of its own, so distances of rows very near each other are not symmetric.
    """
    one = np.ones(len(rows), dtype=rows.dtype)
    return np.column_stack([-2 * rows, norms, one]), np.column_stack([rows, one, norms])
