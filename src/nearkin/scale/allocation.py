"""Memory that a Dask worker keeps while it computes.

Dask starts its workers with MALLOC_TRIM_THRESHOLD_, so that the C library returns freed memory to the system
immediately. Every temporary array of 128 kB or more is then mapped, filled page by page and unmapped each
time, which made a fit of Move-labeled take 1.7 times the CPU time of the same loop outside Dask. While blocks
are processed freed memory is therefore kept; a second after the last of them it is returned, and the worker's
setting is restored. (Returning it after every block cost 3 % of the CPU time.)
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from functools import cache

SETTING = "MALLOC_TRIM_THRESHOLD_"
#: The two settings in glibc's malloc.h, and its default size below which blocks are not mapped.
TRIM_THRESHOLD, MMAP_THRESHOLD, UNMAPPED = -1, -3, 128 * 1024
#: Bytes that may be kept for reuse: more than the temporary arrays of a block take.
KEPT = 32 * 2**20


@cache
def _glibc():
    """The C library if it is glibc, else None."""
    libc = ctypes.CDLL(None) if sys.platform.startswith("linux") else None
    return libc if hasattr(libc, "mallopt") and hasattr(libc, "gnu_get_libc_version") else None


@cache
def _libc():
    """glibc, if Dask has configured it to return memory; else None."""
    return _glibc() if os.environ.get(SETTING, "").isdigit() else None


def hand_back() -> None:
    """Return freed memory to the system, as the next pass will need blocks of other sizes."""
    if libc := _glibc():
        libc.malloc_trim(0)


class _KeptMemory:
    """Context that keeps freed memory while any thread of the process is inside, and a little longer.

    Parameters
    ----------
    seconds : float
        How much longer, as the next block usually follows.
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


#: Context for processing one block. May be entered by several threads.
kept_memory = _KeptMemory()
