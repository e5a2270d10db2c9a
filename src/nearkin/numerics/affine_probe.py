"""The matrix of an affine function of rows, found by evaluating it."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

#: Largest relative deviation of a function that counts as affine.
AGREEMENT = 1e-6


def affine_of(transform: Callable, n_features: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Matrix (e x d) and constant of an affine function of rows; None if it is not one.

    Parameters
    ----------
    transform : callable
        From rows (n x d) to rows (n x e).
    n_features : int
        The d it takes.

    Notes
    -----
    Evaluates d + 13 rows. The last twelve, of small, usual and large size, have to agree with the matrix,
    which detects functions that clip or are nonlinear.

    Examples
    --------
    >>> affine_of(lambda rows: 2 * rows + 1, 1)
    (array([[2.]]), array([1.]))
    >>> affine_of(np.abs, 1) is None
    True
    """

    def ask(rows: np.ndarray) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a transformer may miss the names of its columns
            found = np.asarray(transform(rows), dtype=np.float64)
        if found.ndim != 2 or len(found) != len(rows):
            raise TypeError
        return found

    try:
        constant = ask(np.zeros((1, n_features)))[0]
        matrix = (ask(np.eye(n_features)) - constant).T
        sizes = np.repeat([1e-2, 1.0, 1e3], 4)[:, None]
        rows = np.random.default_rng(0).standard_normal((12, n_features)) * sizes
        found, expected = ask(rows), rows @ matrix.T + constant
    except (TypeError, ValueError, AttributeError):
        return None
    scale = abs(rows) @ abs(matrix).T + abs(constant) + np.finfo(np.float64).tiny
    return (matrix, constant) if (abs(found - expected) <= AGREEMENT * scale).all() else None
