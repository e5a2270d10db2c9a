"""Successive halving over the settings of a grid: all on the first fold, the best of them on more."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nearkin.evaluation.metrics import Metric
from nearkin.evaluation.results import DONE, Record
from nearkin.evaluation.tasks import Task


@dataclass(frozen=True)
class Halving:
    """How many settings of a method survive from one group of folds to the next.

    After as many folds as `after` says, the share `keep` of the settings with the best mean validation score
    so far survives, but at least `at_least` of them. Only those that reach the last fold can be chosen.
    """

    keep: float = 1 / 3
    at_least: int = 3
    after: tuple[int, ...] = (1, 2, 4, 6)

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
    """Run tasks some folds at a time, leaving out settings that fell behind; records of what was run.

    Parameters
    ----------
    tasks : sequence of Task
        Of any number of problems, with validation rows; each setting is a candidate of its own.
    do : callable
        Runs tasks and returns their records; it may also return those of earlier calls.
    """
    folds = sorted({(task.split.repeat, task.split.fold) for task in tasks})
    group_of = {fold: bisect_right(rule.after, position) for position, fold in enumerate(folds)}
    groups: dict[int, list[Task]] = defaultdict(list)
    for task in tasks:
        groups[group_of[task.split.repeat, task.split.fold]].append(task)
    of_key = {task.key: task for task in tasks}
    records: dict[str, Record] = {}
    alive: set[tuple] = {_setting(task) for task in tasks}
    for group in sorted(groups):
        chosen = [task for task in groups[group] if _setting(task) in alive]
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
