"""Who is running a task, and whether that process is still alive."""

from __future__ import annotations

import os
import platform
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

#: An owner on another machine is given up after this long without a sign of life.
LEASE_SECONDS = 60.0
#: How often a running process gives a sign of life.
HEARTBEAT_SECONDS = 5.0


def _machine() -> str:
    """The machine and its process number space: process numbers mean something only inside it."""
    parts = [platform.node()]
    for path in ("/proc/sys/kernel/random/boot_id",):
        with suppress(OSError):
            parts.append(Path(path).read_text().strip())
    with suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
    return "/".join(parts)


def _start_of(pid: int) -> str | None:
    """When a process started, so that a reused process number is not taken for the old process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The command name, field 2, is in brackets and may contain spaces; the start is field 22.
    return stat.rpartition(")")[2].split()[19]


@dataclass(frozen=True)
class Owner:
    """One run in one process."""

    name: str
    machine: str
    pid: int
    started: str | None

    @classmethod
    def of_this_process(cls) -> Owner:
        return cls(uuid.uuid4().hex, _machine(), os.getpid(), _start_of(os.getpid()))

    def is_alive(self, last_heartbeat: float) -> bool:
        """Whether the process still runs: certain on this machine, by its heartbeat elsewhere."""
        if self.machine == _machine() and self.started is not None:
            return _start_of(self.pid) == self.started
        return time.time() - last_heartbeat < LEASE_SECONDS
