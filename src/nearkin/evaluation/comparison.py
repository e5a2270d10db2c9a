"""The main question: which candidate is best on this data, and is it really better than the baseline?"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any

from nearkin.evaluation.measurement import INNER_FOLDS
from nearkin.evaluation.problems import CLASSIFICATION, Candidate, Problem
from nearkin.evaluation.progress import Progress
from nearkin.evaluation.protocols import Folds, Protocol, RandomSplits, StratifiedFolds
from nearkin.evaluation.runner import n_jobs, run_name, run_tasks
from nearkin.evaluation.store import ResultsStore
from nearkin.evaluation.summary import Comparison, summarise
from nearkin.evaluation.tasks import DONE, FAILURES, TIMEOUT, Record, Task, plan_tasks

#: Rows of the quick first look.
SCOUT_ROWS = 2_000
#: Rows of the warm-up before it.
WARM_UP_ROWS = 60
#: At most this share of a time budget goes into the first look.
SCOUT_SHARE = 0.3


def default_protocol(task: str) -> Protocol:
    """10-fold cross-validation, stratified for labels."""
    return StratifiedFolds(10) if task == CLASSIFICATION else Folds(10)


def compare(
    X,
    y,
    candidates: Sequence[Candidate],
    protocol: Protocol | None = None,
    *,
    baseline: str = "Euclid",
    name: str = "data",
    task: str = "auto",
    store: ResultsStore | None = None,
    jobs: int = 1,
    time_budget: float | None = None,
    task_seconds: float | None = None,
    task_memory: int | None = None,
    isolate: bool = True,
    retry_failed: bool = False,
    seed: int = 0,
    description: Mapping | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Comparison:
    """Compare candidates on one data set, honestly: same folds, tuning inside the training rows only.

    Under a time budget every candidate is first tried once, untuned, on a small split. Then the
    baseline and the promising candidates are cross-validated, the cheap ones first, and the others
    while time is left. What is not finished in time is marked "not run (time budget)"; what is
    finished is kept in the store, and the same call continues from there.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n, d)
    y : array of labels, or of one or several numeric targets
    candidates : sequence of Candidate
        One of them labelled as the baseline.
    protocol : Protocol, optional
        By default 10-fold cross-validation, stratified for labels.
    baseline : str
        Label of the candidate the others are tested against.
    name : str
        Name of the data, for the records.
    task : {"auto", "classification", "regression"}
        Accuracy or aRRMSE is the score.
    store : ResultsStore, optional
        Where results are kept; in memory by default.
    jobs : int
        Worker processes; 0 means one per core. Results do not depend on it.
    time_budget : float, optional
        Seconds for everything.
    task_seconds, task_memory, isolate, progress
        As in `run_tasks`.
    retry_failed : bool
        Try tasks recorded as failed in the store once more.
    seed : int
        Decides the folds and everything random; the same seed gives the same results.
    description : mapping, optional
        JSON-ready facts about the run, kept in the store.

    Returns
    -------
    Comparison
        Best candidate first; `statement` says in plain words whether anything beats the baseline.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> candidates = [
    ...     Candidate("Euclid", KNeighborsClassifier(5)),
    ...     Candidate("Manhattan", KNeighborsClassifier(5, metric="manhattan")),
    ... ]
    >>> result = compare(X, y, candidates, StratifiedFolds(5), isolate=False)
    >>> result.winner
    'Euclid'
    >>> result.statement
    'Nothing beats Euclid.'
    """
    started = monotonic()
    jobs = n_jobs(jobs)
    candidates = list(candidates)
    if baseline not in [candidate.label for candidate in candidates]:
        labels = ", ".join(candidate.label for candidate in candidates)
        raise ValueError(f"the baseline {baseline!r} is not among the candidates: {labels}.")
    problem = Problem(name, X, y, task)
    protocol = default_protocol(problem.task) if protocol is None else protocol
    tasks = plan_tasks(problem, candidates, protocol, seed)
    store = ResultsStore.open() if store is None else store
    how: dict[str, Any] = {
        "store": store,
        "jobs": jobs,
        "isolate": isolate,
        "progress": progress,
        "arrays": False,
    }
    order, scouted, deadline = list(tasks), [], None
    if time_budget is not None:
        deadline = started + time_budget
        scouted = _scout(problem, candidates, seed, started + SCOUT_SHARE * time_budget, how)
        order = _promising_first(tasks, scouted, baseline, problem, (deadline - monotonic()) * jobs)
    records = run_tasks(
        tasks,
        order=order,
        deadline=deadline,
        task_seconds=task_seconds,
        task_memory=task_memory,
        retry=FAILURES if retry_failed else (),
        description={"kind": "compare", "baseline": baseline, "dataset": name, **(description or {})},
        **how,
    )
    return summarise(records, baseline, scouted, run=run_name(tasks))


def _scout(problem, candidates, seed: int, deadline: float, how: Mapping) -> list[Record]:
    """Every candidate once, untuned, on a small split; none may use up the time of the others."""
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


def _promising_first(
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
