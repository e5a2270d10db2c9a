"""Votes of neighbours on rows that a fit has not seen, the measure of overfitting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def right_votes(near: np.ndarray, truth: np.ndarray, counts: Sequence[int]) -> np.ndarray:
    """Whether the vote of the first neighbours of each row is right, for each number of voters.

    A tie goes to the class with the nearest voter, as in `KNNClassifier` with equal weights.

    Parameters
    ----------
    near : ndarray of shape (m, k)
        Classes of each row's neighbours, the nearest first.
    truth : ndarray of shape (m,)
        Class of each row.
    counts : sequence of int
        Numbers of voters; with more than k, all k vote.

    Returns
    -------
    ndarray of bool of shape (len(counts), m)

    Notes
    -----
    At most m k^2 / 2 comparisons, however many classes there are.

    Examples
    --------
    >>> right_votes(np.array([[0, 1, 1], [1, 1, 0]]), np.array([1, 1]), (1, 3))
    array([[False,  True],
           [ True,  True]])
    """
    m, k = near.shape
    asked = np.minimum(counts, k)
    most = int(asked.max())
    voters = np.ascontiguousarray(near[:, :most].T)
    # votes[j]: the votes from voter j on for the class of voter j. For the nearest voter of a class these are
    # all its votes, so the first maximum belongs to the winner.
    votes = np.zeros((most, m), dtype=np.min_scalar_type(most))
    right = np.empty((len(asked), m), dtype=bool)
    for place in range(most):
        votes[: place + 1] += voters[: place + 1] == voters[place]
        if np.any(voting := asked == place + 1):
            first = votes[: place + 1].argmax(axis=0)
            right[voting] = voters[first, np.arange(m)] == truth
    return right
