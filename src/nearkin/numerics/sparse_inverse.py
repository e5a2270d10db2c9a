"""The graphical lasso with a certified gap: a sparse approximate inverse.

Minimises tr(C M) - log det M + price sum_{k != l} |M_kl| over positive definite M by proximal Newton steps:
the smooth part is replaced by its quadratic model, whose minimum with the penalty is found by sweeps over the
entries that may differ from zero (Hsieh, Sustik, Dhillon, Ravikumar 2011, QUIC). A line search keeps M
positive definite. Unlike block coordinate descent over the covariance this works for nearly singular C.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

# Most halvings of a Newton step; if these do not suffice, rounding is the reason.
MOST_HALVINGS = 40
# Share of the decrease predicted by the model that a step must achieve.
DECREASE = 1e-3
# Sweeps for the first step; later steps are worth more precision and get more.
FIRST_SWEEPS = 2
MOST_SWEEPS = 200


@dataclass(frozen=True)
class SparseInverse:
    """The matrix found, and the values that certify it.

    Attributes
    ----------
    matrix : ndarray of shape (d, d)
    objective : float
    gap : float
        Upper bound on the distance from the optimum, relative to the larger of the objective (with features
        of unit variance) and d.
    n_iter : int
        Newton steps.
    """

    matrix: np.ndarray
    objective: float
    gap: float
    n_iter: int


def sparse_inverse(C: np.ndarray, price: float, *, tol: float = 1e-6, max_iter: int = 200) -> SparseInverse:
    """The minimiser of tr(C M) - log det M + price sum_{k != l} |M_kl|.

    Parameters
    ----------
    C : ndarray of shape (d, d)
        Symmetric and positive definite.
    price : float
        Not negative.
    tol : float
        Relative duality gap at which to stop.
    max_iter : int
        Largest number of Newton steps.

    Notes
    -----
    d^3 for each sweep, in some tens of sweeps.

    Examples
    --------
    >>> sparse_inverse(np.diag([2.0, 4.0]), 0.1).matrix
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    from nearkin.numerics.kernels_sparse_inverse import newton_direction

    # Features of unit variance, so that their units do not slow down the sweeps.
    size = np.sqrt(np.diag(C))
    units = np.outer(size, size)
    prices = price / units
    np.fill_diagonal(prices, 0.0)
    scaled = C / units
    # The solutions for an infinite and for no penalty; the better one is a good start.
    starts = [np.eye(len(C)), np.linalg.inv(scaled)]
    M = min(starts, key=lambda start: _value(scaled, start, prices))
    shift = 2 * float(np.log(size).sum())
    value, gap = value_and_gap(scaled, M, prices)
    n_iter = 0
    while gap > tol * max(abs(value), len(C)) and n_iter < max_iter:
        sweeps = min(FIRST_SWEEPS + n_iter**2, MOST_SWEEPS)
        W = np.linalg.inv(M)
        D = newton_direction(scaled, (W + W.T) / 2, M, prices, sweeps)
        moved = _stepped(scaled, M, D, prices)
        if moved is None:
            break
        M, n_iter = moved, n_iter + 1
        value, gap = value_and_gap(scaled, M, prices)
    relative = gap / max(abs(value), len(C))
    return SparseInverse(M / units, value + shift, relative, n_iter)


def _stepped(C, M, D, prices) -> np.ndarray | None:
    """M + a D for the first a = 1, 1/2, ... with a sufficient decrease, or None."""
    value = _value(C, M, prices)
    promised = float(np.sum((C - np.linalg.inv(M)) * D))
    promised += float(np.sum(prices * (np.abs(M + D) - np.abs(M))))
    if not promised < 0:
        return None
    for share in 0.5 ** np.arange(MOST_HALVINGS):
        moved = M + share * D
        if _value(C, moved, prices) <= value + DECREASE * share * promised:
            return moved
    return None


def _value(C, M, prices) -> float:
    """The objective, infinite where M is not positive definite."""
    try:
        factor = linalg.cholesky(M, lower=True, check_finite=False)
    except linalg.LinAlgError:
        return np.inf
    return float(np.sum(C * M) - 2 * np.log(np.diag(factor)).sum() + np.sum(prices * np.abs(M)))


def value_and_gap(C: np.ndarray, M: np.ndarray, prices: np.ndarray) -> tuple[float, float]:
    """The objective at M for a penalty on each entry, and an upper bound on its distance from the optimum.

    The dual, log det(C + U) + d over |U| <= prices, is evaluated at U = M^-1 - C, clipped to the bounds.

    >>> C = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> value_and_gap(C, np.eye(2), 0.5 * (1 - np.eye(2)))  # at this price no entry is worth it
    (2.0, 0.0)
    """
    value = _value(C, M, prices)
    U = np.clip(np.linalg.inv(M) - C, -prices, prices)
    sign, bound = np.linalg.slogdet(C + (U + U.T) / 2)
    return value, max(value - float(bound) - len(C), 0.0) if sign > 0 else np.inf
