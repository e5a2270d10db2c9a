"""The max-margin solver against an exact QP solver, its own certificate, and hard cases."""

import clarabel
import numpy as np
import pytest
from scipy import sparse

from nearkin.numerics.margin_dual import MarginPolicy, solve_margin_dual


class Stored:
    """A pair matrix that is simply stored."""

    def __init__(self, P):
        self.P, self.shape = P, P.shape

    def times(self, weights):
        return self.P @ weights

    def transposed_times(self, coefficients):
        return coefficients @ self.P

    def take(self, pairs, columns):
        return self.P[pairs][:, columns]


def exact_dual_value(Phi, nu):
    """1/2 ||[Phi' a]_+||^2 at its least over the capped simplex, by an interior point QP solver."""
    T, p = Phi.shape
    # Variables (a, z) with z >= Phi' a and z >= 0, so that z = [Phi' a]_+ at the optimum.
    P = sparse.block_diag([sparse.csc_matrix((T, T)), sparse.eye(p)], format="csc")
    A = sparse.bmat(
        [
            [np.ones((1, T)), np.zeros((1, p))],
            [Phi.T, -sparse.eye(p)],
            [None, -sparse.eye(p)],
            [-sparse.eye(T), None],
            [sparse.eye(T), None],
        ],
        format="csc",
    )
    b = np.concatenate([[1.0], np.zeros(2 * p + T), np.full(T, 1 / (nu * T))])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * p + 2 * T)]
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-11
    result = clarabel.DefaultSolver(P, np.zeros(T + p), A, b, cones, options).solve()
    return result.obj_val


def random_problem(seed, kind):
    random = np.random.default_rng(seed)
    n_pairs, p, T = int(random.integers(8, 30)), int(random.integers(1, 12)), int(random.integers(3, 80))
    X = random.normal(size=(n_pairs, p)) ** 2
    far, near = random.integers(0, n_pairs, size=(2, T))
    if kind == "signal":
        X[:, 0] *= 3
        order = X[far, 0] >= X[near, 0]
        far, near = np.where(order, far, near), np.where(order, near, far)
    elif kind == "duplicates":
        far, near = np.tile(far, 3), np.tile(near, 3)
    elif kind == "contradictory":
        far, near = np.concatenate([far, near]), np.concatenate([near, far])
    elif kind == "collinear":
        X = np.outer(X[:, 0], random.uniform(0.1, 1, size=p))
    elif kind == "constant columns":
        X[:, ::2] = 1.0
    return X, near, far


KINDS = ["plain", "signal", "duplicates", "contradictory", "collinear", "constant columns"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(10))
def test_agrees_with_an_exact_qp_solver(seed, kind):
    X, near, far = random_problem(seed, kind)
    nu = [0.05, 0.3, 0.6, 0.9, 1.0][seed % 5]
    Phi = X[far] - X[near]
    found = solve_margin_dual(Stored(X), near, far, nu, tol=1e-8)
    exact = exact_dual_value(Phi, nu)
    scale = 0.5 * np.linalg.norm(np.abs(Phi).mean(axis=0)) ** 2
    assert found.converged
    # Relative to the value; where it vanishes (contradictory triplets), to what the triplets could give.
    assert -found.objective == pytest.approx(exact, rel=1e-6, abs=1e-9 * scale + 1e-10)


@pytest.mark.parametrize("kind", ["plain", "signal", "duplicates"])
@pytest.mark.parametrize("nu", [0.4, 0.9])
def test_optimality_conditions_hold(kind, nu):
    X, near, far = random_problem(3, kind)
    Phi = X[far] - X[near]
    found = solve_margin_dual(Stored(X), near, far, nu, tol=1e-10)
    cap = 1 / (nu * len(near))
    assert found.gap <= 1e-10
    assert found.dual.sum() == pytest.approx(1)
    assert found.dual.min() >= 0
    assert found.dual.max() <= cap * (1 + 1e-12)
    assert np.allclose(found.weights, np.maximum(Phi.T @ found.dual, 0), rtol=1e-4, atol=1e-6)
    margins = Phi @ found.weights
    # Every triplet that carries weight has a margin no larger than any that could carry more.
    carrying, could_carry = found.dual > 1e-6 * cap, found.dual < cap * (1 - 1e-6)
    if found.weights.any() and could_carry.any():
        assert margins[carrying].max() <= margins[could_carry].min() + 1e-4 * np.abs(margins).max()


def test_zero_weights_are_exact():
    random = np.random.default_rng(0)
    X = random.uniform(size=(200, 6))
    near, far = random.integers(0, 200, size=(2, 800))
    swap = X[far, 0] < X[near, 0]
    near, far = np.where(swap, far, near), np.where(swap, near, far)
    X[:, 5] = -X[:, 0] + 2
    weights = solve_margin_dual(Stored(X), near, far, 0.9).weights
    assert weights[0] > 0
    assert weights[5] == 0


def test_contradictory_triplets_give_zero_not_noise():
    X, near, far = random_problem(1, "contradictory")
    for nu in (0.2, 0.7, 1.0):
        found = solve_margin_dual(Stored(X), near, far, nu)
        assert not found.weights.any()
        assert found.converged


def test_a_start_from_another_nu_reaches_the_same_optimum():
    X, near, far = random_problem(7, "signal")
    pairs = Stored(X)
    cold = solve_margin_dual(pairs, near, far, 0.5, tol=1e-9)
    warm = solve_margin_dual(
        pairs, near, far, 0.5, start=solve_margin_dual(pairs, near, far, 0.8).dual, tol=1e-9
    )
    assert warm.objective == pytest.approx(cold.objective, rel=1e-8)
    assert np.allclose(warm.weights, cold.weights, rtol=1e-3, atol=1e-6 * cold.weights.max())


def test_conjugate_gradients_take_over_from_the_factorisation():
    X, near, far = random_problem(4, "signal")
    exact = solve_margin_dual(Stored(X), near, far, 0.6, tol=1e-8)
    policy = MarginPolicy(largest_factorisation=0)
    iterative = solve_margin_dual(Stored(X), near, far, 0.6, tol=1e-8, policy=policy)
    assert iterative.converged
    assert iterative.objective == pytest.approx(exact.objective, rel=1e-7)


def test_a_spent_budget_is_reported():
    X, near, far = random_problem(3, "signal")
    found = solve_margin_dual(Stored(X), near, far, 0.5, tol=1e-12, max_iter=1)
    assert not found.converged
    assert found.gap > 1e-12
