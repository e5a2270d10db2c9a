"""Distances to prototypes and the ratio objective against naive sums and finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.numerics import prototypes as module
from nearkin.numerics.prototypes import (
    nearest_same_and_other,
    prototype_distances,
    ratio_errors,
    ratio_objective,
)

SHAPES = ["weights", "factors", "low rank"]


def problem(shape, seed=0, m=30, P=6, e=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, e))
    prototypes = rng.normal(size=(P, e))
    size = {"weights": (P, e), "factors": (P, e, e), "low rank": (P, 2, e)}[shape]
    metrics = rng.normal(size=size)
    labels = np.arange(P) % 3
    y = rng.integers(0, 3, m)
    return X, prototypes, metrics, y[:, None] == labels


def naive_distance(x, p, metric):
    factor = np.diag(metric) if metric.ndim == 1 else metric
    return float(np.sum((factor @ (x - p)) ** 2))


def naive_objective(X, own, weights, prototypes, metrics, beta):
    factors = metrics if metrics.ndim == 3 else np.stack([np.diag(w) for w in metrics])
    projected = np.einsum("sre,ise->isr", factors, X[:, None, :] - prototypes[None])
    D = np.sum(projected**2, axis=2)
    R = np.where(own, D, np.inf).min(axis=1) / np.where(own, np.inf, D).min(axis=1)
    return float(np.sum(weights / (1 + np.exp(beta * (1 - R)))))


def evaluate(X, own, weights, prototypes, metrics, beta=3.0):
    gradients = np.empty_like(prototypes), np.empty_like(metrics)
    value = ratio_objective(
        X,
        own,
        weights,
        prototypes,
        metrics,
        beta=beta,
        tiny=0.0,
        grad_prototypes=gradients[0],
        grad_metrics=gradients[1],
    )
    return value, *gradients


@pytest.mark.parametrize("shape", SHAPES)
def test_distances_equal_the_naive_ones(shape):
    X, prototypes, metrics, _ = problem(shape)
    expected = [[naive_distance(x, p, L) for p, L in zip(prototypes, metrics)] for x in X]
    np.testing.assert_allclose(prototype_distances(X, prototypes, metrics).distances, expected, rtol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
def test_objective_equals_the_naive_one(shape):
    X, prototypes, metrics, own = problem(shape)
    weights = np.random.default_rng(1).uniform(size=len(X))
    value, _, _ = evaluate(X, own, weights, prototypes, metrics)
    assert value == pytest.approx(naive_objective(X, own, weights, prototypes, metrics, 3.0))


@pytest.mark.parametrize("dense", [True, False], ids=["dense", "grouped"])
@pytest.mark.parametrize("shape", SHAPES)
@given(seed=st.integers(0, 2**16))
@settings(max_examples=5, deadline=None)
def test_gradients_agree_with_finite_differences(shape, dense, seed):
    X, prototypes, metrics, own = problem(shape, seed)
    X, own = away_from_ties(X, prototypes, metrics, own)
    weights = np.random.default_rng(seed).uniform(size=len(X))
    limit = module.DENSE_PULLBACK_MULTIPLY_ADDS
    try:
        module.DENSE_PULLBACK_MULTIPLY_ADDS = np.inf if dense else 0
        _, by_prototypes, by_metrics = evaluate(X, own, weights, prototypes, metrics)
    finally:
        module.DENSE_PULLBACK_MULTIPLY_ADDS = limit
    for parameters, gradient in [(prototypes, by_prototypes), (metrics, by_metrics)]:
        numeric = np.empty_like(parameters)
        for index in np.ndindex(parameters.shape):
            kept, step = parameters[index], 1e-6
            parameters[index] = kept + step
            above = naive_objective(X, own, weights, prototypes, metrics, 3.0)
            parameters[index] = kept - step
            below = naive_objective(X, own, weights, prototypes, metrics, 3.0)
            parameters[index] = kept
            numeric[index] = (above - below) / (2 * step)
        np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-6)


def away_from_ties(X, prototypes, metrics, own):
    """Rows whose nearest prototypes of either kind stay the same under a small change."""
    D = prototype_distances(X, prototypes, metrics).distances
    gaps = []
    for mask in (own, ~own):
        two = np.sort(np.where(mask, D, np.inf), axis=1)[:, :2]
        gaps.append(two[:, 1] - two[:, 0] > 1e-2)
    clear = gaps[0] & gaps[1] & (D.min(axis=1) > 1e-2)
    return X[clear], own[clear]


def test_weights_are_diagonal_factors():
    X, prototypes, weights, own = problem("weights")
    factors = np.stack([np.diag(w) for w in weights])
    row_weights = np.full(len(X), 1 / len(X))
    by_weights = evaluate(X, own, row_weights, prototypes, weights)
    by_factors = evaluate(X, own, row_weights, prototypes, factors)
    assert by_weights[0] == pytest.approx(by_factors[0])
    np.testing.assert_allclose(by_weights[1], by_factors[1], atol=1e-10)
    np.testing.assert_allclose(by_weights[2], np.diagonal(by_factors[2], axis1=1, axis2=2), atol=1e-10)


def test_a_point_on_two_prototypes_is_undecided():
    errors, by_same, by_other = ratio_errors(np.zeros(1), np.zeros(1), 3.0, 1e-12)
    assert errors[0] == 0.5
    assert np.isfinite([by_same[0], by_other[0]]).all()


def test_far_outside_the_window_nothing_pulls():
    errors, by_same, by_other = ratio_errors(np.array([1e300, 0.0]), np.array([1e-300, 1.0]), 10.0, 1e-310)
    np.testing.assert_allclose(errors, [1.0, 0.0], atol=1e-4)
    assert by_same[0] == 0
    assert by_other[0] == 0


def test_nearest_are_found_on_either_side():
    D = np.array([[3.0, 1.0, 2.0, 0.5]])
    same, other = nearest_same_and_other(D, np.array([[True, True, False, False]]))
    assert (same[0], other[0]) == (1, 3)


@pytest.mark.parametrize("dense", [True, False], ids=["dense", "grouped"])
@pytest.mark.parametrize("shape", SHAPES)
def test_float32_stays(shape, dense, monkeypatch):
    monkeypatch.setattr(module, "DENSE_PULLBACK_MULTIPLY_ADDS", np.inf if dense else 0)
    X, prototypes, metrics, own = problem(shape)
    double = X, own, np.full(len(X), 1 / len(X)), prototypes, metrics
    single = [part.astype(np.float32) if part.dtype == float else part for part in double]
    assert prototype_distances(single[0], *single[3:]).distances.dtype == np.float32
    for expected, found in zip(evaluate(*double), evaluate(*single)):
        np.testing.assert_allclose(found, expected, atol=1e-4)
