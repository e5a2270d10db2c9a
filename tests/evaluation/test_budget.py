from __future__ import annotations

import math

import pytest
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier

from nearkin.evaluation import (
    Candidate,
    Problem,
    RandomSplits,
    Record,
    StratifiedFolds,
    plan_tasks,
    summarise,
)
from nearkin.evaluation.budget import in_order_of_worth, in_reach, places_in_line, seconds_to_tune

X, Y = load_wine(return_X_y=True)


def test_promising_and_affordable_candidates_come_first():
    problem = Problem("wine", X, Y)
    labels = ["Poor", "Costly", "Euclid", "Good", "Unknown"]
    plan = [Candidate(label, KNeighborsClassifier()) for label in labels]
    tasks = plan_tasks(problem, plan, StratifiedFolds(2))
    scores = {"Poor": (0.5, 0.1), "Costly": (0.99, 100.0), "Euclid": (0.7, 0.1), "Good": (0.9, 0.1)}
    looked_at = [
        Record.of_task(task, status="done", score=score, fit_seconds=seconds, predict_seconds=0.0)
        for task in tasks[:5]
        if task.candidate.label in scores
        for score, seconds in [scores[task.candidate.label]]
    ]

    def order(seconds):
        fitting, others = in_order_of_worth(tasks, looked_at, "Euclid", problem, seconds)
        assert {task.candidate.label for task in others} == set(labels) - {t.candidate.label for t in fitting}
        found = fitting + others
        assert len(found) == len(tasks) == len({id(task) for task in found})
        return [task.candidate.label for task in found]

    # What fits in, candidate by candidate; of the rest a first fold each, the cheapest first.
    euclid_and_good = ["Euclid"] * 2 + ["Good"] * 2
    assert order(10.0) == euclid_and_good + ["Poor"] * 2 + ["Costly", "Unknown"] * 2
    assert order(0.45) == euclid_and_good + ["Poor", "Costly", "Unknown"] * 2
    # Within the error of the small split nobody is better, so the cheaper one goes first.
    for record, seconds in zip(looked_at, (0.4, 0.3, 0.1, 0.2), strict=True):
        record.score, record.fit_seconds = 0.97, seconds
    assert order(10.0)[:8:2] == ["Euclid", "Good", "Costly", "Poor"]


def test_the_cost_of_tuning_counts_fits_and_scores_of_inner_folds():
    grid = {"n_neighbors": [1, 3], "p": [1, 2, 3]}
    candidate = Candidate("c", KNeighborsClassifier(), grid, predict_time=("n_neighbors",))
    problem, split = Problem("wine", X, Y), RandomSplits(1, test_share=0.5)
    (task,), (first,) = (plan_tasks(problem, [each], split) for each in (candidate, candidate.untuned()))
    record = Record.of_task(first, status="done", score=1.0, fit_seconds=9.0, predict_seconds=0.0)
    # Three fits on two thirds of the rows in each of three inner folds, and the last one.
    assert seconds_to_tune({"c": [task]}, [record]) == {"c": pytest.approx(9 + 3 * 3 * 6)}
    record.fit_seconds, record.predict_seconds = 0.0, 9.0
    # Six settings; two ninths as many pairs of rows as in a fold that tests as many rows as it trains on.
    assert seconds_to_tune({"c": [task] * 2, "new": [task]}, [record]) == {
        "c": pytest.approx(2 * (9 + 3 * 6 * 2))
    }


def test_in_reach_is_what_the_interval_of_the_best_holds():
    records = []
    for label, score in (("Euclid", 0.8), ("near", 0.895), ("best", 0.9), ("far", 0.7)):
        for fold in range(10):
            noise = 0.01 * (-1) ** fold
            fields = {"key": f"{label}{fold}", "dataset": "d", "label": label, "fold": f"0.{fold}"}
            records.append(
                Record(
                    **fields,
                    seed=0,
                    setting={},
                    status="done",
                    metric="accuracy",
                    score=score + noise,
                    n_train=90,
                    n_test=10,
                )
            )
    assert in_reach(summarise(records, "Euclid")) == {"near", "best"}


def test_the_quick_go_first_and_those_too_slow_for_a_look_last():
    labels = ["Slow", "Quick", "Failed", "Stopped", "Unseen"]
    plan = [Candidate(label, KNeighborsClassifier()) for label in labels]
    slow, quick, failed, stopped, unseen = plan_tasks(Problem("wine", X, Y), plan, RandomSplits(1))
    scouted = [
        Record.of_task(slow, status="done", score=0.9, fit_seconds=9.0),
        Record.of_task(quick, status="done", score=0.5, fit_seconds=1.0),
        Record.of_task(failed, status="error"),
        Record.of_task(stopped, status="timeout"),
        Record.of_task(unseen),
    ]
    # A handful of rows says little: it counts only where nothing else is known.
    places = places_in_line(scouted, {"Slow": 0.1, "Quick": 0.5, "Stopped": 0.1, "Unseen": 2.0})
    assert places == {"Quick": 1.0, "Unseen": 2.0, "Slow": 9.0, "Failed": math.inf, "Stopped": math.inf}
