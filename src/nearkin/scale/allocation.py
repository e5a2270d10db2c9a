"""Memory that a Dask worker keeps while it computes.

Dask starts its workers with MALLOC_TRIM_THRESHOLD_, so that the C library hands freed memory back to the
system at once. Every temporary array of 128 kB or more is then mapped, filled page by page and unmapped
anew, which made a fit of Move-labeled take 1.7 times the processor time of the same loop outside of Dask.
While blocks are worked on freed memory is kept; a second after the last of them it goes back, and the
worker's setting holds again. (To hand it back after every block cost 3 % of the processor's time.)
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from functools import cache

SETTING = "MALLOC_TRIM_THRESHOLD_"
#: Numbers of the two settings in glibc's malloc.h, and its own limit below which blocks are not mapped.
TRIM_THRESHOLD, MMAP_THRESHOLD, UNMAPPED = -1, -3, 128 * 1024
#: Bytes that may wait for their next use: more than the temporary arrays of a block take.
KEPT = 32 * 2**20


@cache
def _glibc():
    """The C library where it is glibc, else None."""
    libc = ctypes.CDLL(None) if sys.platform.startswith("linux") else None
    return libc if hasattr(libc, "mallopt") and hasattr(libc, "gnu_get_libc_version") else None


@cache
def _libc():
    """glibc, where Dask has told it to hand memory back; else None."""
    return _glibc() if os.environ.get(SETTING, "").isdigit() else None


def hand_back() -> None:
    """Give freed memory back to the system: what one pass has needed is not what the next one will."""
    if libc := _glibc():
        libc.malloc_trim(0)


class _KeptMemory:
    """Keeps freed memory while any thread of the process is inside, and a little longer.

    Parameters
    ----------
    seconds : float
        How much longer: the next block is likely to come.
    """

    def __init__(self, seconds: float = 1.0) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._users, self._keeps = 0, False
        self._end: threading.Timer | None = None

    def __enter__(self) -> None:
        with self._lock:
            self._users += 1
            if self._end is not None:
                self._end.cancel()
            if not self._keeps and (libc := _libc()):
                libc.mallopt(MMAP_THRESHOLD, KEPT)
                libc.mallopt(TRIM_THRESHOLD, 2 * KEPT)
                self._keeps = True

    def __exit__(self, *_) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._keeps:
                self._end = threading.Timer(self.seconds, self._hand_back)
                self._end.daemon = True
                self._end.start()

    def _hand_back(self) -> None:
        with self._lock:
            if self._users == 0 and self._keeps and (libc := _libc()):
                libc.mallopt(MMAP_THRESHOLD, UNMAPPED)
                libc.mallopt(TRIM_THRESHOLD, int(os.environ[SETTING]))
                libc.malloc_trim(0)
                self._keeps = False


#: Context for the work on one block. May be entered by several threads.
kept_memory = _KeptMemory()
