from __future__ import annotations

from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier

from nearkin.evaluation import Candidate, Problem, RandomSplits, Record, StratifiedFolds, plan_tasks
from nearkin.evaluation.scouting import promising_first

X, Y = load_wine(return_X_y=True)


def test_promising_and_affordable_candidates_come_first():
    problem = Problem("wine", X, Y)
    labels = ["Poor", "Costly", "Euclid", "Good", "Unknown"]
    plan = [Candidate(label, KNeighborsClassifier()) for label in labels]
    tasks = plan_tasks(problem, plan, StratifiedFolds(2))
    scout = plan_tasks(problem, plan, RandomSplits(1))
    scores = {"Poor": (0.5, 0.1), "Costly": (0.99, 100.0), "Euclid": (0.7, 0.1), "Good": (0.9, 0.1)}
    scouted = [
        Record.of_task(task, status="done", score=score, fit_seconds=seconds, predict_seconds=0.0)
        for task in scout
        if task.candidate.label in scores
        for score, seconds in [scores[task.candidate.label]]
    ]
    order = [task.candidate.label for task in promising_first(tasks, scouted, "Euclid", problem, 10.0)]
    assert order[::2] == ["Euclid", "Good", "Poor", "Costly", "Unknown"]
    assert order[1::2] == order[::2]  # both folds of one candidate before the next
    tight = [task.candidate.label for task in promising_first(tasks, scouted, "Euclid", problem, 0.25)]
    assert tight[::2] == ["Euclid", "Good", "Poor", "Costly", "Unknown"]
    # Within the error of the small split nobody is better, so the cheaper one goes first.
    for record, seconds in zip(scouted, (0.4, 0.3, 0.1, 0.2), strict=True):
        record.score, record.fit_seconds = 0.97, seconds
    even = [task.candidate.label for task in promising_first(tasks, scouted, "Euclid", problem, 10.0)]
    assert even[::2] == ["Euclid", "Good", "Costly", "Poor", "Unknown"]
