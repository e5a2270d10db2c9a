"""The best point of curves over several folds."""

import numpy as np

from nearkin.evaluation.problems import ACCURACY, ARRMSE
from nearkin.evaluation.results import Record
from nearkin.experiments.collecting import at_best_point

GRID = {"k": [1, 3, 5]}


def fold(number, scores, sparsity=(0.1, 0.2, 0.3), **how):
    figures = {"grid": GRID, "scores": list(scores), "sparsity": list(sparsity)}
    told = {"status": "done", "score": min(s for s in scores if s), "figures": figures} | how
    return Record(f"key{number}", "data", "learner", f"0.{number}", 0, {}, **told)


def test_one_setting_serves_all_folds():
    records = [fold(0, [0.5, 0.4, 0.9]), fold(1, [0.2, 0.4, 0.9], (0.5, 0.6, 0.7))]
    at_best = at_best_point(records, ARRMSE)
    assert [record.score for record in at_best] == [0.5, 0.2]
    assert [record.chosen for record in at_best] == [{"k": 1}] * 2
    assert [record.figures for record in at_best] == [{"sparsity": 0.1}, {"sparsity": 0.5}]
    assert [record.chosen for record in at_best_point(records, ACCURACY)] == [{"k": 5}] * 2


def test_a_setting_that_failed_in_a_fold_is_out():
    records = [fold(0, [0.5, 0.6, 0.9]), fold(1, [None, 0.4, 0.9])]
    assert np.mean([record.score for record in at_best_point(records, ARRMSE)]) == 0.5


def test_other_records_stay_as_they_are():
    tuned = [fold(0, [0.5, 0.6, 0.9], figures={"sparsity": 0.5})]
    assert at_best_point(tuned, ARRMSE) is tuned
    failed = [fold(0, [0.5, 0.6, 0.9]), fold(1, [0.5, 0.6, 0.9], status="error", figures={})]
    assert at_best_point(failed, ARRMSE) is failed
