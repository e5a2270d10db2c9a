"""Cuts against trying every threshold, chances against a minimiser of their own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.metrics import accuracy_score, f1_score

from nearkin.predictors.thresholds import best_cut, logistic_scale

SCORES = {"accuracy": accuracy_score, "f1": f1_score}


@given(st.integers(0, 10**6), st.sampled_from(["accuracy", "f1"]), st.booleans())
@settings(max_examples=40, deadline=None)
@pytest.mark.slow
def test_no_threshold_does_better(seed, criterion, ties):
    rng = np.random.default_rng(seed)
    same = rng.random(30) < 0.4
    same[:2] = [True, False]
    distances = rng.random(30) + 0.3 * ~same
    if ties:
        distances = distances.round(1)
    weights = rng.integers(1, 4, 30).astype(float)

    def score(threshold):
        return SCORES[criterion](same, distances <= threshold, sample_weight=weights)

    every = [-1.0, *distances, *(distances + 1e-9)]
    best = best_cut(distances, same, criterion, weights)
    assert score(best) == pytest.approx(max(map(score, every)), abs=1e-12)
    assert np.abs(distances - best).min() > 0


def test_of_equally_good_cuts_the_one_with_most_room_is_taken():
    distances, same = np.array([1.0, 2.0, 3.0, 9.0]), np.array([True, False, True, False])
    assert best_cut(distances, same, "accuracy") == 6.0


def test_equal_distances_leave_all_or_none():
    assert best_cut(np.ones(3), np.array([True, True, False]), "accuracy") > 1
    assert best_cut(np.ones(3), np.array([True, False, False]), "accuracy") < 1
    assert best_cut(np.zeros(3), np.array([True, False, False]), "accuracy") < 0


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_scale_minimises_the_smoothed_log_loss(unit):
    rng = np.random.RandomState(0)
    same = np.arange(200) % 2 == 0
    margins = unit * (np.where(same, 0.5, -0.5) + rng.standard_normal(200))
    weights = rng.uniform(0.5, 2, 200)
    wanted = np.where(same, 101 / 102, 1 / 102)

    def loss(a):
        chance = expit(a * margins / unit)
        return -np.sum(weights * (wanted * np.log(chance) + (1 - wanted) * np.log(1 - chance)))

    expected = minimize_scalar(loss, bounds=(0, 10), method="bounded", options={"xatol": 1e-10}).x
    assert logistic_scale(margins, same, weights) * unit == pytest.approx(expected, rel=1e-3)


def test_scale_stays_positive_where_distances_mislead():
    margins = np.array([-1.0, 1.0, -2.0, 2.0])
    assert 0 < logistic_scale(margins, margins < 0) < 0.1
    assert logistic_scale(np.zeros(4), margins < 0) == 1.0
