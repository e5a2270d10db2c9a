"""Results to stdout as a table or JSON, everything else to stderr."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import typer

#: Width of tables that do not go to a terminal.
FILE_WIDTH = 200


@dataclass(frozen=True)
class Column:
    """A column of a printed table."""

    title: str
    right: bool = False
    wrap: bool = False


def to_stderr(text: str, style: str | None = None) -> None:
    """A line for the user, apart from the results."""
    from rich.console import Console
    from rich.text import Text

    Console(stderr=True, soft_wrap=True).print(Text(text, style=style or ""))


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], title: str | None = None) -> None:
    """A table on stdout, as wide as the terminal, or `FILE_WIDTH` if there is none."""
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


def print_facts(title: str, facts: Mapping[str, Any], *, as_json: bool) -> None:
    """What a command has done: a line per fact, or JSON."""
    if as_json:
        print_json(facts)
    else:
        rows = [[name, str(fact)] for name, fact in facts.items()]
        print_table([Column(title), Column("", wrap=True)], rows)


def print_json(data: Any) -> None:
    """Strict JSON on stdout: NumPy values as plain ones, not-a-number as null."""
    from nearkin.evaluation.rows import plain

    typer.echo(json.dumps(plain(data), indent=2, allow_nan=False, ensure_ascii=False))


def typed_command() -> str:
    """The command line as the user typed it."""
    return shlex.join(["nearkin", *sys.argv[1:]])


@contextmanager
def progress_bar(title: str) -> Iterator[Callable]:
    """A function that takes `evaluation.Progress` and moves a bar with the time left, on stderr."""
    from rich.progress import MofNCompleteColumn, TextColumn

    from nearkin.report.words import STAGES, seconds_text

    texts = TextColumn("{task.fields[left]}"), TextColumn("[dim]{task.fields[last]}")
    with _bar(title, MofNCompleteColumn(), *texts, left="", last="") as (bar, visible):
        told: list[bool] = []

        def update(state) -> None:
            if state.stage == "warm-up" and not visible and not told:
                told.append(True)
                to_stderr("compiling the learners' code, unless it is cached; the clock starts afterwards.")
            bar(
                description=STAGES.get(state.stage, title),
                completed=state.done,
                total=state.total,
                left="" if state.remaining is None else f"{seconds_text(state.remaining)} left",
                last=f"{state.label} fold {state.fold}",
            )

        yield update


@contextmanager
def bytes_bar(title: str, unit: str) -> Iterator[Callable]:
    """A function of the amount done and the total, in bytes or rows, that moves a bar on stderr."""
    from rich.progress import DownloadColumn, MofNCompleteColumn, TimeRemainingColumn

    amount = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    with _bar(title, amount, TimeRemainingColumn()) as (bar, _):
        yield lambda done, total: bar(completed=done, total=total)


@contextmanager
def _bar(title: str, *columns: Any, **texts: Any) -> Iterator[tuple[Callable, bool]]:
    """A function that moves a bar with these columns after it, and whether the bar is visible."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(bar_width=30), *columns
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield partial(bar.update, bar.add_task(title, total=None, **texts)), console.is_terminal
