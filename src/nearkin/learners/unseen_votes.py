"""Votes of neighbours on rows that a fit has not seen, the measure of overfitting."""

from __future__ import annotations

import numpy as np


def right_votes(neighbours: np.ndarray, truth: np.ndarray, counts: tuple[int, ...]) -> np.ndarray:
    """For each row, the share of the numbers of voters with which it is classified correctly.

    Parameters
    ----------
    neighbours : ndarray of int of shape (m, k)
        Class codes of each row's neighbours, the nearest first.
    truth : ndarray of int of shape (m,)
    counts : tuple of int
        Numbers of voters; a single one is too noisy on few rows.

    Examples
    --------
    >>> right_votes(np.array([[0, 1, 1], [1, 1, 0]]), np.array([1, 1]), (1, 3))
    array([0.5, 1. ])
    """
    right = np.zeros(len(truth))
    classes = np.arange(int(max(neighbours.max(), truth.max())) + 1)
    for k in counts:
        first = neighbours[:, :k]
        votes = (first[:, :, None] == classes).sum(axis=1)
        # Ties go to the class with the nearest voter.
        top = np.take_along_axis(votes, first, axis=1) == votes.max(axis=1)[:, None]
        right += first[np.arange(len(first)), top.argmax(axis=1)] == truth
    return right / len(counts)
