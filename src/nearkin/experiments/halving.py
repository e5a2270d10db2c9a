"""Successive halving over the settings of a grid: all on a few folds, the best of them on more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nearkin.evaluation.metrics import Metric
from nearkin.evaluation.results import DONE, Record
from nearkin.evaluation.tasks import Task


@dataclass(frozen=True)
class Halving:
    """How many settings of a method survive from one repeat of the folds to the next.

    After every repeat the share `keep` of the settings with the best mean validation score so far survives,
    but at least `at_least` of them. Only those that reach the last repeat can be chosen.
    """

    keep: float = 1 / 3
    at_least: int = 3

    def survivors(self, validation: dict[str, float]) -> set[str]:
        """The settings that survive, by their mean validation scores (greater is better).

        >>> sorted(Halving(0.5, 1).survivors({"a": 0.7, "b": 0.9, "c": 0.8, "d": 0.6}))
        ['b', 'c']
        """
        count = max(self.at_least, int(np.ceil(self.keep * len(validation))))
        return set(sorted(validation, key=lambda name: -validation[name])[:count])


def run_halving(
    tasks: Sequence[Task], rule: Halving, do: Callable[[Sequence[Task]], Iterable[Record]]
) -> list[Record]:
    """Run tasks repeat by repeat, leaving out settings that fell behind; records of what was run.

    Parameters
    ----------
    tasks : sequence of Task
        Of any number of problems, with validation rows; each setting is a candidate of its own.
    do : callable
        Runs tasks and returns their records; it may also return those of earlier calls.
    """
    open_tasks: dict[int, list[Task]] = defaultdict(list)
    for task in tasks:
        open_tasks[task.split.repeat].append(task)
    of_key = {task.key: task for task in tasks}
    records: dict[str, Record] = {}
    alive: set[tuple] = {_setting(task) for task in tasks}
    for repeat in sorted(open_tasks):
        chosen = [task for task in open_tasks[repeat] if _setting(task) in alive]
        records |= {record.key: record for record in do(chosen)}
        alive = _best(rule, alive, [(of_key[key], record) for key, record in records.items()])
    return [records[task.key] for task in tasks if task.key in records]


def _setting(task: Task) -> tuple[str, str, str]:
    """Which problem, method and setting a task belongs to."""
    return task.problem.name, task.candidate.label, repr(sorted(task.candidate.setting.items()))


def _best(rule: Halving, alive: set[tuple], measured: Iterable[tuple[Task, Record]]) -> set[tuple]:
    scores: dict[tuple, list[float]] = defaultdict(list)
    for task, record in measured:
        if _setting(task) in alive:
            scores[_setting(task)].append(_validation(record, task.problem.metric))
    rivals: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for (problem, label, setting), own in scores.items():
        rivals[problem, label][setting] = float(np.mean(own))
    return {
        (problem, label, setting)
        for (problem, label), own in rivals.items()
        for setting in rule.survivors(own)
    }


def _validation(record: Record, metric: Metric) -> float:
    if record.status != DONE or record.validation_score is None:
        return -np.inf
    return metric.better(record.validation_score)
