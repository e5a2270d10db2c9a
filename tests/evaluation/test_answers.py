import numpy as np
import pytest
from sklearn.metrics import r2_score

from nearkin.evaluation.answers import score_answers
from nearkin.evaluation.regression_error import arrmse


def test_classes():
    scores = score_answers("classification", ["a"] * 8 + ["b"] * 2, ["a"] * 9 + ["c"])
    assert scores["accuracy"] == 0.8
    assert scores["balanced accuracy"] == 0.5
    assert scores["macro F1"] == pytest.approx((16 / 17) / 3)


def test_numbers():
    rng = np.random.default_rng(0)
    true, predicted = rng.normal(size=(2, 30, 2))
    scores = score_answers("regression", true, predicted, [0.5, 0.0])
    assert scores["aRRMSE"] == arrmse(true, predicted, [0.5, 0.0])
    assert scores["R2"] == pytest.approx(r2_score(true, predicted))
    assert scores["mean absolute error"] == pytest.approx(np.abs(true - predicted).mean())
    assert "aRRMSE" not in score_answers("regression", true, predicted)
    assert set(score_answers("regression", true[:1], predicted[:1])) == {"mean absolute error"}
