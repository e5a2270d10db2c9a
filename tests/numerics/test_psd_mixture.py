"""Mixed large-margin metrics against a convex solver."""

import cvxpy as cp
import numpy as np
import pytest

from nearkin.numerics.psd_mixture import solve_psd_mixture


def problem(seed, n=12, p=3, m=2, T=30):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    neighbours = np.stack([(np.arange(n) + shift) % n for shift in (1, 2, 3, 4)])
    rows = rng.integers(0, n, T)
    near, far = rng.integers(0, 2, T) * n + rows, rng.integers(2, 4, T) * n + rows
    mixture = rng.dirichlet(np.ones(m), n)
    pull = np.zeros(neighbours.shape)
    pull[:2] = 0.05
    return X, neighbours, near, far, mixture, pull


def exact_value(X, neighbours, near, far, mixture, pull):
    p = X.shape[1]
    outer = (X - X[neighbours]).reshape(-1, p)
    outer = outer[:, :, None] * outer[:, None, :]
    weights = np.tile(mixture, (len(neighbours), 1))
    M = [cp.Variable((p, p), PSD=True) for _ in range(mixture.shape[1])]

    def distance(pair):
        return sum(weights[pair, l] * cp.trace(outer[pair] @ M[l]) for l in range(len(M)))

    value = sum(0.5 * cp.sum_squares(A) for A in M)
    value += sum(pull.ravel()[pair] * distance(pair) for pair in np.flatnonzero(pull))
    value += sum(cp.pos(1 - distance(k) + distance(j)) for j, k in zip(near, far))
    return cp.Problem(cp.Minimize(value)).solve("CLARABEL")


def primal_value(factors, X, neighbours, near, far, mixture, pull):
    v = X - X[neighbours]
    D = sum(mixture[:, l] * np.square(v @ F).sum(axis=2) for l, F in enumerate(factors)).ravel()
    size = sum(0.5 * np.sum((F @ F.T) ** 2) for F in factors)
    return size + pull.ravel() @ D + np.maximum(1 - D[far] + D[near], 0).sum()


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_agrees_with_a_convex_solver(seed, m):
    data = problem(seed, m=m)
    found = solve_psd_mixture(*data, tol=1e-7, max_iter=20_000)
    assert found.converged
    assert found.objective == pytest.approx(exact_value(*data), rel=1e-6)
    assert found.objective == pytest.approx(primal_value(found.factors, *data), rel=1e-9)


def test_equal_mixtures_are_one_metric():
    X, neighbours, near, far, _, pull = problem(5)
    # Two halves of weight 1/2 measure as one metric of half the size, whose penalty is then twice as strong.
    halves = np.full((len(X), 2), 0.5)
    two = solve_psd_mixture(X, neighbours, near, far, halves, pull, tol=1e-8, max_iter=20_000)
    one = solve_psd_mixture(
        X, neighbours, near, far, np.full((len(X), 1), np.sqrt(0.5)), pull, tol=1e-8, max_iter=20_000
    )
    assert two.objective == pytest.approx(one.objective, rel=1e-6)
    np.testing.assert_allclose(
        two.factors[0] @ two.factors[0].T, two.factors[1] @ two.factors[1].T, atol=1e-3
    )


def test_the_gap_bounds_the_distance_to_the_optimum_and_a_spent_budget_is_reported():
    data = problem(6)
    loose = solve_psd_mixture(*data, tol=1e-2)
    exact = exact_value(*data)
    assert exact * (1 - 1e-6) <= loose.objective <= exact / (1 - 1e-2)
    assert not solve_psd_mixture(*data, tol=1e-12, max_iter=2).converged


def test_contradictions_give_no_metric():
    X, neighbours, near, far, mixture, pull = problem(7)
    found = solve_psd_mixture(
        X, neighbours, np.r_[near, far], np.r_[far, near], mixture, pull, tol=1e-6, max_iter=5000
    )
    assert found.objective == pytest.approx(2 * len(near), rel=1e-5)
    assert sum(np.sum((F @ F.T) ** 2) for F in found.factors) < 1e-4
