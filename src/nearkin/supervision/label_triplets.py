"""Triplets of rows made from labels: nearest rows of the class before nearest rows of others."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.neighbours import other_class_neighbours, same_class_neighbours
from nearkin.supervision.constraints import TripletList


def nearest_triplets(X, codes: np.ndarray, n_targets: int, n_impostors: int) -> TripletList:
    """Every row with each of its nearest rows of the same class and each of its nearest of the others.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    codes : integer array of shape (n,)
    n_targets, n_impostors : int
        Neighbours of either kind; where a class or the rest has fewer, there are fewer triplets.

    Raises
    ------
    ValueError
        If no row has another one of its class, or all rows are of one class.

    Notes
    -----
    One blocked search of n^2 d multiply-adds; memory of the triplets, n n_targets n_impostors of them.

    Examples
    --------
    >>> triplets = nearest_triplets(np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1]), 1, 1)
    >>> np.c_[triplets.anchor, triplets.near, triplets.far].tolist()
    [[0, 1, 2], [1, 0, 2]]
    """
    n_targets = max(1, min(n_targets, int(np.bincount(codes).max()) - 1))
    near = same_class_neighbours(X, codes, n_targets)
    far = other_class_neighbours(X, codes, min(n_impostors, len(codes) - 1))
    anchor = np.repeat(np.arange(len(codes)), near.shape[1] * far.shape[1])
    # For each row, every target with every impostor.
    pairs = np.stack([np.repeat(near, far.shape[1], axis=1), np.tile(far, (1, near.shape[1]))], axis=2)
    pairs = pairs.reshape(-1, 2)
    whole = (pairs >= 0).all(axis=1)
    if not whole.any():
        raise ValueError(
            "the labels give no triplet: every class has one row only, or all rows are of one class."
        )
    return TripletList(anchor[whole], pairs[whole, 0], pairs[whole, 1], np.ones(np.count_nonzero(whole)))
