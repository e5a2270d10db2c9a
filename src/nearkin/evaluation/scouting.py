"""What to do first when time may run out: a quick look at every candidate, then the promising ones."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from time import monotonic

from nearkin.evaluation.measurement import INNER_FOLDS
from nearkin.evaluation.problems import CLASSIFICATION, Candidate, Problem
from nearkin.evaluation.protocols import RandomSplits
from nearkin.evaluation.runner import run_tasks
from nearkin.evaluation.store import ResultsStore
from nearkin.evaluation.tasks import DONE, TIMEOUT, Record, Task, plan_tasks

#: Rows of the quick first look.
SCOUT_ROWS = 2_000
#: Rows of the warm-up before it.
WARM_UP_ROWS = 60
#: At most this share of a time budget goes into the first look.
SCOUT_SHARE = 0.3


def scout(
    problem: Problem, candidates: Sequence[Candidate], seed: int, deadline: float, how: Mapping
) -> list[Record]:
    """Every candidate once, untuned, on a small split; none may use up the time of the others.

    `how` holds the arguments of `run_tasks` that say where and by how many processes.
    """
    untuned = [candidate.untuned() for candidate in candidates]
    stratified = problem.task == CLASSIFICATION
    # Code compiled on first use is compiled here, on a handful of rows, and not while time is taken.
    few = RandomSplits(1, stratified=stratified, max_rows=WARM_UP_ROWS)
    warm_up = plan_tasks(problem, untuned, few, seed)
    run_tasks(warm_up, deadline=deadline, stage="warm-up", **{**how, "store": ResultsStore.open()})
    split = RandomSplits(1, stratified=stratified, max_rows=SCOUT_ROWS)
    tasks = plan_tasks(problem, untuned, split, seed)
    share = 2 * (deadline - monotonic()) * how["jobs"] / len(tasks)
    return run_tasks(
        tasks,
        deadline=deadline,
        task_seconds=max(share, 0.0) if how["isolate"] else None,
        # Too slow for this budget is not too slow for the next one.
        retry=(TIMEOUT,),
        stage="scout",
        description={"kind": "scout", "dataset": problem.name},
        **how,
    )


def promising_first(
    tasks: Sequence[Task], scouted: Sequence[Record], baseline: str, problem: Problem, seconds: float
) -> list[Task]:
    """Tasks in the order in which they are worth doing if time may run out, candidate by candidate.

    The baseline comes first; then the promising candidates, cheapest first, and the others, best
    first, as long as they are expected to fit into the time; then those that are not.
    """
    by_label: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        by_label[task.candidate.label].append(task)
    found = {record.learner: record for record in scouted if record.status == DONE}
    costs = {
        label: _expected_seconds(own, found[label]) if label in found else math.inf
        for label, own in by_label.items()
    }
    promising = _promising(list(found.values()), problem)

    def priority(label: str) -> tuple:
        if label == baseline:
            return (0, 0.0)
        if label in promising:
            return (1, costs[label])
        return (2, -problem.metric.better(found[label].score or 0.0)) if label in found else (3, 0.0)

    affordable, others = [], []
    for label in sorted(by_label, key=priority):
        if label == baseline or costs[label] <= seconds:
            affordable.append(label)
            seconds -= costs[label]
        else:
            others.append(label)
    others.sort(key=lambda label: costs[label])
    return [task for label in affordable + others for task in by_label[label]]


def _promising(scouted: Sequence[Record], problem: Problem) -> set[str]:
    """Candidates whose scout score cannot be told from the best one: the split is small."""
    if not scouted:
        return set()
    scores = {record.learner: problem.metric.better(record.score or 0.0) for record in scouted}
    best = max(scores.values())
    if problem.task == CLASSIFICATION:
        # Two standard errors of a share, drawn to the middle so that a perfect score has one too.
        n = scouted[0].n_test + 4
        share = (best * scouted[0].n_test + 2) / n
        tolerance = 2 * math.sqrt(share * (1 - share) / n)
    else:
        tolerance = 0.1 * abs(best)
    return {label for label, score in scores.items() if score >= best - tolerance}


def _expected_seconds(tasks: Sequence[Task], scouted: Record) -> float:
    """Cost of a candidate's folds from its time on the small split, taken to grow as n squared."""
    seconds = 0.0
    for task in tasks:
        growth = (len(task.split.train) / scouted.n_train) ** 2
        n_fits = 1 + (INNER_FOLDS * task.candidate.n_fits if task.candidate.n_settings > 1 else 0)
        seconds += growth * n_fits * ((scouted.fit_seconds or 0.0) + (scouted.predict_seconds or 0.0))
    return seconds
