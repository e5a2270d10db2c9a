"""Runs tasks."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from threadpoolctl import threadpool_limits

from nearkin.evaluation.measurement import measure
from nearkin.evaluation.tasks import DONE, ERROR, NOT_RUN, Record, Task


@dataclass(frozen=True)
class Progress:
    """How far a run is: handed to the progress callback after every task."""

    stage: str
    done: int
    total: int
    elapsed: float
    remaining: float | None
    last: str


def run_tasks(
    tasks: Sequence[Task],
    *,
    store=None,
    jobs: int = 1,
    deadline: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    stage: str = "compare",
) -> list[Record]:
    """Run tasks one after another in this process; records come in the order of the tasks."""
    records = []
    started = monotonic()
    for position, task in enumerate(tasks, 1):
        if deadline is not None and monotonic() > deadline:
            records.append(Record.of_task(task, status=NOT_RUN))
            continue
        records.append(_run_here(task))
        if progress is not None:
            elapsed = monotonic() - started
            last = f"{task.candidate.label} fold {task.split.name}"
            remaining = elapsed / position * (len(tasks) - position)
            progress(Progress(stage, position, len(tasks), elapsed, remaining, last))
    return records


def _run_here(task: Task) -> Record:
    try:
        with threadpool_limits(1):
            found = measure(
                task.problem,
                task.candidate,
                task.split,
                task_seed=task.task_seed,
                tuning_seed=task.tuning_seed,
            )
    except Exception:
        return Record.of_task(task, status=ERROR, error=traceback.format_exc())
    return Record.of_task(task, status=DONE, test_rows=task.split.test, **vars(found))
