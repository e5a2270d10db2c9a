"""The linear program of hinges against HiGHS, and the certificate against the formulas."""

import numpy as np
import pytest
from scipy.optimize import linprog

from nearkin.learners.constraint.neighbour_differences import SquaredDifferences
from nearkin.numerics.hinge_program import _newton_step, solve_hinge_program


def problem(seed, obedient=0.9):
    """Triplets that mostly obey hidden weights, as squared differences of random rows."""
    rng = np.random.default_rng(seed)
    n, p, T = 30, int(rng.integers(1, 15)), int(rng.integers(5, 120))
    rows, others = rng.integers(0, n, size=(2, 60))
    pairs = SquaredDifferences(rng.normal(size=(n, p)) * 10.0 ** rng.uniform(-1, 1), rows, others)
    P = pairs.take(slice(None))
    near, far = rng.integers(0, 60, size=(2, T))
    apart = P @ (rng.uniform(size=p) * (rng.uniform(size=p) < 0.5))
    swap = (apart[far] < apart[near]) & (rng.uniform(size=T) < obedient)
    near, far = np.where(swap, far, near), np.where(swap, near, far)
    return pairs, near, far, rng.uniform(0.5, 1.5, T) / T, 10.0 ** rng.uniform(-5, 0)


def by_highs(pairs, near, far, shares, beta):
    P = pairs.take(slice(None))
    T, p = len(near), P.shape[1]
    costs = np.concatenate([np.full(p, beta), shares])
    rows = np.concatenate([P[far] - P[near], np.eye(T)], axis=1)
    return linprog(costs, A_ub=-rows, b_ub=-np.ones(T), method="highs").fun


@pytest.mark.parametrize("seed", range(25))
def test_agrees_with_a_linear_program_solver(seed):
    found = solve_hinge_program(*problem(seed), tol=1e-7, max_iter=3000)
    exact = by_highs(*problem(seed))
    assert found.converged
    assert found.objective == pytest.approx(exact, rel=1e-6)
    assert (found.weights >= 0).all()


@pytest.mark.parametrize("tol", [1e-1, 1e-3])
def test_the_gap_bounds_the_distance_to_the_optimum(tol):
    found = solve_hinge_program(*problem(3), tol=tol)
    exact = by_highs(*problem(3))
    assert exact * (1 - 1e-9) <= found.objective <= exact / (1 - tol)
    assert found.gap <= tol


def test_the_objective_is_that_of_the_weights():
    pairs, near, far, shares, beta = problem(4)
    found = solve_hinge_program(pairs, near, far, shares, beta)
    D = pairs.take(slice(None)) @ found.weights
    value = shares @ np.maximum(1 - D[far] + D[near], 0) + beta * found.weights.sum()
    assert found.objective == pytest.approx(value)


def test_a_large_penalty_or_contradictions_give_zero_weights():
    pairs, near, far, shares, _ = problem(5)
    found = solve_hinge_program(pairs, near, far, shares, 1e6)
    assert not found.weights.any()
    assert found.objective == pytest.approx(shares.sum())
    assert found.converged
    twice = solve_hinge_program(pairs, np.r_[near, far], np.r_[far, near], np.r_[shares, shares], 1e-3)
    assert twice.objective == pytest.approx(2 * shares.sum(), rel=1e-3)
    assert twice.converged


def test_blocks_of_pairs_and_a_spent_budget():
    pairs, near, far, shares, beta = problem(4)
    stored = solve_hinge_program(pairs, near, far, shares, beta, tol=1e-6, max_iter=1000)
    made_anew = SquaredDifferences(pairs.X, pairs.rows, pairs.neighbours, memory_budget=0)
    again = solve_hinge_program(made_anew, near, far, shares, beta, tol=1e-6, max_iter=1000)
    assert again.objective == pytest.approx(stored.objective, rel=1e-6)
    spent = solve_hinge_program(pairs, near, far, shares, beta, tol=1e-12, max_iter=1)
    assert not spent.converged
    assert spent.n_iter == 1


@pytest.mark.parametrize("seed", range(10))
def test_a_newton_step_is_the_least_point_of_the_parabola(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(20, 12))
    H, gradient = A.T @ A + 0.01 * np.eye(12), 5 * rng.normal(size=12)
    w = np.maximum(rng.normal(size=12), 0)
    step = _newton_step(H, gradient, w)
    slopes, there = gradient + H @ step, w + step
    assert there.min() >= -1e-12
    assert slopes.min() >= -1e-8
    assert abs(there @ slopes) < 1e-7
