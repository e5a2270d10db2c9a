"""Maximum margin over triplets with a full positive semidefinite matrix, to a certified duality gap.

The counterpart of `margin_dual` for matrices: with D_W(i, j) = (x_i - x_j)' W (x_i - x_j) and the margin of a
triplet (i, j, l) being D_W(i, l) - D_W(i, j),

    primal   min over W >= 0 of  1/2 ||W||_F^2 - (mean of the lowest nu T margins)
    dual     min over a of       1/2 ||[M(a)]_+||_F^2,   0 <= a <= 1/(nu T),  sum a = 1

where M(a) sums the triplets' difference matrices and [.]_+ drops negative eigenvalues. M(a) is
X' (Laplacian) X for a sparse graph of the neighbour pairs, so that no p x p matrix is ever made per
triplet. The dual is smooth, and is solved by the accelerated projected gradient method with restarts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from nearkin.numerics.capped_simplex import lowest_mean, project_capped_simplex

# Factors below this share of what they would be without contradictions mean that the triplets contradict
# each other.
ZERO_METRIC = 1e-6
# Most successive halvings of a step; if these do not suffice, rounding is the reason.
MOST_DOUBLINGS = 30
# Steps between two looks at the duality gap.
STEPS_PER_CHECK = 5
# Steps of power iteration for the first step size; backtracking corrects it.
CURVATURE_STEPS = 6


@dataclass(frozen=True)
class PsdSolution:
    """A factor F (p x r) with W = F F', and the values that certify it.

    An empty factor (r = 0) means that the triplets contradict each other.
    """

    factor: np.ndarray
    dual: np.ndarray
    objective: float
    gap: float
    n_iter: int
    converged: bool


@dataclass(frozen=True)
class Certificate:
    """The metric of a dual point: its factor (or factors), primal value and relative duality gap."""

    factor: Any
    objective: float
    gap: float


class _Problem:
    """Margins of a metric and the matrix M(a), both through the sparse graph of the neighbour pairs."""

    def __init__(self, X, neighbours, near, far, nu: float):
        from nearkin.numerics import kernels_pair_graph

        self.kernels = kernels_pair_graph
        self.X = np.ascontiguousarray(X)
        self.neighbours = np.ascontiguousarray(neighbours)
        self.near, self.far, self.nu = near, far, nu
        self.cap = 1 / (nu * len(near))
        self.reference = self.reference_size()

    def project(self, a) -> np.ndarray:
        return project_capped_simplex(a, self.cap)[0]

    def value(self, a, M) -> float:
        return positive_factor(M)[1]

    def value_and_slope(self, a, M) -> tuple[float, np.ndarray]:
        factor, value = positive_factor(M)
        return value, self.margins(factor)

    def rounding(self, value: float) -> float:
        # M sums terms of the reference's size that may nearly cancel, which determines its rounding error.
        return 1e-14 * (value + self.reference * np.sqrt(2 * value))

    def certify(self, a, M) -> Certificate:
        factor, value = positive_factor(M)
        if value <= 0.5 * (ZERO_METRIC * self.reference) ** 2:
            return Certificate(factor[:, :0], 0.0, 0.0)
        # Along the ray of the metric the primal is a parabola with a known minimum.
        scale = max(lowest_mean(self.margins(factor), self.nu), 0.0) / (2 * value)
        return Certificate(factor * np.sqrt(scale), -(scale**2) * value, max(1 - scale**2, 0.0))

    def margins(self, factor) -> np.ndarray:
        D = self.kernels.pair_distances(self.X @ factor, self.neighbours).ravel()
        return D[self.far] - D[self.near]

    def aggregate(self, a) -> np.ndarray:
        """M(a), the sum over the pairs of b (x_i - x_j)(x_i - x_j)', b summing the signs and shares of a."""
        b = np.bincount(self.far, a, self.neighbours.size)
        b -= np.bincount(self.near, a, self.neighbours.size)
        b = b.reshape(self.neighbours.shape)
        M = self.X.T @ self.kernels.laplacian_times(b, self.neighbours, self.X)
        return (M + M.T) / 2

    def reference_size(self) -> float:
        """Upper bound on the Frobenius norm of M if no triplet contradicted another."""
        count = np.bincount(self.far, minlength=self.neighbours.size)
        count += np.bincount(self.near, minlength=self.neighbours.size)
        D = self.kernels.pair_distances(self.X, self.neighbours)
        return float(count @ D.ravel()) / len(self.near)

    def largest_curvature(self) -> float:
        return curvature(lambda v: self.margins(positive_factor(self.aggregate(v))[0]), len(self.near))


def curvature(margins_of: Callable[[np.ndarray], np.ndarray], n_triplets: int) -> float:
    """Rough norm of a dual's Hessian, by power iteration; backtracking corrects it.

    Parameters
    ----------
    margins_of : callable
        Margins of the triplets under the metric of given dual variables.
    n_triplets : int

    Examples
    --------
    >>> curvature(lambda v: 2 * v, 3)
    0.6
    """
    v = np.full(n_triplets, 1.0)
    size = 0.0
    for _ in range(CURVATURE_STEPS):
        v = margins_of(v)
        size = float(np.linalg.norm(v))
        if size == 0:
            return 1.0
        v /= size
    return 0.3 * size


def positive_factor(M: np.ndarray) -> tuple[np.ndarray, float]:
    """F with F F' the positive semidefinite part of M, and half its squared Frobenius norm.

    >>> positive_factor(np.diag([4.0, -1.0]))
    (array([[2.],
           [0.]]), 8.0)
    """
    values, vectors = np.linalg.eigh(M)
    kept = values > 0
    values = values[kept]
    return vectors[:, kept] * np.sqrt(values), 0.5 * float(values @ values)


def solve_psd_margin(
    X, neighbours, near, far, nu: float, *, start=None, tol: float = 1e-5, max_iter: int = 1000
) -> PsdSolution:
    """Positive semidefinite matrix of the largest margin, as a factor.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    neighbours : ndarray of shape (K, n)
        Neighbour of each rank of each row; pair number ``rank * n + i``.
    near, far : ndarray of shape (T,)
        Pair numbers of each triplet.
    nu : float in (0, 1]
    start : ndarray of shape (T,), optional
        Dual variables to start from; projected first.
    tol : float
        Relative duality gap at which to stop.
    max_iter : int

    Returns
    -------
    PsdSolution

    Notes
    -----
    A step costs O(n p (p + K)) and two eigendecompositions of p x p; memory O(T + n p + p^2).
    """
    problem = _Problem(X, neighbours, near, far, nu)
    a = np.full(len(near), 1 / len(near)) if start is None else project_capped_simplex(start, problem.cap)[0]
    a, found, n_iter = accelerate(problem, a, tol=tol, max_iter=max_iter)
    return PsdSolution(found.factor, a, found.objective, found.gap, n_iter, found.gap <= tol)


class DualProblem(Protocol):
    """The problem of the accelerated method: min over a in a convex set of f(a), which depends on a via M(a).

    M is affine in a, so the matrix of an extrapolated point is the extrapolated matrix.
    """

    def project(self, a: np.ndarray) -> np.ndarray: ...
    def aggregate(self, a: np.ndarray) -> np.ndarray: ...
    def value(self, a: np.ndarray, M: np.ndarray) -> float: ...
    def value_and_slope(self, a: np.ndarray, M: np.ndarray) -> tuple[float, np.ndarray]: ...
    def rounding(self, value: float) -> float: ...
    def certify(self, a: np.ndarray, M: np.ndarray) -> Certificate: ...
    def largest_curvature(self) -> float: ...


def accelerate(
    problem: DualProblem, a: np.ndarray, *, tol: float, max_iter: int
) -> tuple[np.ndarray, Certificate, int]:
    """Accelerated projected gradient steps with restarts until the certified gap is at most `tol`.

    Returns the last dual point, its certificate and the number of steps.
    """
    M = problem.aggregate(a)
    y, M_y = a, M
    lipschitz, momentum, n_iter = problem.largest_curvature(), 1.0, 0
    while True:
        if n_iter % STEPS_PER_CHECK == 0 or n_iter == max_iter:
            certificate = problem.certify(a, M)
            if certificate.gap <= tol or n_iter >= max_iter:
                return a, certificate, max(1, n_iter)
        n_iter += 1
        value, slope = problem.value_and_slope(y, M_y)
        rounding = problem.rounding(value)
        for _ in range(MOST_DOUBLINGS):
            a_next = problem.project(y - slope / lipschitz)
            M_next = problem.aggregate(a_next)
            moved = a_next - y
            bound = value + float(slope @ moved) + 0.5 * lipschitz * float(moved @ moved)
            if problem.value(a_next, M_next) <= bound + rounding:
                break
            lipschitz *= 2
        else:
            lipschitz /= 2.0**MOST_DOUBLINGS
        if float((y - a_next) @ (a_next - a)) > 0:
            # The momentum points uphill: restart it.
            momentum = 1.0
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        beta = (momentum - 1) / following
        y, M_y = a_next + beta * (a_next - a), M_next + beta * (M_next - M)
        # The curvature along the way is mostly lower than the largest, so let the step grow a little.
        a, M, momentum, lipschitz = a_next, M_next, following, 0.97 * lipschitz
