"""Coordinates in which the scatter of similar pairs is the identity, in which DML-eig and MMC work."""

from __future__ import annotations

import numpy as np

from nearkin.learners.constraint.certified import apart
from nearkin.numerics.linear_metric import ridged
from nearkin.numerics.pair_scatter import pair_scatter
from nearkin.numerics.products import row_distances
from nearkin.supervision.constraints import Pairs


def both_kinds(pairs: Pairs, learner: str) -> tuple[Pairs, Pairs]:
    """Similar and dissimilar pairs; raises if one kind is missing."""
    similar, dissimilar = pairs.split()
    for kind, found in (("similar", similar), ("dissimilar", dissimilar)):
        if not len(found):
            raise ValueError(
                f"{learner} sets similar pairs against dissimilar ones, but there is no {kind} pair; "
                "give some of both kinds (of labels: a class with two rows or more)."
            )
    return similar, dissimilar


def mean_scatter(rows: np.ndarray, pairs: Pairs) -> np.ndarray:
    """Weighted mean of v v' over the pairs."""
    return pair_scatter(rows, pairs.left, pairs.right, pairs.weight / pairs.weight.sum())


def whitening(S: np.ndarray, ridge: float, learner: str) -> np.ndarray:
    """Q with Q S Q' = I for the ridged scatter; raises if that is still singular.

    Features are standardised first, so that units do not decide what is singular.

    >>> whitening(np.diag([4.0, 1.0]), 0.0, "a learner")
    array([[0.5, 0. ],
           [0. , 1. ]])
    """
    S = ridged(S, ridge)
    scale = np.sqrt(np.diag(S))
    values, vectors = np.linalg.eigh(S / np.outer(scale, scale) if scale.min() > 0 else 0 * S)
    if values[0] <= values[-1] * len(S) * np.finfo(np.float64).eps:
        raise ValueError(
            f"{learner}: there are directions in which similar pairs do not differ at all, and stretching "
            f"them costs nothing; raise ridge={ridge:g}."
        )
    return (vectors / np.sqrt(values)) @ vectors.T / scale


def told_apart(rows: np.ndarray, dissimilar: Pairs, learner: str) -> Pairs:
    """The dissimilar pairs whose rows differ, as the others do not affect the solution; raises if none do."""
    lengths = row_distances(rows, rows, dissimilar.left, dissimilar.right)
    kept = apart(dissimilar, lengths, learner)
    if not len(kept):
        raise ValueError(
            f"{learner}: the rows of every dissimilar pair are equal; no metric can separate them."
        )
    return kept
