"""Soft neighbours where near pairs are too many for a list: kept for one evaluation, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nearkin.numerics.threads import run_striped, worker_count
from nearkin.pairwise.policy import ListPolicy
from nearkin.pairwise.search import Stretches, each_stretch


class SoftRows(NamedTuple):
    """What makes weights of distances, and averages of weights.

    Parameters
    ----------
    sharpness : ndarray of shape (n,)
    decay : float
        How far an exponent may lie below that of the nearest.
    places, values : ndarray of shape (n, t)
        Target t of row i is ``values[i, t]``, in place ``places[i, t]`` of the averages.
    width : int
        Places of an average.
    """

    sharpness: np.ndarray
    decay: float
    places: np.ndarray
    values: np.ndarray
    width: int


def kept_gradient(
    Z: np.ndarray,
    kept: Stretches,
    rows: SoftRows,
    judged: Callable[[np.ndarray], tuple[float, np.ndarray, np.ndarray]],
    nearest: np.ndarray,
) -> tuple[float, np.ndarray]:
    """Loss of the rows whose pairs were kept, and its gradient; notes the nearest of these rows.

    Parameters
    ----------
    Z : ndarray of shape (n, e)
    kept : Stretches
    rows : SoftRows
    judged : callable
        Averages to the loss, and the slopes and offsets that make weights of the p_ij.
    nearest : int32 array of shape (n,)

    Notes
    -----
    Every pair is met three times, for the nearest, for the averages and for the gradient, each time with its
    distance computed anew: only the pairs take memory. Each worker adds up both partners' rows for itself.
    """
    from nearkin.pairwise.kernels import FAR
    from nearkin.pairwise.kernels_stretches import both_pulls, both_sums, note_nearest

    n, workers = kept.rows, max(1, min(worker_count(kept.size * Z.shape[1] * 8), len(kept.parts)))
    sharpness, values = rows.sharpness.astype(Z.dtype), rows.values.astype(Z.dtype)

    def each_part(task) -> None:
        def work(worker, parts) -> None:
            for part in parts:
                task(worker, *kept.parts[part])

        run_striped(work, len(kept.parts), workers)

    lows, found = np.full((workers, len(Z)), FAR, Z.dtype), np.zeros((workers, len(Z)), np.int32)

    def compare(worker, first, starts, partners) -> None:
        note_nearest(Z, first, starts, partners, lows[worker], found[worker])

    each_part(compare)
    best = lows.argmin(axis=0)[None]
    nearest[:n] = np.take_along_axis(found, best, axis=0)[0, :n]
    weighing = n, lows.min(axis=0), sharpness, rows.decay, rows.places, values
    sums = np.zeros((workers, n, rows.width + 1), Z.dtype)

    def add_up(worker, first, starts, partners) -> None:
        both_sums(Z, first, starts, partners, *weighing, sums[worker])

    each_part(add_up)
    total = sums.sum(axis=0)
    inverse = 1 / total[:, -1]
    value, slopes, offsets = judged(total[:, :-1] * inverse[:, None])
    slopes *= inverse[:, None]
    offsets *= inverse
    gradients = np.zeros((workers, *Z.shape), Z.dtype)

    def pull(worker, first, starts, partners) -> None:
        both_pulls(Z, first, starts, partners, *weighing, slopes, offsets, gradients[worker])

    each_part(pull)
    return value, gradients.sum(axis=0)


def rest_gradient(
    Z: np.ndarray,
    first_row: int,
    limits: np.ndarray,
    weigh: Callable[[int, np.ndarray, np.ndarray, np.ndarray], float],
    policy: ListPolicy,
) -> tuple[float, np.ndarray]:
    """Loss of the rows from `first_row` on, and its gradient: searched, weighed and forgotten in turn.

    Parameters
    ----------
    Z : ndarray of shape (n, e)
    first_row : int
    limits : ndarray of shape (n,)
        How far the neighbours of each row count.
    weigh : callable (first, starts, partners, P) -> float
        Overwrites the distances P of some rows' partners with weights dE/dD; returns their part of the loss.
    policy : ListPolicy

    Notes
    -----
    Twice the products of a search for pairs, of which each is found from both sides.
    """
    from nearkin.pairwise.kernels import distances_from, scatter_pairs

    gradients: dict[int, np.ndarray] = {0: np.zeros_like(Z)}
    values = [0.0]

    def use(worker, first, starts, partners) -> bool:
        P = np.empty(partners.size, dtype=Z.dtype)
        distances_from(Z, first, starts, partners, P)
        values.append(weigh(first, starts, partners, P))
        dZ = gradients.setdefault(worker, np.zeros_like(Z))
        scatter_pairs(Z, first, starts, partners, P, dZ)
        return True

    each_stretch(Z, limits, use, first_row=first_row, policy=policy)
    # Sorted, so that the order in which threads end does not change the sums.
    return float(np.sum(sorted(values))), np.sum([gradients[worker] for worker in sorted(gradients)], axis=0)
