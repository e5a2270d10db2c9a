"""The main question: which candidate is best on this data, and is it really better than the baseline?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from nearkin.evaluation.problems import CLASSIFICATION, Candidate, Problem
from nearkin.evaluation.progress import Progress
from nearkin.evaluation.protocols import Folds, Protocol, StratifiedFolds
from nearkin.evaluation.runner import run_tasks
from nearkin.evaluation.summary import Comparison, summarise
from nearkin.evaluation.tasks import plan_tasks


def compare(
    X,
    y,
    candidates: Sequence[Candidate],
    protocol: Protocol | None = None,
    *,
    baseline: str = "Euclid",
    name: str = "data",
    task: str = "auto",
    store=None,
    jobs: int = 1,
    time_budget: float | None = None,
    seed: int = 0,
    progress: Callable[[Progress], None] | None = None,
) -> Comparison:
    """Compare candidates on one data set.

    Parameters
    ----------
    X, y : features and targets
    candidates : sequence of Candidate
        One of them labelled as the baseline.
    protocol : Protocol, optional
        By default 10-fold cross-validation, stratified for labels.
    time_budget : float, optional
        Seconds. What is finished by then counts; the rest is marked "not run (time budget)".
    """
    problem = Problem(name, X, y, task)
    if protocol is None:
        protocol = StratifiedFolds(10) if problem.task == CLASSIFICATION else Folds(10)
    deadline = None if time_budget is None else monotonic() + time_budget
    tasks = plan_tasks(problem, candidates, protocol, seed)
    records = run_tasks(tasks, store=store, jobs=jobs, deadline=deadline, progress=progress)
    return summarise(records, baseline)
