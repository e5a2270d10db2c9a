"""Spans, ridges and factors keep what they promise."""

import numpy as np
import pytest

from nearkin.numerics.linear_metric import (
    Span,
    cholesky_factor,
    generalised_eigenpairs,
    metric_factor,
    principal_rows,
    ridged,
)


def test_distances_in_the_span_are_those_of_the_rows():
    X = np.random.RandomState(0).standard_normal((6, 40))
    span = Span.of(X)
    assert span.rows.shape == (6, 5)
    np.testing.assert_allclose(((span.rows[0] - span.rows[3]) ** 2).sum(), ((X[0] - X[3]) ** 2).sum())
    np.testing.assert_allclose((X - X.mean(axis=0)) @ span.lifted(np.eye(5)).T, span.rows)


def test_equal_rows_have_a_span_of_one_dimension():
    assert Span.of(np.ones((3, 5))).rows.shape == (3, 1)


def test_factor_reproduces_the_metric_and_keeps_its_largest_directions():
    A = np.random.RandomState(0).standard_normal((4, 4))
    M = A @ A.T
    L = metric_factor(M)
    np.testing.assert_allclose(L.T @ L, M)
    values = np.linalg.eigvalsh(M)[::-1]
    np.testing.assert_allclose((metric_factor(M, 2) ** 2).sum(axis=1), values[:2])


def test_ridge_has_no_units_and_survives_a_zero_matrix():
    S = np.diag([1.0, 0.0])
    np.testing.assert_allclose(ridged(1e6 * S), 1e6 * ridged(S))
    assert np.linalg.matrix_rank(ridged(np.zeros((2, 2)))) == 2


@pytest.mark.parametrize("shape", [(30, 6), (6, 30)])
def test_constant_features_are_outside_the_span_and_nothing_else_is(shape):
    X = np.random.RandomState(0).standard_normal(shape)
    X[:, [1, 4]] = 7.0
    span = Span.of_varying(X)
    L = span.lifted(np.eye(span.rows.shape[1]))
    np.testing.assert_array_equal(L[:, [1, 4]], 0)
    np.testing.assert_allclose(L @ L.T, np.eye(len(L)), atol=1e-12)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(centred @ L.T, span.rows, atol=1e-12)
    np.testing.assert_allclose(span.rows @ L, centred, atol=1e-12)


def test_rows_all_alike_still_have_coordinates():
    assert Span.of_varying(np.ones((5, 3))).rows.shape == (5, 3)


def test_eigenpairs_make_both_matrices_diagonal():
    rng = np.random.RandomState(0)
    A, B = rng.standard_normal((2, 9, 5))
    S, D = A.T @ A, B.T @ B
    values, U = generalised_eigenpairs(D, S)
    np.testing.assert_allclose(U @ S @ U.T, np.eye(5), atol=1e-10)
    np.testing.assert_allclose(U @ D @ U.T, np.diag(values), atol=1e-10)
    assert np.all(np.diff(values) < 0)


def test_singular_matrices_are_refused_also_where_rounding_hides_it():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((50, 4))
    for rows in (np.c_[X, X[:, 0]], np.c_[X, X @ rng.standard_normal(4)], np.c_[X, np.zeros(50)]):
        S = rows.T @ rows
        for refuses in (cholesky_factor, lambda S: generalised_eigenpairs(np.eye(5), S)):
            with pytest.raises(ValueError, match="singular"):
                refuses(S)


def test_features_of_very_different_size_are_not_taken_for_singular():
    X = np.random.RandomState(0).standard_normal((50, 3)) * [1e-6, 1.0, 1e6]
    S = X.T @ X
    R = cholesky_factor(S)
    np.testing.assert_allclose(R @ R.T, S, rtol=1e-10)


def test_principal_rows_keep_distances_and_come_longest_first():
    L = np.random.default_rng(0).normal(size=(5, 3))
    turned = principal_rows(L)
    np.testing.assert_allclose(turned.T @ turned, L.T @ L, atol=1e-12)
    lengths = np.linalg.norm(turned, axis=1)
    assert (np.diff(lengths) <= 0).all()
    np.testing.assert_allclose(turned @ turned.T, np.diag(lengths**2), atol=1e-12)
    np.testing.assert_array_equal(principal_rows(L, 2), turned[:2])


def test_principal_rows_leave_out_what_is_negligible():
    L = np.diag([1.0, 1e-3, 1e-6])
    assert principal_rows(L, negligible=1e-8).shape == (2, 3)
    assert principal_rows(L, negligible=1e-4).shape == (1, 3)
    assert principal_rows(L).shape == (3, 3)
