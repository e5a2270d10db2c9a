"""Adadelta against its definition, one number at a time."""

import math

import numpy as np
import pytest

from nearkin.solvers.adadelta import Adadelta


def naive_steps(gradients, decay, epsilon):
    squared_gradient = squared_step = 0.0
    for g in gradients:
        squared_gradient = decay * squared_gradient + (1 - decay) * g * g
        step = math.sqrt(squared_step + epsilon) / math.sqrt(squared_gradient + epsilon) * g
        squared_step = decay * squared_step + (1 - decay) * step * step
        yield step


def test_steps_follow_the_definition():
    gradients = np.random.default_rng(0).normal(size=(50, 3))
    solver = Adadelta(3, decay=0.9, epsilon=1e-4)
    theta = np.zeros(3)
    for gradient in gradients:
        solver.step(theta, gradient)
    expected = [-sum(naive_steps(column, 0.9, 1e-4)) for column in gradients.T]
    np.testing.assert_allclose(theta, expected, rtol=1e-10)


def test_steps_hardly_depend_on_the_scale_of_the_objective():
    small, large = np.ones(1), np.ones(1)
    by_small, by_large = Adadelta(1, epsilon=1e-12), Adadelta(1, epsilon=1e-12)
    for _ in range(100):
        by_small.step(small, 2 * small)
        by_large.step(large, 2000 * large)
    assert small[0] == pytest.approx(large[0], rel=1e-6)


def test_the_gradient_is_left_alone_and_float32_stays():
    theta, gradient = np.ones(4, np.float32), np.ones(4, np.float32)
    Adadelta(4, np.float32).step(theta, gradient)
    assert theta.dtype == np.float32
    np.testing.assert_array_equal(gradient, 1)


def test_rate_scales_the_first_step():
    slow, fast = np.zeros(1), np.zeros(1)
    Adadelta(1).step(slow, np.ones(1))
    Adadelta(1, rate=3.0).step(fast, np.ones(1))
    assert fast[0] == pytest.approx(3 * slow[0])
