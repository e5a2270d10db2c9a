"""Weights of the bias against the plain formula, and metrics against the trace they must make vanish."""

import numpy as np
import pytest

from nearkin.numerics.local_bias import bias_weights, unbiased_factors


def plain_weights(eta):
    rest = 1 - eta.max()
    return np.array(
        [p * (np.sum(np.delete(eta, c) ** 2) - p * (1 - p)) / rest for c, p in enumerate(eta)],
    )


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_the_formula_of_the_posteriors(seed):
    eta = np.random.default_rng(seed).dirichlet(np.ones(4))
    shifted = np.log(eta)[None] + 700
    np.testing.assert_allclose(bias_weights(shifted)[0], plain_weights(eta), rtol=1e-9)


def test_posteriors_that_underflow_still_have_weights():
    weights = bias_weights(np.array([[0.0, -2000.0, -2001.0]]))[0]
    share = 1 / (1 + np.exp(-1))
    np.testing.assert_allclose(weights, [-1, share, 1 - share], rtol=1e-12)


def test_a_class_of_no_probability_leaves_the_two_others():
    log_joint = np.array([[np.log(0.6), np.log(0.4), -np.inf], [np.log(0.1), np.log(0.9), -np.inf]])
    three, two = bias_weights(log_joint), bias_weights(log_joint[:, :2])
    assert np.all(three[:, 2] == 0)
    np.testing.assert_allclose(three[:, 0] / three[:, 1], two[:, 0] / two[:, 1])


def symmetric(seed, d=5):
    B = np.random.default_rng(seed).normal(size=(d, d))
    return B + B.T


@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
@pytest.mark.parametrize("seed", range(3))
def test_the_trace_vanishes_and_the_determinant_is_one(seed, scale):
    B = symmetric(seed)
    F = unbiased_factors(scale * B[None], 0.0, 0.0)[0]
    M = F.T @ F
    assert np.linalg.det(M) == pytest.approx(1)
    inverse = np.linalg.inv(M)
    assert abs(np.trace(inverse @ B)) < 1e-9 * np.abs(inverse @ B).max()


def test_of_one_sign_no_metric_has_a_lower_trace():
    B = symmetric(0) @ symmetric(0) + np.eye(5)
    F = unbiased_factors(B[None], 0.0, 0.0)[0]
    best = np.trace(np.linalg.inv(F.T @ F) @ B)
    for seed in range(20):
        other = np.eye(5) + 0.1 * symmetric(seed)
        other = other @ other
        other /= np.linalg.det(other) ** (1 / 5)
        assert np.trace(np.linalg.inv(other) @ B) >= best


def test_no_bias_is_euclid_and_euclid_share_leads_there():
    np.testing.assert_allclose(np.abs(unbiased_factors(np.zeros((1, 3, 3)), 0.01, 0.0)[0]), np.eye(3))
    F = unbiased_factors(symmetric(1)[None], 0.01, 1.0)[0]
    np.testing.assert_allclose(F.T @ F, np.eye(5), atol=1e-12)


def test_the_floor_bounds_the_condition_and_the_mixture_is_one():
    B = np.diag([1.0, -1e-9, 0.0])
    values = np.linalg.eigvalsh((lambda F: F.T @ F)(unbiased_factors(B[None], 0.04, 0.0)[0]))
    assert values[-1] / values[0] == pytest.approx(25)
    # Mean eigenvalue one, then half of the identity: (1, .04, .04) / .36 -> (1.889, .5556, .5556)
    values = np.linalg.eigvalsh((lambda F: F.T @ F)(unbiased_factors(B[None], 0.04, 0.5)[0]))
    assert values[-1] / values[0] == pytest.approx((0.5 / 0.36 + 0.5) / (0.02 / 0.36 + 0.5))
