"""What to do first when time may run out, and how long it will take."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from nearkin.evaluation.comparison import Comparison
from nearkin.evaluation.problems import Problem
from nearkin.evaluation.results import DONE, NOT_RUN, Record
from nearkin.evaluation.tasks import Task

#: A reference model whose folds take no longer than this together does not have to wait its turn.
FREE_SECONDS = 1.0


@dataclass(frozen=True)
class Shares:
    """Shares of a time budget at which the stages of a comparison end; the rest is for repeats."""

    scout: float = 0.15
    first_folds: float = 0.6
    untuned: float = 0.7
    tuned: float = 0.85
    rest: float = 0.95  # of the untuned folds, as far as they fit in
    grace: float = 0.1  # for what is under way at the end of a stage
    sure_of_a_fold: int = 6  # of the quickest candidates, however long that takes


def in_order_of_worth(
    tasks: Sequence[Task], looked_at: Sequence[Record], baseline: str, problem: Problem, seconds: float
) -> tuple[list[Task], list[Task]]:
    """Tasks in the order in which they are worth doing if time may run out, and those that will not fit in.

    The baseline comes first, then the promising candidates, cheapest first, then the others, best first, one
    candidate after the other as long as they are expected to fit into the time. Those that do not fit take
    turns, fold by fold, the cheapest first.

    Parameters
    ----------
    tasks : sequence of Task
        Folds that have no result yet.
    looked_at : sequence of Record
        The first fold of every candidate, done or not.
    baseline : str
    problem : Problem
    seconds : float
        Seconds of work that there is time for.
    """
    by_label: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        by_label[task.candidate.label].append(task)
    found = {record.label: record for record in looked_at if record.status == DONE}
    costs = {
        label: len(own) * found[label].seconds if label in found else math.inf
        for label, own in by_label.items()
    }
    promising = _promising(list(found.values()), problem)

    def priority(label: str) -> tuple:
        if label == baseline:
            return (0, 0.0)
        if by_label[label][0].candidate.reference and costs[label] <= FREE_SECONDS:
            return (0, 1.0)
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
    in_turn = zip_longest(*(by_label[label] for label in others))
    return (
        [task for label in affordable for task in by_label[label]],
        [task for turn in in_turn for task in turn if task is not None],
    )


def places_in_line(scouted: Sequence[Record], at_warm_up: Mapping[str, float]) -> dict[str, float]:
    """Sort keys for the order of candidates: the seconds that each took for the first look.

    Candidates without a look keep the seconds of the warm-up; those that were too slow or failed come last.
    """
    looks = {r.label: r.seconds if r.status == DONE else math.inf for r in scouted if r.status != NOT_RUN}
    return {**at_warm_up, **looks}


def _promising(looked_at: Sequence[Record], problem: Problem) -> set[str]:
    """Candidates whose first score cannot be told apart from the best one, given how small a fold is."""
    if not looked_at:
        return set()
    scores = {record.label: problem.metric.better(record.score or 0.0) for record in looked_at}
    best = max(scores.values())
    if problem.metric.percent:
        # Two standard errors of a share after Agresti and Coull, so that a perfect score has one too.
        n = looked_at[0].n_test + 4
        share = (best * looked_at[0].n_test + 2) / n
        tolerance = 2 * math.sqrt(share * (1 - share) / n)
    else:
        tolerance = 0.1 * abs(best)
    return {label for label, score in scores.items() if score >= best - tolerance}


def seconds_to_tune(tasks: Mapping[str, Sequence[Task]], records: Sequence[Record]) -> dict[str, float]:
    """Seconds for the tuned folds of each candidate that has an untuned fold among the records.

    A tuned fold takes a fit and a score per setting and inner fold.
    """
    untuned = {record.label: record for record in records if record.status == DONE and not record.tuned}
    costs = {}
    for label, own in tasks.items():
        if label not in untuned:
            continue
        candidate, record = own[0].candidate, untuned[label]
        fit, predict = record.fit_seconds or 0.0, record.predict_seconds or 0.0
        folds = candidate.inner_folds
        inner_share, inner_test = (folds - 1) / folds, record.n_train / folds
        inner = candidate.n_fits * fit + candidate.n_settings * predict * inner_test / record.n_test
        costs[label] = len(own) * (fit + predict + folds * inner_share * inner)
    return costs


def in_reach(comparison: Comparison) -> set[str]:
    """Candidates whose mean lies within two standard errors of the best one's."""
    rows = [row for row in comparison.finished if not row.reference and row.interval is not None]
    if not rows:
        return set()
    better = comparison.metric.better
    best = max(rows, key=lambda row: better(row.mean or 0.0))
    low, high = best.interval or (0.0, 0.0)
    return {
        row.label for row in rows if better(row.mean or 0.0) >= better(best.mean or 0.0) - (high - low) / 2
    }
