"""Nearest metrics in LogDet divergence: closed forms, gradients and the certificate."""

import numpy as np
import pytest

from nearkin.numerics.logdet_metric import _Problem, nearest_metric
from nearkin.numerics.pair_differences import PairDifferences

RNG = np.random.default_rng(0)
X = RNG.normal(size=(15, 3))
LEFT, RIGHT = np.triu_indices(15, 1)
PAIRS = PairDifferences(X, LEFT, RIGHT)
PRICE = RNG.uniform(0, 1, len(LEFT))


def linear(p):
    return float(PRICE @ p), PRICE


def curved(p):
    return float(np.sum(PRICE * np.square(p - 1))), 2 * PRICE * (p - 1)


def test_a_linear_loss_has_a_closed_form():
    V = X[LEFT] - X[RIGHT]
    expected = np.linalg.inv(np.eye(3) + (V.T * PRICE) @ V)
    found = nearest_metric(PAIRS, linear, tol=1e-12)
    np.testing.assert_allclose(found.factor.T @ found.factor, expected, atol=1e-6)
    assert found.gap <= 1e-12


def test_gradients_are_those_of_the_value():
    problem, theta = _Problem(PAIRS, curved), RNG.normal(size=9)
    numerical = [(problem(theta + step)[0] - problem(theta - step)[0]) / 2e-6 for step in 1e-6 * np.eye(9)]
    np.testing.assert_allclose(problem(theta)[1], numerical, rtol=1e-5)


def test_the_certificate_bounds_what_is_left_to_gain():
    best = nearest_metric(PAIRS, curved, tol=1e-12)
    for steps in (1, 3, 6):
        early = nearest_metric(PAIRS, curved, tol=1e-12, max_iter=steps)
        assert early.n_iter == steps
        assert 0 < early.objective - best.objective <= early.gap * early.objective


def test_nothing_to_pay_leaves_euclid():
    found = nearest_metric(PAIRS, lambda p: (0.0, np.zeros(len(p))))
    np.testing.assert_array_equal(found.factor, np.eye(3))
    assert (found.objective, found.gap, found.n_iter) == (0.0, 0.0, 0)


def test_no_pairs_leave_euclid():
    nobody = np.empty(0, dtype=int)
    found = nearest_metric(PairDifferences(X, nobody, nobody), lambda p: (0.0, np.zeros(0)))
    np.testing.assert_array_equal(found.factor, np.eye(3))


@pytest.mark.parametrize("price", [1e-8, 1.0, 1e8])
def test_one_direction_alone_is_changed(price):
    pairs = PairDifferences(np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([0]), np.array([1]))
    found = nearest_metric(pairs, lambda p: (price * float(p[0]), np.array([price])), tol=1e-10)
    np.testing.assert_allclose(
        found.factor.T @ found.factor, np.diag([1 / (1 + price), 1]), rtol=1e-4, atol=1e-12
    )
