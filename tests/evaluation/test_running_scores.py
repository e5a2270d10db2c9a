import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score, r2_score

from nearkin.evaluation.regression_error import arrmse
from nearkin.evaluation.running_scores import LabelScores, NumberScores


def in_blocks(scores, true, predicted, size=7):
    for first in range(0, len(true), size):
        scores.add(true[first : first + size], predicted[first : first + size])
    assert scores.n_rows == len(true)
    return scores.scores()


def test_classes():
    scores = in_blocks(LabelScores(), ["a"] * 8 + ["b"] * 2, ["a"] * 9 + ["c"])
    assert scores["accuracy"] == 0.8
    assert scores["balanced accuracy"] == 0.5
    assert scores["macro F1"] == pytest.approx((16 / 17) / 3)


def test_pairs_of_labels_are_counted_not_kept():
    rng = np.random.default_rng(0)
    true, predicted = rng.integers(0, 4, (2, 500))
    scores = LabelScores()
    found = in_blocks(scores, true, predicted)
    assert found["accuracy"] == pytest.approx(np.mean(true == predicted))
    assert found["balanced accuracy"] == pytest.approx(balanced_accuracy_score(true, predicted))
    assert found["macro F1"] == pytest.approx(f1_score(true, predicted, average="macro"))
    assert len(scores._counts) == 16


def test_numbers():
    rng = np.random.default_rng(0)
    # A large mean would drown the variance in a plain sum of squares.
    true, predicted = rng.normal(size=(2, 30, 2)) + 1e8
    scores = in_blocks(NumberScores([1e8 + 0.5, 1e8]), true, predicted)
    assert scores["aRRMSE"] == pytest.approx(arrmse(true, predicted, [1e8 + 0.5, 1e8]))
    assert scores["R2"] == pytest.approx(r2_score(true, predicted))
    assert scores["MAE"] == pytest.approx(np.abs(true - predicted).mean())
    assert "aRRMSE" not in in_blocks(NumberScores(), true, predicted)
    assert set(in_blocks(NumberScores(), true[:1], predicted[:1])) == {"MAE"}


def test_a_constant_target_is_explained_only_if_it_is_hit():
    true = np.ones((5, 2))
    predicted = np.column_stack([np.ones(5), np.arange(5.0)])
    assert in_blocks(NumberScores(), true, predicted)["R2"] == r2_score(true, predicted) == 0.5
