"""Triplets of rows made from labels: the nearest of the same class against the nearest of the others."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.neighbours import other_class_neighbours
from nearkin.supervision.constraints import TripletList
from nearkin.supervision.targets import target_neighbours


def nearest_triplets(X, codes: np.ndarray, n_targets: int, n_impostors: int) -> TripletList:
    """Every row with each of its nearest rows of the same class against each of its nearest of the others.

    A row alone in its class is no anchor; a class with too few rows gives what it has.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    codes : integer array of shape (n,)
        At least two classes, one of them of at least two rows.
    n_targets, n_impostors : int
        Near rows and far rows of each anchor: it has n_targets * n_impostors triplets.

    Notes
    -----
    Deterministic. One blocked product of n^2 d multiply-adds; memory of the triplets and one block.

    Examples
    --------
    >>> triplets = nearest_triplets(np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1]), 1, 1)
    >>> np.c_[triplets.anchor, triplets.near, triplets.far].tolist()
    [[0, 1, 2], [1, 0, 2]]
    """
    targets = target_neighbours(X, codes, n_targets)
    impostors = other_class_neighbours(X, codes, n_impostors)
    both = (targets[:, :, None] >= 0) & (impostors[:, None, :] >= 0)
    anchor, target, impostor = np.nonzero(both)
    return TripletList(anchor, targets[anchor, target], impostors[anchor, impostor], np.ones(len(anchor)))
