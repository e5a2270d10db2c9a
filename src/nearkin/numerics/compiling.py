"""Announces the compilation of loops, which happens once per machine; imported by modules with kernels."""

from __future__ import annotations

import logging
import sys

from numba.core import event

LOGGER = logging.getLogger("nearkin")
MESSAGE = "compiling loops for this machine: a few seconds, once; they are then kept in Numba's cache"


class _Announcement(event.Listener):
    """Logs the first compilation in this process; loading from the cache does not count."""

    def __init__(self) -> None:
        self.made = False

    def on_start(self, event) -> None:
        if not self.made:
            self.made = True
            # A user waiting at a terminal or in a notebook should know why.
            watched = sys.stderr.isatty() or "ipykernel" in sys.modules
            LOGGER.log(logging.WARNING if watched else logging.INFO, MESSAGE)

    def on_end(self, event) -> None:
        pass


ANNOUNCEMENT = _Announcement()
event.register("numba:compile", ANNOUNCEMENT)
