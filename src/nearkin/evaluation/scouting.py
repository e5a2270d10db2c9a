"""A quick first look at every candidate: how long does it take, and is it any good here?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic

import numpy as np

from nearkin.evaluation.candidate import Candidate
from nearkin.evaluation.problems import CLASSIFICATION, Problem
from nearkin.evaluation.protocols import RandomSplits
from nearkin.evaluation.results import DONE, TIMEOUT, Record
from nearkin.evaluation.runner import do_tasks, run_name
from nearkin.evaluation.store import ResultsStore
from nearkin.evaluation.tasks import Task, plan_tasks

#: Rows of the first look: a third of all, but at least and at most these numbers.
SCOUT_ROWS = (400, 2_000)
#: Rows of the warm-up before it.
WARM_UP_ROWS = 60
#: Seconds that warming up one candidate may take: the time budget, but at least and at most these numbers.
WARM_UP_SECONDS = (10.0, 60.0)


def warm_up(
    candidates: Sequence[Candidate], problem: Problem, seed: int, time_budget: float, how: Mapping
) -> dict[str, float]:
    """Load and compile the candidates' code on a handful of rows, before the clock starts.

    `how` holds the arguments of `do_tasks` that say where results go and which processes run.

    Returns
    -------
    dict of str to float
        Seconds that each candidate took for a handful of rows once compiled, the faster of two runs.
    """
    if not candidates:
        return {}
    rows = rows_to_warm_up(problem)
    X, y = problem.rows(rows)
    small = Problem(problem.name, X, y, problem.task, problem.metric)
    few = RandomSplits(2, stratified=problem.task == CLASSIFICATION)
    tasks = plan_tasks(small, [candidate.untuned() for candidate in candidates], few, seed)
    least, most = WARM_UP_SECONDS
    with ResultsStore.open() as store:
        store.register(run_name(tasks), tasks, {})
        limit = min(max(time_budget, least), most)
        do_tasks(tasks, stage="warm-up", **{**how, "store": store, "task_seconds": limit})
        done = [record for record in store.results(arrays=False) if record.status == DONE]
    seconds: dict[str, float] = {}
    for record in done:
        took = (record.fit_seconds or 0.0) + (record.predict_seconds or 0.0)
        seconds[record.label] = min(took, seconds.get(record.label, took))
    return seconds


def rows_to_warm_up(problem: Problem) -> np.ndarray:
    """A handful of rows from the few largest classes: learners refuse classes of a single row."""
    n = len(problem.y)
    if problem.task != CLASSIFICATION:
        return np.arange(min(n, WARM_UP_ROWS))
    _, codes, counts = np.unique(problem.y, return_inverse=True, return_counts=True)
    found: list[np.ndarray] = []
    for code in np.argsort(-counts, kind="stable"):
        found.append(np.flatnonzero(codes == code)[: WARM_UP_ROWS // 3])
        if len(found) > 1 and sum(map(len, found)) >= WARM_UP_ROWS:
            break
    return np.sort(np.concatenate(found))


def scout(
    problem: Problem, candidates: Sequence[Candidate], seed: int, deadline: float, how: Mapping
) -> list[Record]:
    """Every candidate once, untuned, on a small split; none may use up the time of the others.

    Small data has no such look and no records: its folds are quick enough.
    """
    n, (least, most) = len(problem.y), SCOUT_ROWS
    n_rows = min(max(least, n // 3), most)
    if 3 * n_rows > n:
        return []
    split = RandomSplits(1, stratified=problem.task == CLASSIFICATION, max_rows=n_rows)
    tasks = plan_tasks(problem, [candidate.untuned() for candidate in candidates], split, seed)
    how["store"].register(run_name(tasks), tasks, {"kind": "scout", "dataset": problem.name})
    return look_at(tasks, deadline, how)


def look_at(tasks: Sequence[Task], deadline: float, how: Mapping) -> list[Record]:
    """Run these registered tasks, which come quickest first, and return their records.

    The first ones, one per process, have no time limit of their own. None of the others may take longer than
    twice its share of the time, or four times as long as the first: on a busy machine all take longer.
    """
    store, keys, jobs = how["store"], [task.key for task in tasks], how["jobs"]
    started = monotonic()
    do_tasks(tasks[:jobs], stage="scout", deadline=deadline, **how)
    share = max(0.0, deadline - monotonic()) * jobs / max(1, len(tasks) - jobs)
    limit = max(2 * share, 4 * (monotonic() - started))
    do_tasks(tasks[jobs:], stage="scout", deadline=deadline, **{**how, "task_seconds": limit})
    found = {record.key: record for record in store.results(arrays=False)}
    # What is too slow for a first look may still have time later.
    store.free_failed(keys, (TIMEOUT,))
    return [found[key] for key in keys]
