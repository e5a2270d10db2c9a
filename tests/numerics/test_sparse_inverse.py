"""The graphical lasso against closed forms, scikit-learn's, a convex solver, and its own certificate."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.covariance import graphical_lasso

from nearkin.numerics.sparse_inverse import sparse_inverse, value_and_gap

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(60, 6)) @ RNG.normal(size=(6, 6))
C = np.cov(ROWS.T)
OFF = ~np.eye(6, dtype=bool)


def test_without_a_price_it_is_the_inverse():
    np.testing.assert_allclose(sparse_inverse(C, 0.0).matrix, np.linalg.inv(C), rtol=1e-6)


def test_a_high_price_leaves_a_diagonal():
    found = sparse_inverse(C, 2 * np.abs(C[OFF]).max())
    np.testing.assert_allclose(found.matrix, np.diag(1 / np.diag(C)), rtol=1e-6)
    assert (found.matrix[OFF] == 0).all()


@pytest.mark.parametrize("price", [0.01, 0.3, 2.0])
def test_agrees_with_scikit_learn_and_has_zeros_where_it_has(price):
    found = sparse_inverse(C, price, tol=1e-10)
    _, other = graphical_lasso(C, price, tol=1e-9, enet_tol=1e-10, max_iter=500)
    np.testing.assert_allclose(found.matrix, other, atol=1e-4 * np.abs(other).max())
    np.testing.assert_array_equal(found.matrix == 0, other == 0)


def test_copes_with_a_matrix_close_to_singular():
    few = RNG.normal(size=(5, 12))
    near_singular = few.T @ few / 5 + 1e-4 * np.eye(12)
    price = 0.1 * np.abs(near_singular).mean()
    found = sparse_inverse(near_singular, price)
    assert found.gap <= 1e-6
    M = cp.Variable((12, 12), PSD=True)
    weights = price * (1 - np.eye(12))
    cost = cp.trace(near_singular @ M) - cp.log_det(M) + cp.sum(cp.multiply(weights, cp.abs(M)))
    problem = cp.Problem(cp.Minimize(cost))
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    assert found.objective == pytest.approx(problem.value, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_units_do_not_matter(scale):
    plain, scaled = sparse_inverse(C, 0.3, tol=1e-9), sparse_inverse(scale * C, 0.3 * scale, tol=1e-9)
    np.testing.assert_allclose(scaled.matrix * scale, plain.matrix, atol=1e-6 * np.abs(plain.matrix).max())
    assert scaled.objective == pytest.approx(plain.objective + 6 * np.log(scale), rel=1e-6)


def test_the_certified_gap_covers_the_true_one():
    prices = 0.3 * OFF
    best = sparse_inverse(C, 0.3, tol=1e-10).objective
    for other in (np.linalg.inv(C), np.diag(1 / np.diag(C))):
        value, gap = value_and_gap(C, other, prices)
        assert 1e-3 < value - best <= gap
    assert value_and_gap(C, np.linalg.inv(C), 0 * prices)[1] == pytest.approx(0, abs=1e-9)
