"""The progress of a comparison, shown where it runs: a bar in a notebook, a line in a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from html import escape
from time import monotonic
from typing import TextIO

from nearkin.evaluation import Progress
from nearkin.report.words import STAGES, seconds_text

#: Seconds between two updates, at least.
PAUSE = 0.2


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")


def progress_text(state: Progress) -> str:
    """The state as text."""
    over = state.remaining is None or state.done >= state.total
    left = "" if over else f", about {seconds_text(state.remaining)} left"
    stage = STAGES.get(state.stage, "comparing")
    return f"{stage}: {state.done} of {state.total} fits{left}; last: {state.label}"


class NotebookBar:
    """A bar in the output of the cell, which every call updates; needs no widgets."""

    def __init__(self) -> None:
        self._handle = None

    def __call__(self, state: Progress) -> None:
        from IPython.display import HTML, display

        bar = f'<progress value="{state.done}" max="{state.total}" style="width: 16em"></progress>'
        shown = HTML(f"<div>{bar} {escape(progress_text(state))}</div>")
        if self._handle is None:
            self._handle = display(shown, display_id=True)
        else:
            self._handle.update(shown)


class TerminalLine:
    """A line that every call overwrites."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._width = 0

    def __call__(self, state: Progress) -> None:
        text = progress_text(state)
        end = "\n" if state.done >= state.total else ""
        self._stream.write("\r" + text.ljust(self._width) + end)
        self._stream.flush()
        self._width = len(text)


class Paced:
    """Passes on the first call, the last of a stage, and of the others one every `PAUSE` seconds."""

    def __init__(self, show: Callable[[Progress], None], clock: Callable[[], float] = monotonic) -> None:
        self._show, self._clock, self._last = show, clock, -float("inf")

    def __call__(self, state: Progress) -> None:
        if state.done >= state.total or self._clock() - self._last >= PAUSE:
            self._last = self._clock()
            self._show(state)


def progress_shown(
    progress: Callable[[Progress], None] | bool | str | None,
) -> Callable[[Progress], None] | None:
    """What to call after every fold: "auto" shows a bar in notebooks only, True anywhere."""
    if progress is None or progress is False:
        return None
    if callable(progress):
        return progress
    if progress == "auto" and not in_notebook():
        return None
    if progress is True or progress == "auto":
        return Paced(NotebookBar() if in_notebook() else TerminalLine())
    raise ValueError(f"progress is {progress!r}; it may be 'auto', True, False or a function of a Progress.")
