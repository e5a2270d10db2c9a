"""Memory that a Dask worker keeps while it computes.

Dask starts its workers with MALLOC_TRIM_THRESHOLD_, so that the C library hands freed memory back to the
system at once. Every temporary array of 128 kB or more is then mapped, filled page by page and unmapped
anew, which made a fit of Move-labeled take 1.7 times the processor time of the same loop outside of Dask.
While a block is worked on freed memory is kept; afterwards it goes back, and the worker's setting holds
again.
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
def _libc():
    """The C library, where it is glibc and Dask has told it to hand memory back; else None."""
    if not sys.platform.startswith("linux") or not os.environ.get(SETTING, "").isdigit():
        return None
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "mallopt") and hasattr(libc, "gnu_get_libc_version") else None


class _KeptMemory:
    """Keeps freed memory while any thread of the process is inside."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0

    def __enter__(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1 and (libc := _libc()):
                libc.mallopt(MMAP_THRESHOLD, KEPT)
                libc.mallopt(TRIM_THRESHOLD, 2 * KEPT)

    def __exit__(self, *_) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and (libc := _libc()):
                libc.mallopt(MMAP_THRESHOLD, UNMAPPED)
                libc.mallopt(TRIM_THRESHOLD, int(os.environ[SETTING]))
                libc.malloc_trim(0)


#: Context for the work on one block. May be entered by several threads.
kept_memory = _KeptMemory()
