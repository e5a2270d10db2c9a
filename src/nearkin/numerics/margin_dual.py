"""Maximum margin over triplets with non-negative weights, solved to a certified duality gap.

The problem, for a T x p matrix Phi given as differences of rows of a pair matrix P, is

    primal   min over w >= 0 of  1/2 ||w||^2 - (mean of the lowest nu T entries of Phi w)
    dual     min over a of       1/2 ||[Phi' a]_+||^2,   0 <= a <= 1/(nu T),  sum a = 1

and w = [Phi' a]_+ joins the two. The dual is solved by the proximal point method; each of its steps,

    min over a in the capped simplex of  1/2 ||[Phi' a]_+||^2 + mu/2 ||a - centre||^2,

is in turn solved through its own dual, a smooth piecewise quadratic function of w >= 0, by a projected
semismooth Newton method. As mu shrinks the steps converge faster than linearly, and only the few triplets
at the margin enter the Newton matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from nearkin.numerics.capped_simplex import lowest_mean, project_capped_simplex


@dataclass(frozen=True)
class MarginPolicy:
    """Thresholds of the solver; all values were chosen by hand.

    Attributes
    ----------
    largest_factorisation : int
        Size above which a Newton system is solved by conjugate gradients instead of a factorisation.
    smallest_smoothing : float
        Smallest width of the smoothed margin, relative to the standard deviation of the margins.
    smoothing_decay : float
        Factor by which it shrinks at each proximal step; if it shrank faster, each step would start too far
        from its solution.
    inner_tolerance : float
        A proximal step ends once its residual is below this share of its length; more precision gains
        nothing.
    most_flat_steps : int
        Newton steps without a decrease beyond rounding after which a proximal step ends.
    zero_weight : float
        Weights below this share of what they would be without contradictions mean that the triplets
        contradict each other.
    conjugate_tolerance : float
        Relative residual at which conjugate gradients end: Newton directions need not be exact.
    conjugate_steps : int
        Most steps of conjugate gradients.
    """

    largest_factorisation: int = 1200
    smallest_smoothing: float = 1e-5
    smoothing_decay: float = 0.3
    inner_tolerance: float = 0.1
    most_flat_steps: int = 3
    zero_weight: float = 1e-6
    conjugate_tolerance: float = 1e-4
    conjugate_steps: int = 200


class PairMatrix(Protocol):
    """What the solver needs of P (n_pairs x p)."""

    shape: tuple[int, int]

    def times(self, weights: np.ndarray) -> np.ndarray: ...
    def transposed_times(self, coefficients: np.ndarray) -> np.ndarray: ...
    def take(self, pairs: np.ndarray, columns: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class MarginSolution:
    """Weights and dual variables with the values that certify them.

    Attributes
    ----------
    weights : ndarray of shape (p,)
        All zero if the triplets contradict each other.
    dual : ndarray of shape (T,)
    objective : float
        Primal value at the weights.
    gap : float
        Primal minus dual value, relative to the dual value's size.
    n_iter : int
        Newton steps in all.
    converged : bool
    """

    weights: np.ndarray
    dual: np.ndarray
    objective: float
    gap: float
    n_iter: int
    converged: bool


class TripletMargins:
    """Phi as an operator: margins of triplets, and weighted sums of them."""

    def __init__(self, pairs: PairMatrix, near: np.ndarray, far: np.ndarray):
        self.pairs, self.near, self.far = pairs, near, far

    def margins(self, w: np.ndarray) -> np.ndarray:
        """Phi w."""
        D = self.pairs.times(w)
        return D[self.far] - D[self.near]

    def aggregate(self, a: np.ndarray) -> np.ndarray:
        """Phi' a."""
        n_pairs = self.pairs.shape[0]
        b = np.bincount(self.far, a, n_pairs)
        b -= np.bincount(self.near, a, n_pairs)
        return self.pairs.transposed_times(b)


class _Problem(TripletMargins):
    """The problem of one nu."""

    def __init__(self, pairs: PairMatrix, near, far, nu: float, policy: MarginPolicy):
        super().__init__(pairs, near, far)
        self.nu, self.policy = nu, policy
        self.cap = 1 / (nu * len(near))

    def rows(self, triplets, columns):
        phi = self.pairs.take(self.far[triplets], columns)
        phi = phi - self.pairs.take(self.near[triplets], columns)
        return phi

    def certify(self, a):
        """Best scaled weights of a dual point: (w, primal value, relative gap, margins before scaling)."""
        w = np.maximum(self.aggregate(a), 0)
        size = float(w @ w)
        if size == 0:
            return w, 0.0, 0.0, self.margins(w)
        margins = self.margins(w)
        # Along the ray of w the primal is a parabola with a known minimum.
        scale = max(lowest_mean(margins, self.nu), 0.0) / size
        return w * scale, -0.5 * scale**2 * size, max(1 - scale**2, 0.0), margins


def solve_margin_dual(
    pairs: PairMatrix,
    near,
    far,
    nu: float,
    *,
    start=None,
    tol: float = 1e-7,
    max_iter: int = 500,
    policy: MarginPolicy | None = None,
) -> MarginSolution:
    """Non-negative weights of the largest margin, certified by the duality gap.

    Parameters
    ----------
    pairs : PairMatrix
        P; triplet t is ``P[far[t]] - P[near[t]]``.
    near, far : ndarray of shape (T,)
    nu : float in (0, 1]
        Share of the triplets, worst first, whose mean margin is maximised.
    start : ndarray of shape (T,), optional
        Dual variables to start from, for instance those of another nu; projected first.
    tol : float
        Relative duality gap at which to stop.
    max_iter : int
        Newton steps in all.
    policy : MarginPolicy, optional

    Returns
    -------
    MarginSolution

    Notes
    -----
    A Newton step costs two products with P and, with E triplets at the margin and J positive
    weights, O(E J min(E, J)). Memory is O(T + p) besides P and the E x J block.
    """
    problem = _Problem(pairs, near, far, nu, policy or MarginPolicy())
    a = np.full(len(near), 1 / len(near)) if start is None else project_capped_simplex(start, problem.cap)[0]
    weights, objective, gap, margins = problem.certify(a)
    reference = _reference_size(problem)
    n_iter, smoothing, mu = 0, 1.0, 0.0
    while True:
        w = np.maximum(problem.aggregate(a), 0)
        if np.linalg.norm(w) <= problem.policy.zero_weight * reference:
            return MarginSolution(np.zeros_like(w), a, 0.0, 0.0, max(1, n_iter), True)
        if gap <= tol or n_iter >= max_iter:
            break
        # If the weights vanish, so does the spread of the margins; mu must not shrink too fast.
        mu = max(smoothing * float(margins.std()) / problem.cap, problem.policy.smoothing_decay * mu)
        closer, used = _proximal_step(problem, a, w, mu, max_iter - n_iter)
        n_iter += used
        certified = problem.certify(closer)
        rise = np.linalg.norm(np.maximum(problem.aggregate(closer), 0)) - np.linalg.norm(w)
        if certified[2] > gap and rise > 0:
            # Neither certificate nor dual value improved: mu is so small that rounding dominates.
            smoothing, mu = 100 * smoothing, 100 * mu
            continue
        a = closer
        weights, objective, gap, margins = certified
        smoothing = max(problem.policy.smoothing_decay * smoothing, problem.policy.smallest_smoothing)
    return MarginSolution(weights, a, objective, gap, max(1, n_iter), gap <= tol)


def _reference_size(problem: _Problem) -> float:
    """Length of the weights if no triplet contradicted another."""
    count = np.bincount(problem.far, minlength=problem.pairs.shape[0]).astype(float)
    count += np.bincount(problem.near, minlength=problem.pairs.shape[0])
    return float(np.linalg.norm(problem.pairs.transposed_times(count))) / len(problem.near)


def _proximal_step(problem: _Problem, centre, w, mu: float, max_iter: int):
    """One proximal step from `centre` by projected Newton in w: the new dual point and the steps used."""

    def evaluate(w):
        margins = problem.margins(w)
        a, _ = project_capped_simplex(centre - margins / mu, problem.cap)
        value = 0.5 * float(w @ w) - float(margins @ a) - 0.5 * mu * float(np.sum((a - centre) ** 2))
        return value, a

    value, a = evaluate(w)
    flat_steps = 0
    for n_iter in range(1, max_iter + 1):
        gradient = w - problem.aggregate(a)
        residual = np.linalg.norm(w - np.maximum(w - gradient, 0))
        moved = np.sqrt(mu) * np.linalg.norm(a - centre)
        if residual <= max(problem.policy.inner_tolerance * moved, 1e-13 * np.linalg.norm(w)):
            return a, n_iter
        free = (w > 0) | (gradient < 0)
        direction = np.zeros_like(w)
        direction[free] = -_newton_solve(problem, a, mu, np.flatnonzero(free), gradient[free])
        step = 1.0
        while True:
            trial = np.maximum(w + step * direction, 0)
            trial_value, trial_a = evaluate(trial)
            # Close to the solution the decrease is below rounding, and a full Newton step is right.
            if trial_value <= value + 1e-4 * float(gradient @ (trial - w)) + 1e-14 * abs(value):
                break
            step *= 0.5
            if step < 1e-10:
                return a, n_iter
        flat_steps = flat_steps + 1 if trial_value >= value - 1e-14 * abs(value) else 0
        w, value, a = trial, trial_value, trial_a
        if flat_steps == problem.policy.most_flat_steps:
            return a, n_iter
    return a, max_iter


def _newton_solve(problem: _Problem, a, mu: float, columns, gradient):
    """Solve ``(I + Phi_E' (I - 11'/E) Phi_E / mu) d = gradient`` over the free columns."""
    at_margin = np.flatnonzero((a > 0) & (a < problem.cap))
    if len(at_margin) == 0:
        return gradient
    phi = problem.rows(at_margin, columns)
    phi -= phi.mean(axis=0)
    n_rows, n_columns = phi.shape
    if min(n_rows, n_columns) > problem.policy.largest_factorisation:
        return _conjugate_gradients(lambda d: d + (phi @ d) @ phi / mu, gradient, problem.policy)
    if n_columns <= n_rows:
        H = phi.T @ phi
        H /= mu
        H.flat[:: n_columns + 1] += 1
        return cho_solve(cho_factor(H, lower=True, overwrite_a=True, check_finite=False), gradient)
    # Woodbury: the same system through the smaller E x E matrix.
    G = phi @ phi.T
    G.flat[:: n_rows + 1] += mu
    inner = cho_solve(cho_factor(G, lower=True, overwrite_a=True, check_finite=False), phi @ gradient)
    return gradient - inner @ phi


def _conjugate_gradients(apply, b, policy: MarginPolicy):
    """Solve ``apply(x) = b`` for a positive definite operator, roughly."""
    x, r = np.zeros_like(b), b.copy()
    p, rr = r.copy(), float(r @ r)
    goal = policy.conjugate_tolerance**2 * rr
    for _ in range(policy.conjugate_steps):
        if rr <= goal:
            break
        Ap = apply(p)
        alpha = rr / float(p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        rr, previous = float(r @ r), rr
        p = r + (rr / previous) * p
    return x
