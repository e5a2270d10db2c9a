"""The simulated comparisons in small; docs/results/compare-power.md has many more runs."""

import numpy as np
import pytest
from benchmarks.compare_power import EUCLID, FakeLearners, Scenario, rates

RUNS = 40


def test_fake_learners_are_as_good_and_as_alike_as_the_scenario_says():
    learners = FakeLearners(Scenario("large", (0.03, 0.0), n_rows=200_000, luck=0.0), seed=0)
    folds = {label: [r.score for r in learners.records(0, [label])] for label in learners.labels}
    assert np.mean(folds[EUCLID]) == pytest.approx(0.80, abs=0.005)
    assert np.mean(folds["learner 1"]) == pytest.approx(0.83, abs=0.005)
    right = learners._ease + learners._thresholds > 0
    assert np.mean(right[0] != right[2]) == pytest.approx(0.08, abs=0.03)


def test_three_points_are_seen_in_most_runs():
    found = rates(Scenario("one of five", (0.03, 0.0, 0.0, 0.0, 0.0)), RUNS)
    assert found["seen"] >= 0.8
    assert found["seen"] >= found["seen at first"] + 0.1  # repeats are what does it
    assert found["wrong"] <= 0.05


def test_nothing_is_seen_where_nothing_is():
    found = rates(Scenario("all equal", (0.0,) * 5), RUNS)
    assert found["wrong"] <= 0.05
    assert found["passes"] < 5  # hopeless ones are not repeated to the end
