"""Tasks of a comparison run on a Dask cluster; the caller still commits their records one by one.

Each thread of a Dask worker has its own process (`evaluation.workers.Worker`), as in a comparison on one
machine: one thread, limits of time and memory, and a crash that only affects one record. Records therefore do
not depend on where they were made. If a worker is lost, its processes end with it and Dask runs their tasks
elsewhere.
"""

from __future__ import annotations

import threading
import warnings
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache
from time import monotonic

import cloudpickle

from nearkin.evaluation.problems import Problem
from nearkin.evaluation.results import CRASH, TIMEOUT, Record
from nearkin.evaluation.runner import versions
from nearkin.evaluation.tasks import Task
from nearkin.evaluation.workers import Worker

NO_WORKERS = "the cluster has no workers left; finished tasks are kept, and the same call does the rest."


class ClusterError(ConnectionError):
    """The cluster cannot be reached or has no workers left."""


@dataclass(frozen=True)
class ClusterPolicy:
    """How long to wait for a cluster.

    Attributes
    ----------
    connect_seconds : float
        Limit for connecting to the scheduler, and for a first worker to appear.
    look_seconds : float
        Time between checks whether there still are workers.
    empty_seconds : float
        Time without any worker after which the comparison ends with what it has.
    grace_seconds : float
        Time allowed for a task beyond its own limit, which its worker enforces, for queues and transfers.
    most_attempts : int
        How often a task is submitted that fails because of the cluster.
    """

    connect_seconds: float = 30.0
    look_seconds: float = 2.0
    empty_seconds: float = 60.0
    grace_seconds: float = 60.0
    most_attempts: int = 5


def workers_at(scheduler):
    """The pool of a cluster as a context; a null context if there is no cluster."""
    return nullcontext() if scheduler is None else ClusterPool(scheduler)


class ClusterPool:
    """Workers of a Dask cluster, used like an `evaluation.WorkerPool`.

    Parameters
    ----------
    scheduler : str, Client or cluster
        Address such as ``tcp://host:8786``, or an existing client or cluster of `distributed`.
    memory_bytes : int, optional
        Memory limit of a task beyond its data.
    policy : ClusterPolicy, optional

    Attributes
    ----------
    workers : list
        One for each thread that the cluster has now; each runs one task at a time.
    """

    def __init__(self, scheduler, memory_bytes: int | None = None, policy: ClusterPolicy | None = None):
        self.policy = policy or ClusterPolicy()
        self.memory_bytes = memory_bytes
        self.client, self._own = _connected(scheduler, self.policy.connect_seconds)
        threads = self.client.nthreads()
        if not threads:
            self.__exit__()
            raise ClusterError(f"the cluster at {self.client.scheduler.address} has no workers yet.")
        _warn_of_other_versions(self.client)
        self._problems: dict[str, object] = {}
        self._lock = threading.Lock()
        self.workers = [ClusterWorker(self) for _ in range(sum(threads.values()))]

    def problem(self, problem: Problem, resend: bool = False):
        """The problem as a future held by every worker, so that data are sent once, not with each task."""
        with self._lock:
            if resend or problem.fingerprint not in self._problems:
                packed = cloudpickle.dumps(problem)
                self._problems[problem.fingerprint] = self._sent(packed)
            return self._problems[problem.fingerprint]

    def _sent(self, packed: bytes):
        try:
            return self.client.scatter(packed, broadcast=True, hash=False, timeout=self.policy.empty_seconds)
        except TimeoutError as error:
            raise ClusterError(NO_WORKERS) from error

    def __enter__(self) -> ClusterPool:
        return self

    def __exit__(self, *_) -> None:
        if self._own:
            self.client.close()


class ClusterWorker:
    """Runs one task at a time somewhere on the cluster."""

    def __init__(self, pool: ClusterPool):
        self._pool = pool
        self._future = None

    def measure(self, task: Task, seconds: float | None = None) -> Record:
        """Run one task, stopped after this many seconds; submitted again if the cluster lost it."""
        policy, resend = self._pool.policy, False
        failure = ""
        for _ in range(policy.most_attempts):
            problem = self._pool.problem(task.problem, resend)
            self._future = self._pool.client.submit(
                measured_here,
                problem,
                task.problem.fingerprint,
                cloudpickle.dumps(replace(task, problem=None)),  # type: ignore[arg-type]
                seconds,
                self._pool.memory_bytes,
                pure=False,
                retries=policy.most_attempts,
            )
            try:
                return self._waited(task, seconds)
            except ClusterError:
                raise
            except Exception as error:
                # The worker that held the data may have been lost with the task: send both again.
                failure, resend = repr(error), True
        return Record.of_task(task, status=CRASH, error=f"the cluster lost it each time: {failure}")

    def _waited(self, task: Task, seconds: float | None) -> Record:
        policy, client = self._pool.policy, self._pool.client
        started = seen = monotonic()
        while True:
            try:
                return self._future.result(timeout=policy.look_seconds)  # type: ignore[attr-defined]
            except TimeoutError:
                now = monotonic()
                if client.status == "running" and client.scheduler_info(n_workers=-1)["workers"]:
                    seen = now
                if now - seen > policy.empty_seconds:
                    raise ClusterError(NO_WORKERS) from None
                if seconds is not None and now - started > seconds + policy.grace_seconds:
                    self.kill()
                    error = f"stopped after {seconds:.3g} s, the limit for one task."
                    return Record.of_task(task, status=TIMEOUT, error=error)

    def kill(self) -> None:
        """Cancel the running task."""
        if self._future is not None:
            self._future.cancel(force=True)


_thread = threading.local()


def measured_here(
    problem: bytes, fingerprint: str, task: bytes, seconds: float | None, memory: int | None
) -> Record:
    """Measure a task in the process that belongs to this thread of a Dask worker."""
    worker = getattr(_thread, "worker", None)
    if worker is None:
        worker = _thread.worker = Worker(memory)
    worker.memory_bytes = memory
    return worker.measure(
        replace(cloudpickle.loads(task), problem=_unpacked(_Packed(fingerprint, problem))), seconds
    )


@dataclass(frozen=True)
class _Packed:
    """A pickled problem, compared by its fingerprint."""

    fingerprint: str
    content: bytes

    def __eq__(self, other) -> bool:
        return isinstance(other, _Packed) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)


@cache
def _unpacked(packed: _Packed) -> Problem:
    return cloudpickle.loads(packed.content)


def _connected(scheduler, seconds: float):
    """A client, and whether it was created here and must be closed."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError("a cluster needs Dask: pip install 'nearkin[scale]'.") from error
    if isinstance(scheduler, Client):
        return scheduler, False
    try:
        # Not the default client, so that the caller's own collections do not use it.
        client = Client(scheduler, timeout=seconds, set_as_default=False)
        if not client.nthreads():
            client.wait_for_workers(1, timeout=seconds)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(f"no Dask scheduler with workers at {scheduler}: {error}") from error
    return client, True


def _warn_of_other_versions(client) -> None:
    here = versions()
    for address, there in client.run(versions).items():
        other = [
            f"{name} {there.get(name)} instead of {here[name]}"
            for name in here
            if there.get(name) != here[name]
        ]
        if other:
            warnings.warn(
                f"the worker {address} has {', '.join(other)}: its results may differ from local ones.",
                stacklevel=4,
            )
