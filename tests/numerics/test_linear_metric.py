"""Spans, ridges and factors keep what they promise."""

import numpy as np

from nearkin.numerics.linear_metric import Span, metric_factor, principal_rows, ridged


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
