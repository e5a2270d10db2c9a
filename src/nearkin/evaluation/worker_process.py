"""The other end of a worker: a process that measures one task after another until its input ends."""

from __future__ import annotations

import faulthandler
import os
import pickle
import queue
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path

import cloudpickle

from nearkin.evaluation.measurement import attempt
from nearkin.evaluation.problems import Problem
from nearkin.evaluation.results import Record


def main() -> None:
    """Serve tasks from standard input until it closes, as it does when the parent dies."""
    faulthandler.enable()
    # Ctrl-C in a terminal is for the parent to handle; it then closes the input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Estimators may print: the replies get a channel of their own, prints go to the log.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests: queue.SimpleQueue = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(requests,), daemon=True).start()
    problems: dict[str, Problem] = {}
    _reply(replies, "ready")
    while True:
        request = requests.get()
        if "problem" in request:
            problems = {request["fingerprint"]: cloudpickle.loads(request["problem"])}
            continue
        _reply(replies, _answer(request, problems))


def _reply(replies, message) -> None:
    pickle.dump(message, replies)
    replies.flush()


def _read_requests(requests: queue.SimpleQueue) -> None:
    # In a thread of its own, so that the end of the input stops the process even in the middle of a fit.
    try:
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    except EOFError:
        os._exit(0)


def _answer(request: dict, problems: dict[str, Problem]) -> Record:
    task = replace(cloudpickle.loads(request["task"]), problem=problems[request["fingerprint"]])
    try:
        _limit_memory(request["memory_bytes"])
        return attempt(task)
    finally:
        _limit_memory(None)


def _limit_memory(extra_bytes: int | None) -> None:
    """Let the process grow by at most so many bytes from now on; enforced on Linux only."""
    if not sys.platform.startswith("linux"):
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = hard if extra_bytes is None else _data_bytes() + extra_bytes
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def _data_bytes() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    main()
