"""Where a table's bytes come from: a file, packed or not, or standard input."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import sys
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from nearkin.datasets.errors import DataError, shortened

STANDARD_INPUT = "-"
_OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
PACKED_SUFFIXES = (*_OPENERS, ".zip")
# How files begin whose name does not say what they are.
_BEGINNINGS = {
    b"par1": ".parquet",
    b"arrow1": ".arrow",
    b"@relation": ".arff",
    b"%": ".arff",
    b"{": ".jsonl",
    b"[": ".json",
}
_BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError)


@dataclass(frozen=True)
class Source:
    """Where bytes are to be read, the format that the name tells, and how they are packed.

    `suffix` is empty where the name does not tell; `packing` is empty for plain files.
    """

    path: Path
    name: str
    suffix: str
    packing: str = ""

    def open(self) -> IO[bytes]:
        """The unpacked bytes as a stream."""
        if str(self.path) == STANDARD_INPUT:
            return sys.stdin.buffer
        if self.packing == ".zip":
            archive = zipfile.ZipFile(self.path)
            return archive.open(_only_member(archive, self.name))
        return _OPENERS[self.packing](self.path, "rb") if self.packing else self.path.open("rb")  # type: ignore[operator]

    def read(self) -> bytes:
        """All unpacked bytes; damaged archives and empty files are errors."""
        try:
            with self.open() as stream:
                raw = stream.read()
        except _BROKEN as error:
            if not self.packing:
                raise
            raise DataError(
                f"{self.name} cannot be unpacked (damaged, cut short or locked): {error}"
            ) from error
        if not raw:
            raise DataError(f"{self.name} is empty (0 bytes).")
        return raw

    def format_of(self, raw: bytes) -> str:
        """The suffix of the format: as the name tells, else as the first bytes look."""
        if self.suffix:
            return self.suffix
        start = raw[:4096].lstrip().lower()
        return next((suffix for sign, suffix in _BEGINNINGS.items() if start.startswith(sign)), ".csv")


def find_source(path: str | Path) -> Source:
    """The source that a path or ``-`` (standard input) names, if there is one."""
    if str(path) == STANDARD_INPUT:
        return Source(Path(path), "standard input", "")
    path = existing_file(path)
    packing = path.suffix.lower()
    if packing not in PACKED_SUFFIXES:
        # The name of a pipe (/dev/fd/63) has no meaningful suffix.
        return Source(path, path.name, packing if path.is_file() else "")
    inner: str = path.stem
    if packing == ".zip":
        try:
            with zipfile.ZipFile(path) as archive:
                inner = _only_member(archive, path.name)
        except zipfile.BadZipFile as error:
            raise DataError(f"{path.name} cannot be unpacked (damaged or cut short): {error}") from error
    return Source(path, path.name, PurePosixPath(inner).suffix.lower(), packing)


def existing_file(path: str | Path) -> Path:
    """The path, if there is a file with something in it."""
    path = Path(path)
    if not path.exists():
        raise DataError(f"there is no file {str(path)!r}.")
    if path.is_dir():
        raise DataError(f"{str(path)!r} is a folder, not a data file.")
    if path.is_file() and path.stat().st_size == 0:
        raise DataError(f"{path.name} is empty (0 bytes).")
    return path


def decoded(raw: bytes, name: str, encoding: str) -> tuple[str, str]:
    """Text with Unix line ends, and the encoding that it was found to have."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # What spreadsheets call Unicode text; its first two bytes leave no doubt.
        encoding = "utf-16"
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise DataError(
            f"there is no encoding called {encoding!r}; utf-8, latin-1, cp1252 and utf-16 are common ones."
        ) from None
    if b"\0" in raw[:4096] and not encoding.lower().startswith(("utf-16", "utf-32", "utf_16", "utf_32")):
        raise DataError(f"{name} is not a text file (it holds zero bytes); is the suffix right?")
    try:
        text = raw.decode("utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise DataError(
            f"{name} is not {encoding}: line {line} holds the byte 0x{raw[error.start]:02x}. Save it as "
            "UTF-8 or give its encoding (encoding='latin-1', on the command line --encoding latin-1, is a "
            "common one)."
        ) from error
    if not text.strip():
        raise DataError(f"{name} is empty: it holds nothing but blanks.")
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def _only_member(archive: zipfile.ZipFile, name: str) -> str:
    """The only file of an archive, not counting what archivers add for themselves."""
    members = [
        info.filename
        for info in archive.infolist()
        if not info.is_dir() and not info.filename.startswith("__MACOSX/")
    ]
    if len(members) != 1:
        raise DataError(
            f"{name} holds {len(members)} files ({shortened(members, 4)}); unpack it and name the one that "
            "is meant."
        )
    return members[0]
