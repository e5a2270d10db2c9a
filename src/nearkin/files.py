"""Files that are written completely or not at all, and large ones that a stopped run can resume."""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replacing(path: str | PathLike[str], mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """Open a file that replaces `path` only once everything has been written.

    A symbolic link stays one, and the file it points to is replaced. A device, pipe or other special
    file is written to, never replaced. A new file gets the permissions that the umask allows; an
    existing one keeps its own.

    Parameters
    ----------
    path : path-like
    mode : {'wb', 'w'}
    options
        Go to `open`, such as `encoding`.

    Raises
    ------
    OSError
        Names the path and, if the disk is full, what to do; no half-written file is left behind.

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
    """Name the file and the remedy if the disk is full."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            reason = "there is no room left on the disk; free some space or choose another place"
            raise OSError(error.errno, reason, str(path)) from error
        raise


def put_in_place(finished: str | PathLike[str], path: str | PathLike[str]) -> None:
    """Move a finished file on the same disk to `path` in one step, treating links as `replacing` does."""
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


class Unfinished:
    """The folder ``.<name>.unfinished`` with the finished parts of a file; other parts in it are removed.

    Parameters
    ----------
    out : path of the file
    identity : dict
        What the file is made from, in plain values.
    """

    def __init__(self, out: str | PathLike[str], identity: dict[str, Any]) -> None:
        path = Path(os.path.realpath(out))
        self.folder = path.parent / f".{path.name}.unfinished"
        note = self.folder / "made_from.json"
        if self.folder.exists() and (not note.exists() or json.loads(note.read_text()) != identity):
            self.remove()
        self.folder.mkdir(exist_ok=True)
        if not note.exists():
            with replacing(note, "w", encoding="utf-8") as file:
                file.write(json.dumps(identity))

    def remove(self) -> None:
        shutil.rmtree(self.folder)


class GrowingNpy:
    """A .npy file of `n_rows` that grows block by block.

    Attributes
    ----------
    path : Path
    done : int
        Rows known to be on disk; set it lower to resume from an earlier row.
    """

    def __init__(self, folder: Path, n_rows: int) -> None:
        self.path, self._note, self.n_rows = folder / "whole.npy", folder / "rows", n_rows
        self.done = int(self._note.read_text()) if self._note.exists() and self.path.exists() else 0

    def append(self, block: np.ndarray) -> None:
        with open(self.path, "r+b" if self.done else "wb") as file:
            if self.done:
                # Go on after the rows that are known to be whole; a block that a stop cut short is dropped.
                npy.read_magic(file)
                npy.read_array_header_1_0(file)
                file.seek(self.done * block[0].nbytes, os.SEEK_CUR)
                file.truncate()
            else:
                shape = (self.n_rows, *block.shape[1:])
                header = {"descr": block.dtype.str, "fortran_order": False, "shape": shape}
                npy.write_array_header_1_0(file, header)
            file.write(np.ascontiguousarray(block).data)
            file.flush()
            os.fsync(file.fileno())
        self.done += len(block)
        with replacing(self._note, "w") as note:
            note.write(str(self.done))
