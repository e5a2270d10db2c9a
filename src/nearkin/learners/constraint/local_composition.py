"""Weights of directions that vary from place to place: squares of linear functions of kernel coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from nearkin.distances.embeddings import KernelEmbedding
from nearkin.numerics.blocks import blocks
from nearkin.numerics.mercer import mercer_kernel
from nearkin.numerics.products import squared_distances

# Width over which the hinge is smoothed, in margins: gradient steps need a smooth function.
HINGE_WIDTH = 0.1
# Added to the square roots of the global weights, so that a direction of weight zero can gain some.
START_OFFSET = 1e-3
# Most rows that span the feature space of the kernel.
MOST_LANDMARKS = 500


def kernel_components(X: np.ndarray, n_components: int, rng) -> KernelEmbedding:
    """Kernel principal components of the rows, for an RBF kernel as wide as their median distance.

    Scaled to a mean squared length of one.
    """
    chosen = X if len(X) <= MOST_LANDMARKS else X[np.sort(rng.permutation(len(X))[:MOST_LANDMARKS])]
    squared = squared_distances(chosen, chosen)
    apart = squared[squared > 0]
    gamma = 0.5 / float(np.median(apart)) if len(apart) else 1.0
    K = mercer_kernel(chosen, chosen, "rbf", gamma=gamma, degree=3, coef0=1.0)
    means = K.mean(axis=0)
    K = K - means - means[:, None] + means.mean()
    values, vectors = eigh(K)
    kept = values[::-1][:n_components] > 1e-9 * max(values[-1], 1e-300)
    values, vectors = values[::-1][:n_components][kept], vectors[:, ::-1][:, :n_components][:, kept]
    # The mean squared length of the components is the sum of the eigenvalues over the rows.
    scale = np.sqrt(values.sum() / len(chosen)) if len(values) else 1.0
    projection = vectors / np.sqrt(values) / scale
    projection -= projection.mean(axis=0)
    return KernelEmbedding(chosen, projection, means @ projection, "rbf", gamma, 3, 1.0)


@dataclass(frozen=True)
class LocalSolution:
    """Slopes (B x (q + 1), the constant last) with ``w_b(x) = (slopes_b . (z, 1))^2``, and convergence."""

    slopes: np.ndarray
    objective: float
    n_iter: int
    converged: bool


class _Problem:
    """Smoothed hinge loss of the triplets as a function of the slopes, computed through the pairs."""

    def __init__(self, pairs, near, far, shares, Z):
        self.pairs, self.near, self.far, self.shares = pairs, near, far, shares
        self.Z = np.column_stack([Z, np.ones(len(Z))])

    def distances(self, roots: np.ndarray) -> np.ndarray:
        """Squared distance of every pair under the weights ``roots^2`` of its row."""
        weights = np.square(roots)
        rows = self.pairs.rows
        D = np.empty(len(rows))
        for part in blocks(*self.pairs.shape):
            D[part] = np.einsum("pb,pb->p", self.pairs.take(part), weights[rows[part]])
        return D

    def hinge(self, slopes: np.ndarray) -> float:
        """Mean hinge, not smoothed."""
        D = self.distances(self.Z @ slopes.T)
        return float(self.shares @ np.maximum(1 - D[self.far] + D[self.near], 0))

    def value(self, slopes: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Smoothed hinge, its slope for every triplet, and the roots of the weights at every row."""
        roots = self.Z @ slopes.T
        D = self.distances(roots)
        short = 1 - D[self.far] + D[self.near]
        inside = np.clip(short / HINGE_WIDTH, 0, 1)
        # Quadratic up to the width, then linear with slope one.
        rounded = inside * short - 0.5 * HINGE_WIDTH * np.square(inside)
        return float(self.shares @ rounded), self.shares * inside, roots

    def gradient(self, duals: np.ndarray, roots: np.ndarray) -> np.ndarray:
        n_pairs = self.pairs.shape[0]
        b = np.bincount(self.near, duals, n_pairs) - np.bincount(self.far, duals, n_pairs)
        moved = np.zeros_like(roots)
        for part in blocks(*self.pairs.shape):
            rows = self.pairs.rows[part]
            # Pairs are in the order of their rows: one sum for each row of the block.
            firsts = np.flatnonzero(np.diff(rows, prepend=-1))
            moved[rows[firsts]] += np.add.reduceat(b[part, None] * self.pairs.take(part), firsts, axis=0)
        return 2 * (roots * moved).T @ self.Z


def shrink_rows(A: np.ndarray, amount: float) -> np.ndarray:
    """Rows shortened by `amount`, at most to zero: the proximal operator of the sum of row lengths.

    >>> shrink_rows(np.array([[3.0, 4.0], [0.3, 0.0]]), 1.0)
    array([[2.4, 3.2],
           [0. , 0. ]])
    """
    lengths = np.linalg.norm(A, axis=1, keepdims=True)
    return A * np.maximum(1 - amount / np.maximum(lengths, 1e-300), 0)


def compose_locally(
    pairs, near, far, shares, weights, Z, beta: float, *, tol: float, max_iter: int
) -> LocalSolution:
    """Slopes that lower the hinge of the triplets, starting from global weights.

    Minimises the mean hinge plus beta times the sum of the lengths of the slopes, by monotone proximal
    gradient steps. The problem is not convex, so the result is only a stationary point.

    Parameters
    ----------
    pairs : SquaredDifferences
        Squared projections of the pairs; `rows` are the anchors, in rising order.
    near, far, shares : ndarray of shape (T,)
    weights : ndarray of shape (B,)
        The global weights.
    Z : ndarray of shape (n, q)
        Kernel coordinates of the rows.
    beta, tol : float
        Stops once ten steps lower the objective by less than this share of it.
    max_iter : int

    Notes
    -----
    A step costs about three passes over the pairs' squared projections and n B q.
    """
    problem = _Problem(pairs, near, far, shares, Z)
    slopes = np.zeros((len(weights), Z.shape[1] + 1))
    slopes[:, -1] = np.sqrt(weights) + START_OFFSET

    def penalty(slopes) -> float:
        return beta * float(np.linalg.norm(slopes, axis=1).sum())

    value, duals, roots = problem.value(slopes)
    total, step, past = value + penalty(slopes), 1.0, []
    for n_iter in range(1, max_iter + 1):
        gradient = problem.gradient(duals, roots)
        while True:
            trial = shrink_rows(slopes - step * gradient, step * beta)
            moved = trial - slopes
            bound = value + float(np.sum(gradient * moved)) + float(np.sum(moved**2)) / (2 * step)
            trial_value, trial_duals, trial_roots = problem.value(trial)
            if trial_value <= bound + 1e-14 * abs(value) or step < 1e-12:
                break
            step *= 0.5
        slopes, value, duals, roots = trial, trial_value, trial_duals, trial_roots
        total, step = value + penalty(slopes), 2 * step
        past.append(total)
        if n_iter > 10 and past[-11] - total <= tol * total:
            return LocalSolution(slopes, problem.hinge(slopes) + penalty(slopes), n_iter, True)
    return LocalSolution(slopes, problem.hinge(slopes) + penalty(slopes), max_iter, False)
