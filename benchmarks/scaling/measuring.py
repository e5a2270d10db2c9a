"""Time and anonymous memory of one thing done in a fresh process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path


def anonymous_bytes() -> int:
    """RssAnon of this process: memory that is not a mapped file."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise OSError("this system does not tell anonymous memory; run it on Linux.")


class Watch:
    """Seconds by clock and processor, and the most anonymous memory above what there was at the entry."""

    def __enter__(self):
        self._before, self._peak, self._done = anonymous_bytes(), 0, threading.Event()
        self._looking = threading.Thread(target=self._look, daemon=True)
        self._looking.start()
        self._start, self._busy = time.perf_counter(), time.process_time()
        return self

    def _look(self):
        while not self._done.wait(0.01):
            self._peak = max(self._peak, anonymous_bytes() - self._before)

    def __exit__(self, *_):
        self.seconds, self.processor = time.perf_counter() - self._start, time.process_time() - self._busy
        self._done.set()
        self._looking.join()
        self.megabytes = self._peak / 2**20


def in_process(task: str, /, threads: int | None = None, **arguments) -> dict:
    """What a function of `benchmarks.scaling.tasks` returns, called in a process of its own.

    It has all cores, or so many threads.
    """
    limits = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
    environment = {name: value for name, value in os.environ.items() if name not in limits}
    if threads is not None:
        environment |= dict.fromkeys(limits, str(threads))
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scaling.tasks", task, json.dumps(arguments)],
        capture_output=True,
        text=True,
        env=environment,
    )
    if done.returncode:
        raise RuntimeError(f"{task} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])
