"""Errors for people: one clear message on stderr, an exit code, no traceback."""

from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import typer

from nearkin.cli.output import to_stderr

Command = TypeVar("Command", bound=Callable)

FAILURE = 1
INTERRUPTED = 130


class CommandError(Exception):
    """The command cannot do what was asked; the message names the problem and the fix."""


def speaks_plainly(command: Command) -> Command:
    """Turn user errors into a message and exit code 1, and warnings into notes on stderr.

    Values that cannot be used (ValueError, which data errors and learners raise), missing extras
    and files that cannot be read or written are for the user to fix. Anything else is a bug and
    keeps its traceback.
    """

    @functools.wraps(command)
    def wrapper(*args, **kwargs):
        said: set[str] = set()

        def show(message, category, filename, lineno, file=None, line=None):
            text = str(message)
            if text not in said and not issubclass(category, (DeprecationWarning, FutureWarning)):
                said.add(text)
                to_stderr(f"note: {text}", style="yellow")

        with warnings.catch_warnings():
            warnings.showwarning = show
            try:
                return command(*args, **kwargs)
            except (CommandError, ValueError) as error:
                message = str(error)
            except ModuleNotFoundError as error:
                message = f"{error}. Some extras are not installed; try: pip install 'nearkin[all]'"
            except BrokenPipeError:
                # The reader (head, less) has seen enough: nothing more may be written to the pipe.
                with suppress(OSError, ValueError):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                raise typer.Exit(FAILURE) from None
            except OSError as error:
                message = _about_file(error)
            except KeyboardInterrupt:
                to_stderr("stopped.", style="yellow")
                raise typer.Exit(INTERRUPTED) from None
        to_stderr(f"error: {message}", style="bold red")
        raise typer.Exit(FAILURE)

    return wrapper  # type: ignore[return-value]


def _about_file(error: OSError) -> str:
    if error.filename is None:
        return str(error)
    reason = {
        FileNotFoundError: "there is no such file or folder",
        PermissionError: "permission denied",
        IsADirectoryError: "it is a folder",
    }.get(type(error), error.strerror or str(error))
    return f"{error.filename}: {reason}."
