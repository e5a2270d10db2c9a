"""Target neighbours: the rows of its own class that each row should stay close to."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.neighbours import same_class_neighbours


def target_neighbours(X, codes, n_targets: int) -> np.ndarray:
    """The `n_targets` nearest rows of each row's class, -1 where the class has no more.

    Raises if no class has two rows: then nothing could be pulled together.

    >>> target_neighbours(np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1]), 1)
    array([[ 1],
           [ 0],
           [-1]])
    """
    if not isinstance(n_targets, int | np.integer) or n_targets < 1:
        raise ValueError(f"n_targets={n_targets!r}: expected an integer of at least 1.")
    largest = int(np.bincount(codes).max())
    if largest < 2:
        raise ValueError(
            "every class has a single sample, so no sample has a target; give at least two of one."
        )
    targets = same_class_neighbours(X, codes, min(n_targets, largest - 1))
    return np.ascontiguousarray(targets)
