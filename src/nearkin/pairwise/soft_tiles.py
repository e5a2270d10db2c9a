"""Soft neighbours of many rows of which all pairs count: tiles of products serve the rows of both sides."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nearkin.numerics.threads import run_striped, worker_count
from nearkin.pairwise.policy import ListPolicy
from nearkin.pairwise.search import Tiles


def tiled_gradient(
    Z: np.ndarray,
    sharpness: np.ndarray,
    labels: tuple[np.ndarray, np.ndarray, np.ndarray],
    judged: Callable[[np.ndarray], tuple[float, np.ndarray, np.ndarray]],
    nearest: np.ndarray,
    policy: ListPolicy,
) -> tuple[float, np.ndarray]:
    """Loss of every row's average of all others, and its gradient; notes the nearest.

    Parameters
    ----------
    Z : ndarray of shape (n, e)
        Best centred, and sorted by class.
    sharpness : ndarray of shape (n,)
    labels : (segments, codes, targets)
        Where each class starts, the class of each row, and real targets of shape (n, t): either one class or
        no target.
    judged : callable
        Averages to the loss, and the slopes and offsets that make weights of the p_ij.
    nearest : int32 array of shape (n,)
    policy : ListPolicy

    Notes
    -----
    2 n^2 e multiply-adds: each product is made twice, for the averages and for the gradient, but for both of
    its rows at once. Tiles stay in the cache, so that time grows as n^2. Each worker takes memory for n rows
    of the embedding and of the averages (classes, or real targets).
    """
    from nearkin.pairwise.kernels import FAR
    from nearkin.pairwise.kernels_tiles import tile_sums, tile_weights

    (n, width), (segments, codes, targets) = Z.shape, labels
    n_classes, n_targets = len(segments) - 1, targets.shape[1]
    scales, values = (2 * sharpness).astype(Z.dtype), np.ascontiguousarray(targets.T.astype(Z.dtype))
    halves = np.einsum("ij,ij->i", Z, Z) / 2
    starts = range(0, n, policy.tile_rows)
    workers = min(worker_count(2 * n * n * width), len(starts))

    def each_tile(task) -> None:
        def work(worker, blocks) -> None:
            tiles = Tiles(Z, policy)
            for row in (starts[block] for block in blocks):
                for column in range(row, n, policy.tile_columns):
                    task(worker, row, column, tiles.products(row, column))

        run_striped(work, len(starts), workers)

    lows, found = np.full((workers, n), FAR, Z.dtype), np.zeros((workers, n), np.int32)
    sums = np.zeros((workers, n, n_classes + n_targets), Z.dtype)
    weighing = halves, scales, segments, codes, values

    def add_up(worker, row, column, G) -> None:
        tile_sums(G, row, column, *weighing, lows[worker], found[worker], sums[worker])

    each_tile(add_up)
    best, low = lows.argmin(axis=0)[None], lows.min(axis=0)
    nearest[:] = np.take_along_axis(found, best, axis=0)[0]
    with np.errstate(over="ignore"):
        sums *= np.exp(scales * (low - lows))[:, :, None]
    total = sums.sum(axis=0)
    inverse = 1 / total[:, :n_classes].sum(axis=1)
    value, own_slopes, offsets = judged(total[:, n_classes if n_targets else 0 :] * inverse[:, None])
    slopes = np.zeros((n_classes + n_targets, n), Z.dtype)
    slopes[n_classes if n_targets else 0 :] = (own_slopes * inverse[:, None]).T
    offsets = offsets * inverse
    # A column of ones makes the same products give the row and column sums of the weights.
    extended = np.concatenate([Z, np.ones((n, 1), dtype=Z.dtype)], axis=1)
    products = np.zeros((workers, n, width + 1), Z.dtype)

    def pull(worker, row, column, G) -> None:
        tile_weights(G, row, column, *weighing, low, slopes, offsets)
        rows, columns = slice(row, row + len(G)), slice(column, column + G.shape[1])
        products[worker, rows] += G @ extended[columns]
        products[worker, columns] += G.T @ extended[rows]

    each_tile(pull)
    both = products.sum(axis=0)
    return value, 2 * (both[:, -1:] * Z - both[:, :-1])
