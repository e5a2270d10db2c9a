"""Concave functions over matrices of trace one: closed forms, gradients and the certificate."""

import numpy as np
import pytest

from nearkin.numerics.pair_differences import PairDifferences
from nearkin.numerics.spectrahedron import _Problem, best_of_trace_one

RNG = np.random.default_rng(0)
X = RNG.normal(size=(15, 3)) * [3.0, 1.0, 0.5]
LEFT, RIGHT = np.triu_indices(15, 1)
PAIRS = PairDifferences(X, LEFT, RIGHT)
PRICE = RNG.uniform(0.5, 1, len(LEFT))
V = X[LEFT] - X[RIGHT]


def linear(p):
    return float(PRICE @ p), PRICE


def logs(p):
    return float(PRICE @ np.log(p)), PRICE / p


def test_a_linear_gain_ends_at_the_top_eigenvector():
    G = (V.T * PRICE) @ V
    found = best_of_trace_one(PAIRS, linear)
    values, vectors = np.linalg.eigh(G)
    assert found.objective == pytest.approx(values[-1], rel=1e-6)
    top = np.outer(vectors[:, -1], vectors[:, -1])
    np.testing.assert_allclose(found.factor.T @ found.factor, top, atol=1e-3)


def test_a_linear_gain_on_a_diagonal_ends_at_one_feature():
    found = best_of_trace_one(PAIRS, linear, diagonal=True)
    gains = PRICE @ V**2
    assert found.objective == pytest.approx(gains.max(), rel=1e-6)
    np.testing.assert_allclose(np.square(found.factor), np.eye(3)[gains.argmax()], atol=1e-5)


@pytest.mark.parametrize("diagonal", [False, True])
def test_gradients_are_those_of_the_value(diagonal):
    problem = _Problem(PAIRS, logs, diagonal)
    theta = RNG.normal(size=3 if diagonal else 9)
    steps = 1e-6 * np.eye(len(theta))
    numerical = [(problem(theta + step)[0] - problem(theta - step)[0]) / 2e-6 for step in steps]
    np.testing.assert_allclose(problem(theta)[1], numerical, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("diagonal", [False, True])
def test_the_certificate_bounds_what_is_left_to_gain(diagonal):
    best = best_of_trace_one(PAIRS, logs, diagonal=diagonal, tol=1e-8)
    for steps in (1, 2, 4):
        early = best_of_trace_one(PAIRS, logs, diagonal=diagonal, tol=1e-8, max_iter=steps)
        assert early.n_iter == steps
        assert 0 < best.objective - early.objective <= early.gap * abs(early.objective)


def test_the_trace_is_one():
    for diagonal in (False, True):
        assert np.sum(best_of_trace_one(PAIRS, logs, diagonal=diagonal).factor ** 2) == pytest.approx(1)
