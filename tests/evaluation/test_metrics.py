import numpy as np
import pytest

from nearkin.evaluation import METRICS, Metric, Problem
from nearkin.evaluation.metrics import ACCURACY, ARRMSE
from nearkin.evaluation.tasks import Record


def test_scores_are_written_as_people_read_them():
    assert ACCURACY.text(None) == "–"
    assert ACCURACY.text(float("nan")) == "–"
    assert ACCURACY.text(-0.012, signed=True) == "−1.2 points"
    assert ARRMSE.text(0.1234) == "0.123"


def test_what_is_better_is_larger_when_turned():
    assert ACCURACY.better(0.9) > ACCURACY.better(0.8)
    assert ARRMSE.better(0.8) > ARRMSE.better(0.9)


def test_tables_print_shares_in_percent():
    record = Record("key", "data", "learner", "0.0", 0, {}, status="done", score=0.25, hub_skewness=1.5)
    assert ACCURACY.printed(record) == 25.0
    assert ARRMSE.printed(record) == 0.25
    skewness = Metric("skewness", greater_is_better=False, read=lambda found: found.hub_skewness)
    assert skewness.printed(record) == 1.5
    assert ACCURACY.printed(Record("key", "data", "learner", "0.0", 0, {})) is None


def test_every_metric_can_rank_models_of_its_task():
    truth = {"classification": [0, 1, 1, 0], "regression": [0.5, 1.5, 2.5, 4.0]}
    for name, metric in METRICS.items():
        y = truth[metric.task]
        perfect, wrong = metric(y, y, y), metric(y, y[::-1], y)
        assert metric.better(perfect) >= metric.better(wrong), name


def test_a_metric_of_the_other_task_is_refused():
    with pytest.raises(ValueError, match="aRRMSE is for regression"):
        Problem("data", np.zeros((4, 1)), [0, 1, 0, 1], metric=ARRMSE)
