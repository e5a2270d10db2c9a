"""Hubs: references that are neighbours of far too many queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


def k_occurrence(indices: np.ndarray, n_references: int) -> np.ndarray:
    """N_k: how often each reference is in the neighbour lists.

    >>> k_occurrence(np.array([[0, 1], [0, 2]]), 4)
    array([2, 1, 1, 0])
    """
    indices = np.asarray(indices)
    if indices.ndim != 2 or not np.issubdtype(indices.dtype, np.integer):
        raise ValueError(
            f"indices must be a 2-D array of row numbers (queries x neighbours), got shape {indices.shape} "
            f"of {indices.dtype}."
        )
    if n_references < 1:
        raise ValueError(f"n_references={n_references}: there must be at least one reference.")
    if indices.size and not (indices.min() >= 0 and indices.max() < n_references):
        raise ValueError(
            f"indices run from {indices.min()} to {indices.max()}, but n_references={n_references} allows "
            f"0 to {n_references - 1}."
        )
    return np.bincount(indices.ravel(), minlength=n_references)


def hubness_skewness(indices: np.ndarray, n_references: int) -> float:
    """Skewness of the N_k distribution, with population moments; 0 if every N_k is the same.

    Parameters
    ----------
    indices : ndarray of shape (n_queries, k)
        Neighbour lists: row numbers of references.
    n_references : int
        How many references there are, those in no list included.

    References
    ----------
    Radovanovic, Nanopoulos, Ivanovic (2010). Hubs in space. JMLR 11.

    Examples
    --------
    >>> round(hubness_skewness(np.array([[0], [0], [0], [1]]), 3), 4)
    0.3818
    """
    counts = k_occurrence(indices, n_references).astype(float)
    centred = counts - counts.mean()
    variance = np.mean(centred**2)
    return float(np.mean(centred**3) / variance**1.5) if variance > 0 else 0.0


@dataclass(frozen=True)
class Hubness:
    """The N_k distribution of one search, and what stands out in it.

    Attributes
    ----------
    k : int
        Length of the neighbour lists.
    occurrences : ndarray of shape (n_references,)
        N_k of each reference.
    skewness : float
        Skewness of N_k; around 0 no hubs, above 1 to 2 marked hubs.
    hubs : ndarray
        References with N_k at least two standard deviations above the mean, largest first.
    anti_hubs : ndarray
        References that are nobody's neighbour.
    """

    k: int
    occurrences: np.ndarray
    skewness: float
    hubs: np.ndarray
    anti_hubs: np.ndarray

    @classmethod
    def of(cls, indices: np.ndarray, n_references: int) -> Hubness:
        """From neighbour lists (n_queries x k) of row numbers."""
        counts = k_occurrence(indices, n_references)
        by_count = np.argsort(-counts, kind="stable")
        is_hub = counts > counts.mean() + 2 * counts.std()
        return cls(
            k=np.asarray(indices).shape[1],
            occurrences=counts,
            skewness=hubness_skewness(indices, n_references),
            hubs=by_count[is_hub[by_count]],
            anti_hubs=np.flatnonzero(counts == 0),
        )
