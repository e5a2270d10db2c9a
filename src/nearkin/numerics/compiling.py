"""Says what is happening while compiled loops are made, once on every machine; imported by their modules."""

from __future__ import annotations

import logging
import sys

from numba.core import event

LOGGER = logging.getLogger("nearkin")
MESSAGE = "compiling loops for this machine: a few seconds, once; they are then kept in Numba's cache"


class _Announcement(event.Listener):
    """Tells of the first compilation in this process; loading from the cache is none."""

    def __init__(self) -> None:
        self.made = False

    def on_start(self, event) -> None:
        if not self.made:
            self.made = True
            # Somebody who waits in front of a terminal or a notebook should know for what.
            watched = sys.stderr.isatty() or "ipykernel" in sys.modules
            LOGGER.log(logging.WARNING if watched else logging.INFO, MESSAGE)

    def on_end(self, event) -> None:
        pass


ANNOUNCEMENT = _Announcement()
event.register("numba:compile", ANNOUNCEMENT)
