"""Tasks: the smallest pieces of work that are run, recorded and resumed, each with a lasting key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nearkin.evaluation.code_version import code_version
from nearkin.evaluation.fingerprints import describe, digest
from nearkin.evaluation.problems import Candidate, Problem
from nearkin.evaluation.protocols import Protocol, Split

DONE = "done"
ERROR = "error"  # the estimator raised
CRASH = "crash"  # its process died
TIMEOUT = "timeout"  # it exceeded the time limit of a task
MEMORY = "memory"  # it exceeded the memory limit of a task
NOT_RUN = "not run"  # the time budget ended first
FAILURES = (ERROR, CRASH, TIMEOUT, MEMORY)


@dataclass(frozen=True, eq=False)
class Task:
    """One (dataset, candidate, fold, setting) to measure.

    `code` is the version of the code its result depends on, where that is part of its key; `identity` is the
    key without it, so that the same task draws the same numbers under any version.
    """

    key: str
    problem: Problem
    candidate: Candidate
    split: Split
    protocol: dict
    seed: int
    code: str = ""
    identity: str = ""

    @property
    def fold(self) -> str:
        return f"{self.split.repeat}.{self.split.fold}"

    @property
    def task_seed(self) -> int:
        return int((self.identity or self.key)[:12], 16)

    @property
    def tuning_seed(self) -> int:
        return int(digest([self.seed, self.split.repeat, self.split.fold])[:12], 16)


@dataclass
class Record:
    """A task and its outcome, as measured and as stored; `score` is None unless `status` is "done".

    Attributes
    ----------
    dataset, learner, fold : str
        Which problem, candidate and split (as ``repeat.fold``).
    setting, chosen : dict
        Parameters fixed for the candidate, and those tuning chose.
    tuned : bool
        Whether there was a grid to choose from; the same candidate may have records of both kinds.
    figures : dict
        What else is known of the fitted model: `sparsity`, the share of features it ignores; and for
        a candidate that scores every setting its `grid`, and `scores` and `sparsity` of each setting in
        the order of `ParameterGrid`, None where it failed.
    test_rows, predictions, neighbours : ndarray or None
        Row numbers in the data, what was predicted for them, and (test rows x 10) row numbers of
        their nearest training rows.
    """

    key: str
    dataset: str
    learner: str
    fold: str
    seed: int
    setting: dict
    status: str = NOT_RUN
    error: str | None = None
    metric: str = ""
    score: float | None = None
    validation_score: float | None = None
    fit_seconds: float | None = None
    predict_seconds: float | None = None
    tune_seconds: float | None = None
    hub_skewness: float | None = None
    n_iter: int | None = None
    objective: float | None = None
    n_train: int = 0
    n_test: int = 0
    reference: bool = False
    tuned: bool = False
    chosen: dict = field(default_factory=dict)
    figures: dict = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    protocol: dict = field(default_factory=dict)
    versions: dict = field(default_factory=dict)
    finished_at: str | None = None
    test_rows: np.ndarray | None = None
    predictions: np.ndarray | None = None
    neighbours: np.ndarray | None = None

    @property
    def repeat(self) -> int:
        """Which drawing of the folds this one belongs to."""
        return int(self.fold.partition(".")[0])

    @property
    def seconds(self) -> float:
        """What it took, tuning included."""
        return sum(part or 0.0 for part in (self.fit_seconds, self.predict_seconds, self.tune_seconds))

    @classmethod
    def of_task(cls, task: Task, **outcome: Any) -> Record:
        """The record of a task, with an outcome or still without one."""
        return cls(
            key=task.key,
            dataset=task.problem.name,
            learner=task.candidate.label,
            fold=task.fold,
            seed=task.seed,
            setting=describe(task.candidate.setting),
            metric=task.problem.metric.name,
            n_train=len(task.split.train),
            n_test=len(task.split.test),
            reference=task.candidate.reference,
            tuned=bool(task.candidate.grid),
            protocol=task.protocol,
            **outcome,
        )


def plan_tasks(
    problem: Problem,
    candidates: Iterable[Candidate],
    protocol: Protocol,
    seed: int = 0,
    *,
    untuned_too: bool = False,
    by_code: bool = False,
) -> list[Task]:
    """All tasks of a comparison, fold by fold, so that an interrupted run has compared like with like.

    Where the protocol has validation rows, each setting of a grid becomes its own task and the
    choice among them is made afterwards from the validation scores; elsewhere a task tunes itself
    inside its training rows, and `untuned_too` adds one without tuning for every candidate with a grid.

    With `by_code` the keys hold the version of the code that each candidate depends on: a run that is
    continued after a change of that code begins anew instead of mixing results of two versions.
    """
    candidates = list(candidates)
    repeated = [
        label for label, count in Counter(candidate.label for candidate in candidates).items() if count > 1
    ]
    if repeated:
        raise ValueError(f"labels must be unique, but {', '.join(repeated)} came up more than once.")
    splits: Sequence[Split] = protocol.splits(problem.y, seed)
    described, identity_of_split = protocol.describe(), protocol.identity()
    if splits and splits[0].validation is not None:
        candidates = [expanded for candidate in candidates for expanded in candidate.expand()]
    elif untuned_too:
        candidates += [candidate.untuned() for candidate in candidates if candidate.grid]
    signatures = [candidate.signature() for candidate in candidates]
    codes = [code_version(candidate.estimator) if by_code else "" for candidate in candidates]
    tasks = []
    for split in splits:
        for candidate, signature, code in zip(candidates, signatures, codes, strict=True):
            identity = [
                problem.fingerprint,
                problem.name,
                candidate.label,
                signature,
                identity_of_split,
                seed,
                f"{split.repeat}.{split.fold}",
            ]
            name = digest(identity)
            key = digest([name, code]) if code else name
            tasks.append(Task(key, problem, candidate, split, described, seed, code, name))
    return tasks
