"""Runs tasks in parallel, commits each as it ends, and picks up where a killed run stopped."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from time import monotonic

from nearkin.evaluation.code_version import commit
from nearkin.evaluation.fingerprints import digest
from nearkin.evaluation.measurement import attempt
from nearkin.evaluation.progress import Progress, ProgressMeter
from nearkin.evaluation.results import DONE, NOT_RUN, TIMEOUT, Record
from nearkin.evaluation.store import ResultsStore
from nearkin.evaluation.tasks import Task
from nearkin.evaluation.workers import Worker, WorkerPool
from nearkin.numerics.threads import blas_threads


def run_tasks(
    tasks: Sequence[Task],
    *,
    store: ResultsStore | None = None,
    order: Sequence[Task] | None = None,
    description: Mapping | None = None,
    jobs: int = 1,
    deadline: float | None = None,
    task_seconds: float | None = None,
    task_memory: int | None = None,
    isolate: bool = True,
    retry: Sequence[str] = (),
    arrays: bool = True,
    stage: str = "compare",
    progress: Callable[[Progress], None] | None = None,
) -> list[Record]:
    """Run the tasks that have no result yet; return the records of all, in the order of the tasks.

    Every outcome is committed to the store as it arrives. A killed run leaves its results there, and
    the same call continues with the rest. Two processes on one file lose nothing: a task that both
    happen to run has the same result in either, and the first one counts. Results do not depend on
    `jobs`.

    Parameters
    ----------
    tasks : sequence of Task
        The run, as made by `plan_tasks`.
    store : ResultsStore, optional
        Where results go; in memory by default.
    order : sequence of Task, optional
        What to do now, and in which order; all tasks by default.
    description : mapping, optional
        JSON-ready facts about the run, kept in the store.
    jobs : int
        Worker processes; 0 means one per core. Each computes with one thread.
    deadline : float, optional
        Time of `time.monotonic()` at which to stop; unfinished tasks stay "not run".
    task_seconds, task_memory : float and int, optional
        Limits of one task in seconds and in bytes on top of the loaded data; a task that exceeds
        them is recorded as "timeout" or "memory". Memory limits are enforced on Linux.
    isolate : bool
        False runs the tasks in this process, one by one: no start-up time, but no limits either,
        and a crash ends this process.
    retry : sequence of str
        Tasks recorded with one of these failures ("error", "crash", "timeout", "memory") are tried
        once more.
    arrays : bool
        False leaves predictions and neighbours out of the records returned.
    progress : callable, optional
        Called with a `Progress` after every task, from one thread at a time.
    """
    if not isolate and (task_seconds is not None or task_memory is not None):
        raise ValueError("time and memory limits of a task need a process of its own: use isolate=True.")
    jobs = n_jobs(jobs)
    own_store = store is None
    store = ResultsStore.open() if store is None else store
    run = run_name(tasks)
    order = tasks if order is None else order
    try:
        store.register(run, tasks, description or {})
        store.free_failed([task.key for task in order], retry)
        with WorkerPool(jobs if isolate else 0, task_memory) as pool:
            do_tasks(
                order,
                store=store,
                pool=pool,
                jobs=jobs,
                deadline=deadline,
                task_seconds=task_seconds,
                stage=stage,
                progress=progress,
            )
        return store.results(run, arrays=arrays)
    finally:
        if own_store:
            store.close()


def do_tasks(
    tasks: Sequence[Task],
    *,
    store: ResultsStore,
    pool: WorkerPool,
    jobs: int = 1,
    deadline: float | None = None,
    last_start: float | None = None,
    task_seconds: float | None = None,
    stage: str = "compare",
    progress: Callable[[Progress], None] | None = None,
) -> None:
    """Run registered tasks that have no result yet, in this order; arguments as in `run_tasks`.

    No task starts after `last_start`, but one under way may go on until the deadline: stopping it would
    cost its work and a new process.
    """
    meter = ProgressMeter(tasks, jobs, stage, progress)
    _Work(tasks, store, deadline, task_seconds, meter, last_start).do(pool.workers)


def n_jobs(jobs: int) -> int:
    """Number of worker processes meant by `jobs`: 0 stands for one per core."""
    if jobs < 0:
        raise ValueError(f"jobs={jobs}: expected a number of processes, or 0 for one per core.")
    if jobs:
        return jobs
    # Cores that this process may use; in a container these may be fewer than the machine has.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_name(tasks: Sequence[Task]) -> str:
    """The name of a run in a store: the same for the same tasks."""
    return digest([task.key for task in tasks])


@cache
def versions() -> dict[str, str]:
    """Versions of the packages that results depend on, and nearkin's commit if it is run from a checkout."""
    packages = ("nearkin", "scikit-learn", "numpy", "scipy", "numba")
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "unknown"
    return found | ({"commit": checkout} if (checkout := commit()) else {})


class _Work:
    """The tasks of one call, shared by its slots: threads that each keep one worker busy."""

    def __init__(
        self, tasks, store: ResultsStore, deadline, task_seconds, meter: ProgressMeter, last_start=None
    ):
        self.store = store
        self.deadline = deadline
        self.last_start = deadline if last_start is None else last_start
        self.task_seconds = task_seconds
        self.meter = meter
        self.pending = deque(tasks)
        self.stop = threading.Event()
        self.failure: BaseException | None = None

    def do(self, workers: Sequence[Worker]) -> None:
        if workers:
            self._serve_with_workers(workers[: len(self.pending)])
        else:
            with blas_threads(n_jobs=1, openmp=True):
                self._serve(lambda task, seconds: attempt(task))
        if self.failure is not None:
            raise self.failure

    def _serve_with_workers(self, workers: Sequence[Worker]) -> None:
        threads = [threading.Thread(target=self._slot, args=(worker,), daemon=True) for worker in workers]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.5)
        finally:
            # Reached early only by an interrupt: the fits under way are stopped, and their tasks stay open.
            self.stop.set()
            for worker, thread in zip(workers, threads, strict=True):
                while thread.is_alive():
                    worker.kill()
                    thread.join(0.1)

    def _slot(self, worker: Worker) -> None:
        try:
            self._serve(worker.measure)
        except BaseException as error:
            self.failure = error
            self.stop.set()

    def _serve(self, measure_task: Callable[[Task, float | None], Record]) -> None:
        while (task := self._next()) is not None:
            started = monotonic()
            left = None if self.deadline is None else max(self.deadline - started, 0.0)
            limits = [limit for limit in (self.task_seconds, left) if limit is not None]
            record = measure_task(task, min(limits, default=None))
            cut_short = record.status == TIMEOUT and self._past(self.deadline)
            if record.status != DONE and (self.stop.is_set() or cut_short):
                continue
            record.versions = versions() | ({"code": task.code} if task.code else {})
            self.store.finish(record)
            self.meter.finished(task, record.status, monotonic() - started)

    def _next(self) -> Task | None:
        """The next task that has no result; None when nothing is left or time is up."""
        while not self.stop.is_set() and not self._past(self.last_start):
            try:
                task = self.pending.popleft()
            except IndexError:
                return None
            status = self.store.status(task.key)
            if status == NOT_RUN:
                return task
            self.meter.finished(task, status, None)
        return None

    @staticmethod
    def _past(moment: float | None) -> bool:
        return moment is not None and monotonic() >= moment
