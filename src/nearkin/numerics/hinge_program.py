"""Non-negative weights that minimise a hinge loss over triplets plus their sum: a linear program.

For a T x p matrix Phi given as differences of rows of a pair matrix P, and shares c of the triplets,

    primal   min over w >= 0 of  sum_t c_t [1 - (Phi w)_t]_+ + beta sum(w)
    dual     max over g of       sum(g),   0 <= g <= c,  Phi' g <= beta

It is solved by the proximal method of multipliers: each step solves

    min over w >= 0, max over 0 <= g <= c of
        beta sum(w) + g' (1 - Phi w) - mu/2 ||g - g_0||^2 + rho/2 ||w - w_0||^2

about the point (w_0, g_0) of the step before. The maximum over g is known in closed form, which leaves a
smooth function of w with hinges rounded over a width. It is minimised by a projected semismooth Newton
method whose matrix involves only the triplets within that width. The width shrinks from step to step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from nearkin.numerics.margin_dual import PairMatrix, TripletMargins

# Initial width over which the hinge is rounded, in margins; and the factor by which it shrinks.
FIRST_WIDTH = 0.5
WIDTH_DECAY = 0.4
SMALLEST_WIDTH = 1e-7
# Proximal weight rho, relative to the penalty and the size of the weights.
PULL = 1e-2
# Most Newton steps in one proximal step; if they run out, the next width is not narrower.
MOST_INNER_STEPS = 30
# A proximal step ends once all slopes are below this share of the penalty: the dual point is scaled down by
# as much, so a looser tolerance would accumulate.
LOOSEST_INNER_TOLERANCE = 1e-2
# Rows of Phi computed at a time.
TRIPLETS_AT_ONCE = 2048


@dataclass(frozen=True)
class HingeSolution:
    """Weights with the values that certify them.

    Attributes
    ----------
    weights : ndarray of shape (p,)
    objective : float
        Primal value at the weights.
    gap : float
        Primal minus best dual value, relative to the primal value.
    n_iter : int
        Newton steps in all.
    converged : bool
    """

    weights: np.ndarray
    objective: float
    gap: float
    n_iter: int
    converged: bool


class _Problem(TripletMargins):
    """Phi with the primal and dual objectives."""

    def __init__(self, pairs: PairMatrix, near, far, shares, beta: float):
        super().__init__(pairs, near, far)
        self.shares, self.beta = shares, beta

    def gram(self, triplets, columns) -> np.ndarray:
        """Phi' Phi over some triplets and columns, a block of triplets at a time."""
        total = np.zeros((len(columns), len(columns)))
        for start in range(0, len(triplets), TRIPLETS_AT_ONCE):
            part = triplets[start : start + TRIPLETS_AT_ONCE]
            phi = self.pairs.take(self.far[part], columns)
            phi -= self.pairs.take(self.near[part], columns)
            total += phi.T @ phi
        return total

    def primal(self, w, margins) -> float:
        return float(self.shares @ np.maximum(1 - margins, 0)) + self.beta * float(w.sum())

    def dual(self, g, slopes) -> float:
        """Value of g after scaling it down so that Phi' g <= beta."""
        largest = float(slopes.max())
        return float(g.sum()) * (1.0 if largest <= self.beta else self.beta / largest)


def solve_hinge_program(
    pairs: PairMatrix, near, far, shares, beta: float, *, tol: float = 1e-3, max_iter: int = 300
) -> HingeSolution:
    """Weights that minimise the penalised hinge loss, certified by the duality gap.

    Parameters
    ----------
    pairs : PairMatrix
        P; triplet t is ``P[far[t]] - P[near[t]]``.
    near, far : ndarray of shape (T,)
    shares : ndarray of shape (T,)
        Positive; weight of the hinge of each triplet.
    beta : float
        Positive.
    tol : float
        Relative duality gap at which to stop.
    max_iter : int
        Newton steps in all.

    Returns
    -------
    HingeSolution

    Notes
    -----
    A Newton step costs a few products with P and, with E triplets inside the width and J weights that may
    move, E J^2 + J^3. Memory is O(T + p^2) in addition to P.
    """
    problem = _Problem(pairs, near, far, shares, beta)
    w, margins = _start(problem)
    g = np.zeros(len(near))
    best_w, best = w, problem.primal(w, margins)
    zero = float(shares.sum())
    if zero < best:
        best_w, best = np.zeros_like(w), zero
    bound, width, n_iter = 0.0, FIRST_WIDTH, 0
    while True:
        # The dual variable of a triplet of share c goes from 0 to c as its margin crosses the width.
        mu = width / shares.mean()
        w, g, margins, slopes, used, finished = _proximal_step(
            problem, w, g, margins, mu, min(LOOSEST_INNER_TOLERANCE, 0.3 * tol), max_iter - n_iter
        )
        n_iter += used
        bound = max(bound, problem.dual(g, slopes))
        value = problem.primal(w, margins)
        if value < best:
            best_w, best = w, value
        gap = max(1 - bound / best, 0.0)
        if gap <= tol or n_iter >= max_iter:
            return HingeSolution(best_w, best, gap, max(1, n_iter), gap <= tol)
        # If the width shrinks faster than the weights converge, too few triplets enter Newton's matrix.
        width = max(width * WIDTH_DECAY, SMALLEST_WIDTH) if finished else min(2 * width, FIRST_WIDTH)


def _start(problem: _Problem) -> tuple[np.ndarray, np.ndarray]:
    """The best multiple of equal weights, and its margins."""
    w = np.ones(problem.pairs.shape[1])
    margins = problem.margins(w)
    scales = 1 / np.quantile(margins[margins > 0], [0.1, 0.3, 0.5, 0.8]) if (margins > 0).any() else [0.0]
    scale = min(scales, key=lambda s: problem.primal(s * w, s * margins))
    return scale * w, scale * margins


def _proximal_step(problem: _Problem, w, centre, margins, mu: float, tol: float, max_iter: int):
    """Weights, dual variables, margins and Phi' g after one proximal step, steps used, and convergence."""
    start, beta = w, problem.beta
    rho = PULL * beta / max(float(w.max()), 1e-12)

    def evaluate(w, margins):
        short = 1 - margins
        g = np.clip(centre + short / mu, 0, problem.shares)
        moved = w - start
        value = beta * float(w.sum()) + 0.5 * rho * float(moved @ moved)
        return value + float(g @ short) - 0.5 * mu * float(np.sum((g - centre) ** 2)), g

    value, g = evaluate(w, margins)
    for n_iter in range(1, max(1, min(max_iter, MOST_INNER_STEPS)) + 1):
        slopes = problem.aggregate(g)
        gradient = beta + rho * (w - start) - slopes
        residual = np.where(w > 0, np.abs(gradient), np.maximum(-gradient, 0)).max()
        if residual <= tol * beta:
            return w, g, margins, slopes, n_iter, True
        free = np.flatnonzero((w > 0) | (gradient < 0))
        inside = np.flatnonzero((g > 0) & (g < problem.shares))
        direction = np.zeros_like(w)
        H = problem.gram(inside, free) / mu
        # Directions without curvature from triplets have only rho; rounding requires a little more.
        H.flat[:: len(H) + 1] += rho + 1e-12 * max(float(np.trace(H)) / len(H), rho)
        direction[free] = _newton_step(H, gradient[free], w[free])
        # The whole step stays in w >= 0, so margins are linear along it: one product for all step lengths.
        change, slope, step = problem.margins(direction), float(gradient @ direction), 1.0
        while True:
            trial, moved_margins = w + step * direction, margins + step * change
            trial_value, trial_g = evaluate(trial, moved_margins)
            if trial_value <= value + 1e-4 * step * slope + 1e-14 * abs(value):
                break
            step *= 0.5
            if step < 1e-8:
                # It is a descent direction, so only rounding can be the reason.
                return w, g, margins, slopes, n_iter, True
        w, margins, value, g = np.maximum(trial, 0), moved_margins, trial_value, trial_g
    return w, g, margins, problem.aggregate(g), n_iter, False


def _newton_step(H, gradient, w) -> np.ndarray:
    """The step to the minimum of the quadratic over w + step >= 0, by block principal pivoting.

    All infeasible weights (below zero, or at zero with a negative slope) change sides together as long as
    their number falls; otherwise only the last one does, which cannot cycle.
    """
    target = gradient - H @ w
    rounding = 1e-10 * np.abs(target).max()
    free = w > 0
    fewest, tries = len(w) + 1, 3
    z = np.zeros_like(w)
    for _ in range(50 * len(w)):
        z[:] = 0
        kept = np.flatnonzero(free)
        if len(kept):
            factor = cho_factor(H[np.ix_(kept, kept)], overwrite_a=True, check_finite=False)
            z[kept] = -cho_solve(factor, target[kept], check_finite=False)
        slopes = H[:, kept] @ z[kept] + target
        wrong = np.where(free, z < 0, slopes < -rounding)
        count = int(wrong.sum())
        if count == 0:
            break
        if count < fewest:
            fewest, tries = count, 3
        elif tries > 0:
            tries -= 1
        else:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        free = free ^ wrong
    return np.maximum(z, 0) - w
