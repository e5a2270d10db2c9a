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
    2 sum n_c^2 d + n d^2 multiply-adds, 3 where a class is more than one block; holds one block of
    affinities, never those of a large class.
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


def _near_scatter(rows: np.ndarray, n_neighbors: int | None, precision, at_once: int) -> np.ndarray:
    """Half the sum of A_ij v v' over ordered pairs of centred rows: rows' (diag(A 1) - A) rows."""
    if n_neighbors is None:
        return len(rows) * (rows.T @ rows)
    narrow = rows.astype(precision, copy=False)
    norms = squared_norms(narrow)
    rounding = 4 * np.finfo(narrow.dtype).eps * float(norms.max())
    k = min(n_neighbors, len(rows) - 1)
    squared_scales = np.empty(len(rows), dtype=narrow.dtype)
    parts = list(blocks(len(rows), len(rows), at_once))
    for part in parts:
        D = squared_distances(narrow[part], narrow, norms_a=norms[part], norms_b=norms)
        # Each row itself stands first, at distance zero.
        squared_scales[part] = np.partition(D, k, axis=1)[:, k]
    if squared_scales.min() <= IMPRECISE * rounding:
        if narrow.dtype != np.float64:
            return _near_scatter(rows, n_neighbors, np.float64, at_once)
        squared_scales[squared_scales <= rounding] = 0
    # Where a row's near ones coincide with it, nothing else is near, and copies of it add nothing.
    apart = squared_scales > 0
    if not apart.all():
        narrow, norms, squared_scales = narrow[apart], norms[apart], squared_scales[apart]
        parts = list(blocks(len(narrow), len(narrow), at_once)) if len(narrow) else []
    inverse = 1 / np.sqrt(squared_scales)
    scatter = np.zeros((rows.shape[1], rows.shape[1]))
    for part in parts:
        if len(parts) > 1 or not apart.all():
            D = squared_distances(narrow[part], narrow, norms_a=norms[part], norms_b=norms)
        D *= -inverse[part, None]
        D *= inverse
        np.exp(D, out=D)
        scatter += narrow[part].T @ (D.sum(axis=1)[:, None] * narrow[part] - D @ narrow)
    return scatter
