"""Results to stdout as a table or JSON, everything else to stderr."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import typer

#: What the stages of a run are called while they last.
STAGES = {"warm-up": "compiling", "scout": "first look", "tune": "tuning", "repeat": "repeating"}
#: Width of tables that do not go to a terminal.
FILE_WIDTH = 200


@dataclass(frozen=True)
class Column:
    """A column of a printed table."""

    title: str
    right: bool = False
    wrap: bool = False


def to_stderr(text: str, style: str | None = None) -> None:
    """A line for people, beside the results."""
    from rich.console import Console
    from rich.text import Text

    Console(stderr=True, soft_wrap=True).print(Text(text, style=style or ""))


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], title: str | None = None) -> None:
    """A table on stdout, as wide as the terminal or, in a file, as its text."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    width = None if sys.stdout.isatty() else FILE_WIDTH
    console = Console(width=width, highlight=False)
    if title:
        console.print(Text(title, style="bold"), soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(
            column.title,
            justify="right" if column.right else "left",
            no_wrap=not column.wrap,
            overflow="fold" if column.wrap else "ellipsis",
        )
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    console.print(table)


def print_json(data: Any) -> None:
    """Strict JSON on stdout: NumPy values as plain ones, not-a-number as null."""
    from nearkin.evaluation.rows import plain

    typer.echo(json.dumps(plain(data), indent=2, allow_nan=False, ensure_ascii=False))


def typed_command() -> str:
    """The command line as the user typed it."""
    return shlex.join(["nearkin", *sys.argv[1:]])


@contextmanager
def progress_bar(title: str) -> Iterator[Any]:
    """A function that takes `evaluation.Progress` and moves a bar with the time left, on stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    columns = [
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("[dim]{task.fields[last]}"),
    ]
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None, left="", last="")
        told: list[bool] = []

        def update(state) -> None:
            left = "" if state.remaining is None else f"{clock(state.remaining)} left"
            stage = STAGES.get(state.stage, title)
            if state.stage == "warm-up" and not console.is_terminal and not told:
                told.append(True)
                to_stderr(
                    "compiling the learners' code where that was not done before; the clock starts then."
                )
            last = f"{state.learner} fold {state.fold}"
            bar.update(task, description=stage, completed=state.done, total=state.total, left=left, last=last)

        yield update


@contextmanager
def bytes_bar(title: str, unit: str) -> Iterator[Any]:
    """A function of what is done and what there is, in bytes or rows, that moves a bar on stderr."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    amount = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    columns = [TextColumn("{task.description}"), BarColumn(bar_width=30), amount, TimeRemainingColumn()]
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def clock(seconds: float) -> str:
    """Minutes and seconds.

    >>> clock(75.2)
    '1:15'
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}"
