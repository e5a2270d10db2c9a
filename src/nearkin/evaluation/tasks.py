"""Tasks: the smallest pieces of work that are run, recorded and resumed, each with a lasting key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nearkin.evaluation.candidate import Candidate
from nearkin.evaluation.code_version import code_version
from nearkin.evaluation.fingerprints import describe, digest
from nearkin.evaluation.problems import Problem
from nearkin.evaluation.protocols import Protocol, Split


@dataclass(frozen=True, eq=False)
class Task:
    """One (dataset, candidate, fold, setting) to measure.

    `code` is the version of the code its result depends on, where that is part of its key; `identity` is the
    key without it, so that the same task draws the same numbers under any version. `protocol` and `setting`
    are described in plain values, as records keep them.
    """

    key: str
    problem: Problem
    candidate: Candidate
    split: Split
    protocol: dict
    setting: dict
    seed: int
    code: str = ""
    identity: str = ""

    @property
    def task_seed(self) -> int:
        return int((self.identity or self.key)[:12], 16)

    @property
    def tuning_seed(self) -> int:
        return int(digest([self.seed, self.split.repeat, self.split.fold])[:12], 16)


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
    continued after that code has changed starts over instead of mixing results of two versions.
    """
    candidates = list(candidates)
    repeated = [
        label for label, count in Counter(candidate.label for candidate in candidates).items() if count > 1
    ]
    if repeated:
        raise ValueError(f"labels must be unique, but {', '.join(repeated)} came up more than once.")
    splits: Sequence[Split] = protocol.splits(problem.y, seed)
    described, identity_of_split = describe(protocol.describe()), describe(protocol.identity())
    if splits and splits[0].validation is not None:
        candidates = [expanded for candidate in candidates for expanded in candidate.expand()]
    elif untuned_too:
        candidates += [candidate.untuned() for candidate in candidates if candidate.grid]
    signatures = [describe(candidate.parts()) for candidate in candidates]
    settings = [describe(candidate.setting) for candidate in candidates]
    codes = [code_version(candidate.estimator) if by_code else "" for candidate in candidates]
    tasks = []
    for split in splits:
        for candidate, signature, setting, code in zip(candidates, signatures, settings, codes, strict=True):
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
            tasks.append(Task(key, problem, candidate, split, described, setting, seed, code, name))
    return tasks
