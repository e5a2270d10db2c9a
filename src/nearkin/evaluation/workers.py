"""Processes that measure tasks and can be stopped at any moment without harm to the rest."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import threading
import traceback
from contextlib import suppress
from dataclasses import replace
from typing import IO

import cloudpickle

from nearkin.evaluation.problems import Problem
from nearkin.evaluation.results import CRASH, ERROR, MEMORY, TIMEOUT, Record
from nearkin.evaluation.tasks import Task

# One thread per worker: with several workers more threads only get in each other's way, and sums
# in a fixed order make results independent of the number of workers.
_ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "BLIS_NUM_THREADS"),
    "1",
)
_MEMORY_SIGNS = ("bad_alloc", "MemoryError", "Cannot allocate memory", "Memory allocation still failed")
_LOG_LENGTH = 2_000


class Worker:
    """A process of its own for one task at a time.

    The process is started when first needed, dies with this process, and is replaced after a task
    that had to be stopped.
    """

    def __init__(self, memory_bytes: int | None = None):
        self.memory_bytes = memory_bytes
        self._process: subprocess.Popen | None = None
        # What the process prints, for the post mortem; deleted by the system when closed.
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        self._holds: str | None = None

    def measure(self, task: Task, seconds: float | None = None) -> Record:
        """Run one task, stopped after so many seconds (the start of the process not counted)."""
        try:
            # By value where necessary, so that estimators defined in a script or notebook work too.
            without_data = cloudpickle.dumps(replace(task, problem=None))  # type: ignore[arg-type]
        except Exception:
            error = f"cannot be sent to a worker process:\n{traceback.format_exc()}"
            return Record.of_task(task, status=ERROR, error=error)
        reply, timer, expired = None, None, threading.Event()
        try:
            process = self._started_process()
            if seconds is not None:

                def stop():
                    expired.set()
                    process.kill()

                timer = threading.Timer(seconds, stop)
                timer.start()
            self._send(process, task.problem, without_data)
            reply = _read(process)
        except (EOFError, OSError, pickle.UnpicklingError):
            pass  # the process died: the post mortem says how
        finally:
            if timer is not None:
                timer.cancel()
                timer.join()
        if reply is not None and not expired.is_set():
            return reply
        if reply is None:
            status, error = self._post_mortem(expired.is_set(), seconds)
            reply = Record.of_task(task, status=status, error=error)
        self.stop()
        return reply

    def kill(self) -> None:
        """Kill the process, from any thread; the task under way ends as a crash."""
        process = self._process
        if process is not None:
            process.kill()

    def stop(self) -> None:
        """End the process and wait for it; the next task gets a new one."""
        process, self._process, self._holds = self._process, None, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]

    def _started_process(self) -> subprocess.Popen:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.stop()
        search_path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        self._log.seek(0)
        self._log.truncate()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "nearkin.evaluation.worker_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, **_ONE_THREAD, "PYTHONPATH": search_path},
            start_new_session=True,  # out of reach of Ctrl-C, which must not look like a crash
        )
        _read(self._process)  # it says when its imports are done
        return self._process

    def _send(self, process: subprocess.Popen, problem: Problem, task: bytes) -> None:
        stdin: IO[bytes] = process.stdin  # type: ignore[assignment]
        fingerprint = problem.fingerprint
        if self._holds != fingerprint:
            pickle.dump({"fingerprint": fingerprint, "problem": cloudpickle.dumps(problem)}, stdin, 5)
            self._holds = fingerprint
        request = {"fingerprint": fingerprint, "task": task, "memory_bytes": self.memory_bytes}
        pickle.dump(request, stdin, 5)
        stdin.flush()

    def _post_mortem(self, expired: bool, seconds: float | None) -> tuple[str, str]:
        if expired:
            return TIMEOUT, f"stopped after {seconds:.3g} s, the limit for one task."
        code = self._process.wait() if self._process is not None else None
        self._log.seek(0)
        log = _essence(self._log.read().decode(errors="replace"))
        if code == -9:
            return MEMORY, "killed by the system, most likely because memory ran out."
        status = MEMORY if any(sign in log for sign in _MEMORY_SIGNS) else CRASH
        return status, f"{log}\nthe process died with exit code {code}.".lstrip()


class WorkerPool:
    """Workers that stay for all stages of a comparison, so that each loads and compiles its code once.

    Without workers (``jobs=0``) the tasks run in this process.
    """

    def __init__(self, jobs: int, memory_bytes: int | None = None):
        self.workers = [Worker(memory_bytes) for _ in range(jobs)]

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_) -> None:
        for worker in self.workers:
            worker.stop()


def _read(process: subprocess.Popen):
    return pickle.load(process.stdout)  # type: ignore[arg-type]


def _essence(log: str) -> str:
    """The part of a dead process's output that says why: the fatal error, else the last lines."""
    _, fatal, rest = log.rpartition("Fatal Python error")
    return (fatal + rest)[:_LOG_LENGTH] if fatal else log[-_LOG_LENGTH:]
