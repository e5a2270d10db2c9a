"""A concave function of squared lengths, maximised over positive semidefinite matrices of trace one.

    max H(p)  over  S >= 0, tr S = 1,    p_t = u_t' S u_t.

With S = L'L / ||L||_F^2 no projection is needed: L-BFGS over a square L, starting from Euclid. A square L can
represent every S, and a stationary point of full rank is the optimum.

Certificate: with g the slopes of H and G = sum_t g_t u_t u_t', the optimum is at most
lambda_max(G) - g.p above the value (the Frank-Wolfe gap). For a diagonal S, that is feature weights, L is a
vector and the largest diagonal entry of G replaces lambda_max.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize

from nearkin.numerics.pair_differences import PairDifferences

#: Value and slopes of a concave function of the squared lengths of the pairs.
PairGain = Callable[[np.ndarray], tuple[float, np.ndarray]]

# Curvature pairs of L-BFGS: more mean fewer steps, and their updates cost little compared with the pairs.
MEMORY = 30
# Computing the gap costs as much as a step.
STEPS_PER_LOOK = 5
# Most starts: L-BFGS is restarted if a line search fails near the optimum because of an outdated Hessian.
STARTS = 3


@dataclass(frozen=True)
class SpectrahedronSolution:
    """A map L with S = L'L of trace one, and the values that certify it.

    Attributes
    ----------
    factor : ndarray of shape (d, d), or (d,) for a diagonal S
    objective : float
    gap : float
        The objective is at most this share of its size below the optimum.
    n_iter : int
    """

    factor: np.ndarray
    objective: float
    gap: float
    n_iter: int


class _Problem:
    """-H and its gradient over L, with the last evaluated point."""

    def __init__(self, pairs: PairDifferences, gain: PairGain, diagonal: bool):
        self.pairs, self.gain, self.diagonal = pairs, gain, diagonal
        d = pairs.base.shape[1]
        self.theta = (np.ones(d) if diagonal else np.eye(d)).ravel()
        self.shape = (d,) if diagonal else (d, d)
        self.value = -np.inf
        self.slopes = self.p = np.zeros(pairs.n_pairs)

    @property
    def L(self) -> np.ndarray:
        return (self.theta / np.linalg.norm(self.theta)).reshape(self.shape)

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        self.theta = theta.copy()
        size, L = float(np.linalg.norm(theta)), self.L
        image = self.pairs.mapped(L)
        self.p = self.pairs.lengths(image)
        self.value, self.slopes = self.gain(self.p)
        summed = self.pairs.summed_diagonal if self.diagonal else self.pairs.summed
        gradient = summed(image, self.slopes) - float(self.slopes @ self.p) * L
        return -self.value, -2 * gradient.ravel() / size

    def relative_gap(self) -> float:
        """Certified distance from the optimum at the last point, as a share of the value there."""
        base = self.pairs.base
        if self.diagonal:
            top = float(self.pairs.summed_diagonal(base, self.slopes).max())
        else:
            G = self.pairs.summed(base, self.slopes)
            last = len(G) - 1
            top = float(linalg.eigvalsh((G + G.T) / 2, subset_by_index=[last, last])[0])
        gap = max(top - float(self.slopes @ self.p), 0.0)
        return gap / max(abs(self.value), np.finfo(np.float64).tiny)


def best_of_trace_one(
    pairs: PairDifferences,
    gain: PairGain,
    *,
    diagonal: bool = False,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> SpectrahedronSolution:
    """The maximiser of gain(squared lengths of the pairs under S) over S >= 0 of trace one.

    Parameters
    ----------
    pairs : PairDifferences
    gain : callable
        From the squared lengths (T,) to a value and its slopes (T,); concave, with continuous slopes.
    diagonal : bool
        Whether S is diagonal.
    tol : float
        Relative gap at which to stop.
    max_iter : int

    Returns
    -------
    solution : SpectrahedronSolution

    Notes
    -----
    Each step costs min(T, n) d^2 + T d; computing the gap costs as much again and d^3.

    Examples
    --------
    The mean of squared lengths is largest along the top eigenvector:

    >>> pairs = PairDifferences(np.diag([3.0, 1.0]), np.array([0, 1]), np.array([1, 0]))
    >>> found = best_of_trace_one(pairs, lambda p: (float(p.mean()), np.full(2, 0.5)))
    >>> S = found.factor.T @ found.factor
    >>> S.round(3), round(found.objective, 6)
    (array([[ 0.9, -0.3],
           [-0.3,  0.1]]), 10.0)
    """
    problem = _Problem(pairs, gain, diagonal)
    problem(problem.theta)
    gap, n_iter = problem.relative_gap(), 0

    def look(intermediate_result):
        nonlocal gap, n_iter
        # The last evaluation is at the accepted point, unless the line search failed.
        if not np.array_equal(problem.theta, intermediate_result.x):
            problem(intermediate_result.x)
        n_iter += 1
        if n_iter % STEPS_PER_LOOK == 0:
            gap = problem.relative_gap()
            if gap <= tol:
                raise StopIteration

    for _ in range(STARTS):
        if gap <= tol or n_iter >= max_iter:
            break
        # Only the gap decides when to stop, as values and gradients depend on the unit of the features.
        left = max_iter - n_iter
        options = {"maxiter": left, "maxfun": 20 * left, "maxcor": MEMORY, "ftol": 0, "gtol": 0}
        found = optimize.minimize(
            problem, problem.L.ravel(), jac=True, method="L-BFGS-B", callback=look, options=options
        )
        problem(found.x)
        gap = problem.relative_gap()
    return SpectrahedronSolution(problem.L, problem.value, gap, n_iter)
