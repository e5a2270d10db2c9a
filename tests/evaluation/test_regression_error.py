from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from nearkin.evaluation import arrmse, rrmse


def test_by_hand():
    y = np.array([[1.0, 10.0], [3.0, 20.0]])
    predicted = np.array([[2.0, 10.0], [3.0, 26.0]])
    # Target 1: sqrt(1 / (1 + 1)) about the mean 2; target 2: sqrt(36 / (144 + 4)) about the mean 22.
    expected = [np.sqrt(1 / 2), np.sqrt(36 / 148)]
    assert rrmse(y, predicted, [2.0, 22.0]) == pytest.approx(expected)
    assert arrmse(y, predicted, [2.0, 22.0]) == pytest.approx(np.mean(expected))


def test_the_training_mean_scores_one_and_the_truth_zero():
    y = np.random.default_rng(0).normal(size=(20, 3))
    mean = np.array([0.1, -0.2, 0.3])
    assert arrmse(y, np.tile(mean, (20, 1)), mean) == pytest.approx(1.0)
    assert arrmse(y, y, mean) == 0.0


def test_one_target_may_be_flat():
    assert arrmse([0.0, 2.0], [0.0, 0.0], 1.0) == pytest.approx(np.sqrt(2))


def test_units_do_not_matter():
    rng = np.random.default_rng(1)
    y, predicted = rng.normal(size=(2, 30, 2))
    scale = np.array([1e-3, 1e6])
    assert arrmse(y * scale, predicted * scale, [0, 0]) == pytest.approx(arrmse(y, predicted, [0, 0]))


@pytest.mark.parametrize("constant", [5.0, 0.1])
def test_a_constant_target_is_undefined_and_says_so(constant):
    y = np.column_stack([np.arange(10.0), np.full(10, constant)])
    mean = y.mean(axis=0)
    with pytest.warns(UndefinedMetricWarning, match=r"column\(s\) \[1\]"):
        found = rrmse(y, np.zeros_like(y), mean)
    assert np.isnan(found[1])
    with pytest.warns(UndefinedMetricWarning):
        assert arrmse(y, np.zeros_like(y), mean) == found[0]
    with pytest.warns(UndefinedMetricWarning), pytest.raises(ValueError, match="undefined"):
        arrmse(y[:, 1], np.zeros(10), mean[1])


@pytest.mark.parametrize(
    ("y_true", "y_pred", "mean"),
    [
        ([[1.0, 2.0]], [[1.0]], [0.0]),
        ([1.0, 2.0], [1.0, 2.0], [0.0, 1.0]),
        (np.empty((0, 1)), np.empty((0, 1)), [0.0]),
    ],
)
def test_shapes_that_do_not_fit_are_refused(y_true, y_pred, mean):
    with pytest.raises(ValueError, match=r"do not fit|no rows"):
        rrmse(y_true, y_pred, mean)
