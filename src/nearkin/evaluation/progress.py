"""How far a stage of a run has got, and how long the rest will take."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from nearkin.evaluation.results import renamed
from nearkin.evaluation.tasks import Task


@dataclass(frozen=True)
class Progress:
    """State of one stage of a run after a task; times in seconds.

    Attributes
    ----------
    stage : str
        "warm-up", "scout", "compare", "tune" or "repeat"; "reproduce" for a paper's experiment.
    done, total : int
        Tasks of the stage with an outcome (failures count, and so do results found in the store), and
        all of its tasks.
    elapsed : float
        Since the stage began.
    remaining : float or None
        Estimated from how long each candidate has taken so far; None before anything is known.
    label, fold, status : str
        The task that has just ended.
    """

    stage: str
    done: int
    total: int
    elapsed: float
    remaining: float | None
    label: str
    fold: str
    status: str

    learner = renamed("learner", "label")


class ProgressMeter:
    """Counts outcomes and calls a callback; safe to use from several threads."""

    def __init__(
        self, tasks: Sequence[Task], jobs: int, stage: str, callback: Callable[[Progress], None] | None
    ):
        self._left = Counter(task.candidate.label for task in tasks)
        self._total = len(tasks)
        self._jobs = max(jobs, 1)
        self._stage = stage
        self._callback = callback
        self._seconds: dict[str, list[float]] = defaultdict(list)
        self._started = monotonic()
        self._lock = threading.Lock()

    def finished(self, task: Task, status: str, seconds: float | None) -> None:
        """Count a task; `seconds` is None where its result was found in the store."""
        with self._lock:
            self._left[task.candidate.label] -= 1
            if seconds is not None:
                self._seconds[task.candidate.label].append(seconds)
            if self._callback is None:
                return
            self._callback(
                Progress(
                    stage=self._stage,
                    done=self._total - self._left.total(),
                    total=self._total,
                    elapsed=monotonic() - self._started,
                    remaining=self._remaining(),
                    label=task.candidate.label,
                    fold=f"{task.split.repeat}.{task.split.fold}",
                    status=status,
                )
            )

    def _remaining(self) -> float | None:
        if not self._seconds:
            return None
        means = {label: sum(seconds) / len(seconds) for label, seconds in self._seconds.items()}
        # A candidate without a time yet is assumed to take as long as the average of the others.
        typical = sum(means.values()) / len(means)
        return sum(count * means.get(label, typical) for label, count in self._left.items()) / self._jobs
