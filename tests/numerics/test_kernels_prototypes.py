"""Compiled epochs against finite differences, and step by step against Adadelta's definition."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.numerics.kernels_prototypes import factor_epoch, weight_epoch

SHAPES = ["weights", "factors", "low rank"]
# So large an epsilon makes Adadelta's step the negative gradient itself.
GRADIENT_STEP = (0.95, 1e20)


def problem(shape, seed=0, n=30, P=6, e=4):
    """Rows, classes, weights, labels, centres and metrics; far from any tie or centre."""
    rng = np.random.default_rng(seed)
    U, centres = rng.normal(size=(n, e)), rng.normal(size=(P, e))
    metrics = rng.normal(size={"weights": (P, e), "factors": (P, e, e), "low rank": (P, 2, e)}[shape])
    y, labels = rng.integers(0, 3, n), np.sort(np.arange(P) % 3)
    D = naive_distances(U, centres, metrics)
    own = y[:, None] == labels
    clear = D.min(axis=1) > 1e-2
    for mask in (own, ~own):
        two = np.sort(np.where(mask, D, np.inf), axis=1)[:, :2]
        clear &= two[:, 1] - two[:, 0] > 1e-2
    shares = rng.uniform(0.5, 1.5, clear.sum())
    return U[clear], y[clear], shares / shares.sum(), labels, centres, metrics


def naive_distances(U, centres, metrics):
    factors = metrics if metrics.ndim == 3 else np.stack([np.diag(w) for w in metrics])
    return np.sum(np.einsum("sre,ise->isr", factors, U[:, None] - centres) ** 2, axis=2)


def naive_objective(U, y, shares, labels, centres, metrics, beta=3.0):
    D = naive_distances(U, centres, metrics)
    own = y[:, None] == labels
    R = np.where(own, D, np.inf).min(axis=1) / np.where(own, np.inf, D).min(axis=1)
    return float(np.sum(shares / (1 + np.exp(beta * (1 - R)))))


def numeric_gradient(function, parameters, step=1e-6):
    gradient = np.empty_like(parameters)
    for index in np.ndindex(parameters.shape):
        kept = parameters[index]
        parameters[index] = kept + step
        above = function()
        parameters[index] = kept - step
        gradient[index] = (above - function()) / (2 * step)
        parameters[index] = kept
    return gradient


class Training:
    """Kept parameters and solver memory around the compiled epoch."""

    def __init__(self, U, y, shares, labels, centres, metrics, solver=GRADIENT_STEP, tiny=0.0):
        self.rows, self.labels, self.tiny = (U, y, shares), labels, tiny
        self.centres, self.metrics = centres.copy(), metrics.copy()
        P, e = centres.shape
        width = e + metrics[0].size
        self.running = np.zeros((P, width), U.dtype), np.zeros((P, width), U.dtype)
        self.clock = np.zeros(P + 1, np.int64)
        self.solver = tuple(U.dtype.type(number) for number in solver)

    def epoch(self, order=None, bounds=None):
        n = len(self.rows[1])
        order = np.arange(n) if order is None else order
        return (weight_epoch if self.metrics.ndim == 2 else factor_epoch)(
            *self.rows,
            order,
            np.array([0, n] if bounds is None else bounds),
            self.labels,
            self.centres,
            self.metrics.reshape(len(self.labels), -1),
            self.running,
            self.clock,
            3.0,
            self.tiny,
            self.solver,
        )


@pytest.mark.parametrize("shape", SHAPES)
@given(seed=st.integers(0, 2**16))
@settings(max_examples=5, deadline=None)
def test_a_step_follows_the_gradient_of_the_naive_objective(shape, seed):
    given_problem = problem(shape, seed)
    *_, centres, metrics = given_problem
    training = Training(*given_problem)
    assert training.epoch() == pytest.approx(naive_objective(*given_problem))
    for before, after in [(centres, training.centres), (metrics, training.metrics)]:
        numeric = numeric_gradient(lambda: naive_objective(*given_problem), before)
        np.testing.assert_allclose(before - after, numeric, rtol=1e-4, atol=1e-6)


def naive_training(U, y, shares, labels, centres, metrics, batches, decay, epsilon):
    """Adadelta by its definition on all parameters, the gradients by finite differences."""
    parameters = centres.copy(), metrics.copy()
    memory = [[np.zeros_like(part), np.zeros_like(part)] for part in parameters]
    for batch in batches:
        rows = U[batch], y[batch], shares[batch] * len(y) / len(batch)
        gradients = [
            numeric_gradient(lambda rows=rows: naive_objective(*rows, labels, *parameters), part)
            for part in parameters
        ]
        for part, gradient, means in zip(parameters, gradients, memory):
            means[0] = decay * means[0] + (1 - decay) * gradient**2
            step = np.sqrt(means[1] + epsilon) / np.sqrt(means[0] + epsilon) * gradient
            means[1] = decay * means[1] + (1 - decay) * step**2
            part -= step
    return parameters


@pytest.mark.parametrize("shape", SHAPES)
def test_steps_follow_adadelta_also_for_prototypes_that_some_batches_leave_alone(shape):
    given_problem = problem(shape, n=24, P=9)
    n = len(given_problem[1])
    rng = np.random.default_rng(1)
    # Batches of unequal size, the last ones too small to reach every prototype.
    bounds = [0, n - 9, n - 5, n - 3, n]
    orders = [rng.permutation(n) for _ in range(2)]
    training = Training(*given_problem, solver=(0.8, 1e-4))
    for order in orders:
        training.epoch(order, bounds)
    batches = [order[first:last] for order in orders for first, last in pairwise(bounds)]
    centres, metrics = naive_training(*given_problem, batches, 0.8, 1e-4)
    assert len(set(training.clock)) > 1
    np.testing.assert_allclose(training.centres, centres, atol=1e-6)
    np.testing.assert_allclose(training.metrics, metrics, atol=1e-6)


def test_weights_are_diagonal_factors():
    *rows, labels, centres, weights = problem("weights")
    by_weights = Training(*rows, labels, centres, weights)
    by_factors = Training(*rows, labels, centres, np.stack([np.diag(w) for w in weights]))
    assert by_weights.epoch() == pytest.approx(by_factors.epoch())
    np.testing.assert_allclose(by_weights.centres, by_factors.centres, atol=1e-10)
    np.testing.assert_allclose(
        by_weights.metrics, np.diagonal(by_factors.metrics, axis1=1, axis2=2), atol=1e-10
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_float32_stays(shape):
    double = problem(shape)
    single = [part.astype(np.float32) if part.dtype == float else part for part in double]
    trained = [Training(*parts, solver=(0.95, 1e-5)) for parts in (double, single)]
    values = [training.epoch(bounds=[0, 10, len(double[1])]) for training in trained]
    assert values[1] == pytest.approx(values[0], rel=1e-5)
    assert trained[1].metrics.dtype == np.float32
    np.testing.assert_allclose(trained[1].centres, trained[0].centres, atol=1e-4)
    np.testing.assert_allclose(trained[1].metrics, trained[0].metrics, atol=1e-4)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_row_too_far_to_measure_does_not_move_anything(shape):
    U, y, shares, labels, centres, metrics = problem(shape)
    U[0] = 1e200
    with_it = Training(U.copy(), y, shares, labels, centres, metrics)
    with_it.epoch()
    shares = shares.copy()
    shares[0] = 0
    U[0] = 0.3
    without = Training(U, y, shares, labels, centres, metrics)
    without.epoch()
    np.testing.assert_allclose(with_it.centres, without.centres, atol=1e-12)
    np.testing.assert_allclose(with_it.metrics, without.metrics, atol=1e-12)


def test_a_row_on_two_prototypes_is_undecided_and_pulls_neither():
    U, metrics = np.zeros((1, 2)), np.stack([np.eye(2)] * 2)
    training = Training(U, np.array([0]), np.ones(1), np.array([0, 1]), np.zeros((2, 2)), metrics, tiny=1e-12)
    assert training.epoch() == 0.5
    np.testing.assert_array_equal(training.centres, 0)
    np.testing.assert_array_equal(training.metrics, metrics)
