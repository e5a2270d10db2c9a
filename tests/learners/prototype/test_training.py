"""The training loop: what it minimises, when it stops, what it returns."""

import numpy as np
import pytest

from nearkin.learners.prototype.training import LabelledRows, Prototypes, Schedule, train


@pytest.fixture
def data():
    rng = np.random.RandomState(0)
    y = rng.randint(0, 2, 80)
    weights = rng.uniform(0.5, 1.5, 80)
    return LabelledRows(rng.randn(80, 3) + y[:, None], y, weights / weights.sum())


@pytest.fixture
def start(data):
    return Prototypes(data.U[:4].copy(), np.array([0, 0, 1, 1]), np.repeat(np.eye(3)[None], 4, axis=0))


def schedule(**changes):
    return Schedule(
        **{"beta": 3.0, "batch_size": 16, "max_epochs": 40, "tol": 0.0, "patience": 1000, **changes}
    )


def test_the_objective_is_the_weighted_mean_error(data, start):
    D = np.array([[np.sum((x - p) ** 2) for p in start.centres] for x in data.U])
    own = data.y[:, None] == start.labels
    R = np.where(own, D, np.inf).min(axis=1) / np.maximum(np.where(own, np.inf, D).min(axis=1), 1e-15)
    errors = 1 / (1 + np.exp(np.clip(3.0 * (1 - R), -500, 500)))
    # Two rows are prototypes of the other class: their ratios differ by the guard, their errors are 1.
    assert start.objective(data, 3.0) == pytest.approx(errors @ data.weights, abs=1e-6)
    wrong = start.labels[D.argmin(axis=1)] != data.y
    assert start.error(data) == pytest.approx(data.weights[wrong].sum())


def test_it_improves_and_reports_the_objective_of_what_it_returns(data, start):
    run = train(data, start, schedule(), np.random.RandomState(0))
    assert run.objective < start.objective(data, 3.0)
    assert run.objective == run.prototypes.objective(data, 3.0)
    assert [epoch["epoch"] for epoch in run.history] == list(range(1, 41))
    assert not run.converged


def test_the_start_is_left_alone(data, start):
    before = start.centres.copy(), start.metrics.copy()
    train(data, start, schedule(max_epochs=3), np.random.RandomState(0))
    np.testing.assert_array_equal(start.centres, before[0])
    np.testing.assert_array_equal(start.metrics, before[1])


def test_it_stops_once_the_objective_stands_still(data, start):
    run = train(data, start, schedule(tol=1.0, patience=3), np.random.RandomState(0))
    assert run.converged
    assert len(run.history) == 4


def test_with_validation_the_best_epoch_is_returned(data, start):
    train_part, held_out = data.take(np.arange(50)), data.take(np.arange(50, 80))
    run = train(train_part, start, schedule(max_epochs=60), np.random.RandomState(0), held_out)
    watched = [epoch["validation"] for epoch in run.history]
    assert run.prototypes.objective(held_out, 3.0) == pytest.approx(min(watched))
    assert run.score == min(watched)


def test_a_large_batch_size_is_one_batch(data, start):
    run = train(data, start, schedule(batch_size=10_000, max_epochs=1), np.random.RandomState(0))
    assert run.history[0]["objective"] == pytest.approx(start.objective(data, 3.0), rel=1e-6)


def test_taking_rows_scales_their_weights_to_one(data):
    assert data.take(np.arange(10)).weights.sum() == pytest.approx(1)
