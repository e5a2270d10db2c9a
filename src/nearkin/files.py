"""Files written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from typing import IO, Any

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replacing(path: str | PathLike[str], mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """A file to write to that takes the place of `path` only once all is written.

    A symbolic link stays one, and the file it leads to is replaced. A device, pipe or other special
    file is written to and never replaced. A new file gets the permissions that the umask allows, an
    old one keeps its own.

    Parameters
    ----------
    path : path-like
    mode : {'wb', 'w'}
    options
        Go to `open`, such as `encoding`.

    Raises
    ------
    OSError
        With the path and, where the disk is full, what to do; nothing half-written is left.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "greeting.txt"
    >>> with replacing(path, "w", encoding="utf-8") as file:
    ...     _ = file.write("hello")
    >>> path.read_text()
    'hello'
    """
    target = os.path.realpath(path)
    with saying_no_room(path):
        if _is_special(target):
            with open(target, mode, **options) as file:
                yield file
        else:
            with _swapped(target, mode, options) as file:
                yield file


@contextmanager
def saying_no_room(path: str | PathLike[str]) -> Iterator[None]:
    """Name the file and the remedy where the disk is full."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            reason = "there is no room left on the disk; free some space or choose another place"
            raise OSError(error.errno, reason, str(path)) from error
        raise


def put_in_place(finished: str | PathLike[str], path: str | PathLike[str]) -> None:
    """Let a finished file on the same disk take the place of `path`, in one step and as `replacing` does."""
    target = os.path.realpath(path)
    if _is_special(target):
        with open(finished, "rb") as source, open(target, "wb") as file:
            shutil.copyfileobj(source, file)
        return
    with suppress(FileNotFoundError):
        os.chmod(finished, stat.S_IMODE(os.stat(target).st_mode))
    os.replace(finished, target)


@contextmanager
def _swapped(target: str, mode: str, options: dict[str, Any]) -> Iterator[IO[Any]]:
    folder, name = os.path.split(target)
    unfinished = os.path.join(folder, f".{name[:200]}.{secrets.token_hex(4)}")
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(handle, mode, **options) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        put_in_place(unfinished, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(unfinished)
        raise


def _is_special(target: str) -> bool:
    return os.path.exists(target) and not os.path.isfile(target) and not os.path.isdir(target)
