"""Rows chosen by a hash of their number: the same ones, however they are divided into blocks."""

from __future__ import annotations

import numpy as np


def row_hash(numbers: np.ndarray, seed: int = 0) -> np.ndarray:
    """64 well-mixed bits for each row number, without collisions (the mixer of splitmix64).

    >>> row_hash(np.array([0, 1, 2])).dtype
    dtype('uint64')
    """
    offset = np.uint64((0x9E3779B97F4A7C15 * (seed + 1)) % 2**64)
    x = np.asarray(numbers).astype(np.uint64) + offset
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def lowest_per_class(codes: np.ndarray, hashes: np.ndarray, most: int | np.ndarray) -> np.ndarray:
    """Places of the rows with the lowest hashes of each class, sorted.

    Parameters
    ----------
    codes : int array of shape (n,)
    hashes : uint64 array of shape (n,)
    most : int, or array with a number for each class
        Number of rows per class.

    Examples
    --------
    >>> lowest_per_class(np.array([0, 0, 0, 1]), np.array([5, 2, 9, 7], dtype=np.uint64), 2)
    array([0, 1, 3])
    """
    order = np.lexsort((hashes, codes))
    sorted_codes = codes[order]
    starts = (
        np.flatnonzero(np.r_[True, sorted_codes[1:] != sorted_codes[:-1]]) if len(codes) else np.empty(0, int)
    )
    ranks = np.arange(len(codes)) - np.repeat(starts, np.diff(np.r_[starts, len(codes)]))
    limits = most if np.ndim(most) == 0 else np.asarray(most)[sorted_codes]
    return np.sort(order[ranks < limits])


def hash_bounds(sizes: np.ndarray, most: int | np.ndarray | None) -> np.ndarray:
    """Hashes above which (almost surely) no row of a class is among its `most` lowest.

    A block can ignore rows above the bound, so that it keeps only its share of the chosen rows. The bound
    allows for six standard deviations of the count; beyond that fewer rows would be chosen, but still the
    same ones from any blocks.

    >>> hash_bounds(np.array([100, 10**9]), 100) == 2**64 - 1
    array([ True, False])
    """
    if most is None:
        return np.full(len(sizes), 2**64 - 1, dtype=np.uint64)
    wanted = most + 6 * np.sqrt(most) + 10
    shares = np.broadcast_to(wanted / np.maximum(sizes, 1), len(sizes)).tolist()
    return np.array([2**64 - 1 if share >= 1 else int(share * 2**64) for share in shares], dtype=np.uint64)
