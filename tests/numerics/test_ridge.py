"""Ridge regression: paths against single solves, dual against primal, sparse against dense."""

import numpy as np
import pytest
from scipy import sparse

from nearkin.numerics.ridge import dual_coefficients, normal_equations, ridge_path, solve_ridge

rng = np.random.default_rng(0)


def random_regression(n=30, d=6, n_pairs=50):
    X = rng.normal(size=(n, d)) + 2
    inputs, outputs = rng.integers(n, size=(2, n_pairs))
    operator = sparse.csr_array((np.ones(n_pairs), (inputs, outputs)), shape=(n, n))
    return X, inputs, outputs, np.asarray(operator.sum(axis=1)).ravel(), operator


def test_normal_equations_are_those_of_the_stacked_pairs():
    X, inputs, outputs, weights, operator = random_regression()
    mean = X.mean(axis=0)
    Z, Y = (X - mean)[inputs], (X - mean)[outputs]
    for rows in (X - mean, sparse.csr_array(X)):
        A, B = normal_equations(rows, weights, operator, mean)
        np.testing.assert_allclose(A, Z.T @ Z)
        np.testing.assert_allclose(B, Z.T @ Y)


def test_blocks_do_not_change_the_sums():
    X, _, _, weights, operator = random_regression(n=700)
    whole = normal_equations(X, weights, operator, X.mean(axis=0))
    cut = normal_equations(X, weights, operator, X.mean(axis=0), block_bytes=1)
    for one, other in zip(cut, whole):
        np.testing.assert_allclose(one, other)


def test_path_equals_single_solves():
    X, _, _, weights, operator = random_regression()
    A, B = normal_equations(X, weights, operator, np.zeros(X.shape[1]))
    alphas = [1e-3, 1.0, 1e3]
    for alpha, solution in zip(alphas, ridge_path(A, B, alphas)):
        np.testing.assert_allclose(solution, solve_ridge(A, B, alpha), rtol=1e-8)
        np.testing.assert_allclose(solution, np.linalg.solve(A + alpha * np.eye(len(A)), B), rtol=1e-8)


def test_singular_systems_get_the_least_norm_solution():
    Z = rng.normal(size=(3, 5))
    A, B = Z.T @ Z, Z.T @ rng.normal(size=(3, 2))
    expected = np.linalg.pinv(A) @ B
    np.testing.assert_allclose(ridge_path(A, B, [0.0])[0], expected, atol=1e-8)
    assert np.isfinite(solve_ridge(np.zeros((2, 2)), np.zeros((2, 1)), 0.0)).all()


@pytest.mark.parametrize("limit", [0, 10**6], ids=["cholesky", "eigendecomposition"])
def test_dual_coefficients_are_the_primal_solution(limit):
    X, weights = rng.normal(size=(8, 20)), rng.integers(1, 4, size=8).astype(float)
    outputs = rng.normal(size=(8, 20))
    alphas = [0.5, 20.0]
    coefficients = dual_coefficients(X @ X.T, weights, alphas, largest_eigendecomposition=limit)
    for alpha, F in zip(alphas, coefficients):
        primal = np.linalg.solve(X.T @ (weights[:, None] * X) + alpha * np.eye(20), X.T @ outputs)
        np.testing.assert_allclose(X.T @ F @ outputs, primal, atol=1e-10)
