"""Successive halving over made-up tasks."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from nearkin.evaluation import Candidate, FiveByTwo, Problem, plan_tasks
from nearkin.evaluation.results import ERROR, Record
from nearkin.experiments.halving import Halving, run_halving


@pytest.fixture
def tasks():
    X, y = np.zeros((60, 1)), np.arange(60) % 2
    grid = {"strategy": ["most_frequent", "prior", "stratified", "uniform"], "constant": [0, 1]}
    candidates = [Candidate(label, DummyClassifier(), grid) for label in ("A", "B")]
    return plan_tasks(Problem("toy", X, y), candidates, FiveByTwo(), 0)


def test_the_best_settings_go_on_and_the_best_one_reaches_the_end(tasks):
    done = []

    def do(chosen):
        done.extend(chosen)
        order = ["most_frequent", "prior", "stratified", "uniform"]
        return [
            Record.of_task(
                task,
                status="done",
                score=0.5,
                validation_score=order.index(task.candidate.setting["strategy"]),
            )
            for task in chosen
        ]

    records = run_halving(tasks, Halving(keep=0.5, at_least=1, after=(1, 2, 4)), do)
    counts = Counter((task.split.repeat, task.split.fold) for task in done)
    # Two methods with 8, 4, 2 and 1 settings on the first fold, the second, the next two and the rest.
    assert [counts[repeat, fold] for repeat in range(5) for fold in range(2)] == [16, 8, 4, 4, *6 * [2]]
    assert {record.setting["strategy"] for record in records if record.fold[0] == "4"} == {"uniform"}
    assert len(records) == len(done)


def test_settings_that_fail_do_not_go_on(tasks):
    def do(chosen):
        records = [Record.of_task(task, status="done", score=0.5, validation_score=0.5) for task in chosen]
        return [replace(r, status=ERROR) if r.setting["strategy"] == "prior" else r for r in records]

    last = [record for record in run_halving(tasks, Halving(0.75, 1), do) if record.fold == "4.1"]
    assert last
    assert all(record.setting["strategy"] != "prior" for record in last)


def test_a_few_settings_always_stay():
    assert len(Halving(0.1, 3).survivors({name: i for i, name in enumerate("abcdef")})) == 3
