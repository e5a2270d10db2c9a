"""Cells of a long run: each is measured once, bounded in CPU time, and kept in a file of JSON lines."""

from __future__ import annotations

import json
import signal
import time
import traceback
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path


class TooLong(Exception):
    """The cell took more CPU time than it may."""


class CellFile:
    """Finished cells by key; a line is written the moment a cell ends, so that a cut run can be resumed."""

    def __init__(self, path: Path):
        self.path = path
        self.done: dict[tuple, dict] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                # A run that was cut may have left half a line.
                if line.endswith("}"):
                    record = json.loads(line)
                    self.done[tuple(record["key"])] = record

    def measure(self, cells: Iterable[tuple[Hashable, ...]], work: Callable[..., dict], seconds: float):
        """Run ``work(*cell)`` for every cell not yet done; what fails or takes too long is kept as such."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            for cell in cells:
                if cell in self.done:
                    continue
                record = {"key": list(cell), **bounded(work, cell, seconds)}
                self.done[cell] = record
                file.write(json.dumps(record) + "\n")
                file.flush()


def bounded(work: Callable[..., dict], cell: tuple, seconds: float) -> dict:
    """The outcome of one cell, or what became of it, with its CPU time."""

    def stop(*_):
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    start = time.process_time()
    try:
        outcome = work(*cell)
    except TooLong:
        outcome = {"failed": f"more than {seconds:g} s"}
    except Exception as error:
        outcome = {"failed": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()[-800:]}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return {**outcome, "seconds": round(time.process_time() - start, 3)}
