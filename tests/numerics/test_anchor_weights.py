"""Smooth mixtures of anchors against a convex solver and their limits."""

import cvxpy as cp
import numpy as np
import pytest

from nearkin.numerics.anchor_weights import anchor_weights, heat_laplacian, project_rows_to_simplex


def problem(seed, n=14, m=4, d=3, k=3):
    rng = np.random.default_rng(seed)
    X, anchors = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    D = np.square(X[:, None] - X).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    neighbours = np.argsort(D, axis=1)[:, :k]
    return X, anchors, heat_laplacian(neighbours, np.take_along_axis(D, neighbours, axis=1))


def objective(W, X, anchors, laplacian, locality, smoothness):
    apart = np.square(X[:, None] - anchors).sum(axis=2)
    smooth = np.trace(W.T @ (laplacian @ W))
    return np.square(X - W @ anchors).sum() + locality * (W * apart).sum() + smoothness * smooth


def test_projection_is_the_nearest_point_of_the_simplex():
    V = np.random.default_rng(0).normal(size=(6, 5))
    W = project_rows_to_simplex(V)
    for v, w in zip(V, W):
        exact = cp.Variable(5)
        cp.Problem(cp.Minimize(cp.sum_squares(exact - v)), [exact >= 0, cp.sum(exact) == 1]).solve("CLARABEL")
        np.testing.assert_allclose(w, exact.value, atol=1e-5)


def test_laplacian_has_self_tuned_heat_weights():
    X = np.array([[0.0], [1.0], [3.0]])
    L = heat_laplacian(np.array([[1], [0], [1]]), np.array([[1.0], [1.0], [4.0]])).toarray()
    first, second = np.exp(-1 / 1), np.exp(-4 / (2 * 1))
    np.testing.assert_allclose(
        L, [[first, -first, 0], [-first, first + second, -second], [0, -second, second]]
    )
    assert np.linalg.eigvalsh(L).min() > -1e-12
    assert len(X) == len(L)


@pytest.mark.parametrize(("locality", "smoothness"), [(1.0, 100.0), (0.1, 1.0), (0.0, 0.0)])
@pytest.mark.parametrize("seed", range(2))
def test_weights_agree_with_a_convex_solver(seed, locality, smoothness):
    X, anchors, laplacian = problem(seed)
    W, gap = anchor_weights(
        X, anchors, laplacian, locality=locality, smoothness=smoothness, tol=1e-7, max_iter=100_000
    )
    exact = cp.Variable(W.shape, nonneg=True)
    apart = np.square(X[:, None] - anchors).sum(axis=2)
    root = np.linalg.cholesky(laplacian.toarray() + 1e-12 * np.eye(len(X))).T
    value = cp.sum_squares(X - exact @ anchors) + locality * cp.sum(cp.multiply(exact, apart))
    value += smoothness * cp.sum_squares(root @ exact)
    best = cp.Problem(cp.Minimize(value), [cp.sum(exact, axis=1) == 1]).solve("CLARABEL")
    np.testing.assert_allclose(W.sum(axis=1), 1)
    assert W.min() >= 0
    assert gap <= 1e-7
    assert objective(W, X, anchors, laplacian, locality, smoothness) == pytest.approx(
        best, rel=1e-6, abs=1e-7
    )


def test_endless_smoothness_makes_weights_constant():
    X, anchors, laplacian = problem(3, k=8)
    W, _ = anchor_weights(X, anchors, laplacian, locality=1.0, smoothness=1e6, tol=1e-6, max_iter=20_000)
    np.testing.assert_allclose(W, np.tile(W[0], (len(X), 1)), atol=1e-3)


def test_locality_alone_takes_the_nearest_anchor():
    X, anchors, laplacian = problem(4)
    W, _ = anchor_weights(X, anchors, laplacian, locality=1e4, smoothness=0.0, max_iter=20_000)
    nearest = np.square(X[:, None] - anchors).sum(axis=2).argmin(axis=1)
    np.testing.assert_allclose(W, np.eye(4)[nearest], atol=1e-2)
