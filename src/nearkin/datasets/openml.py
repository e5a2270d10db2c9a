"""A small client for openml.org: a data set by its id, checked and kept in a local cache."""

from __future__ import annotations

import hashlib
import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nearkin.datasets.arff import read_arff
from nearkin.datasets.errors import DataError
from nearkin.files import replacing

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_URL = "https://api.openml.org"
URL_VARIABLE = "NEARKIN_OPENML_URL"
CACHE_VARIABLE = "NEARKIN_CACHE"
_TIMEOUT = 30.0
_NO_CHECKSUM = ("", None)


def server_url(url: str | None = None) -> str:
    """The server to ask: the argument, else ``$NEARKIN_OPENML_URL``, else openml.org."""
    url = (url or os.environ.get(URL_VARIABLE) or DEFAULT_URL).rstrip("/")
    if not url.startswith(("http://", "https://")):
        raise DataError(f"the OpenML address {url!r} must begin with http:// or https://.")
    return url


def cache_folder(folder: str | Path | None = None) -> Path:
    """Where downloads are kept: the argument, else ``$NEARKIN_CACHE``, else ``~/.cache/nearkin``."""
    given = folder or os.environ.get(CACHE_VARIABLE)
    base = (
        Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nearkin"
    )
    return base / "openml"


def is_cached(data_id: int, folder: str | Path | None = None) -> bool:
    """Whether the set was downloaded before."""
    return (cache_folder(folder) / f"{data_id}.arff").is_file()


def fetch_openml_table(
    data_id: int, *, url: str | None = None, cache: str | Path | None = None
) -> tuple[pd.DataFrame, list[str]]:
    """The table of an OpenML set without its row ids, and the names of its default targets.

    Both files are kept in the cache, so that a second call needs no network. The table is checked
    against the checksum that OpenML publishes.

    Raises
    ------
    DataError
        No network, an unknown id, a damaged download.
    """
    folder = cache_folder(cache)
    described = folder / f"{data_id}.json"
    if not described.is_file():
        _store(described, _get(f"{server_url(url)}/api/v1/json/data/{data_id}", data_id))
    description = _description(described, data_id)
    stored = folder / f"{data_id}.arff"
    if not stored.is_file():
        raw = _get(f"{server_url(url)}/data/v1/download/{description['file_id']}", data_id)
        _check_sum(raw, description.get("md5_checksum"), data_id)
        _store(stored, raw)
    table = read_arff(stored.read_bytes().decode("utf-8", errors="replace"), f"OpenML {data_id}")
    ignored = [*_names(description.get("ignore_attribute")), *_names(description.get("row_id_attribute"))]
    table = table.drop(columns=[name for name in ignored if name in table.columns])
    return table, _names(description.get("default_target_attribute"))


def _description(path: Path, data_id: int) -> dict[str, Any]:
    try:
        description = json.loads(path.read_text("utf-8"))["data_set_description"]
        if str(description["file_id"]).isdigit():
            return description
    except (ValueError, KeyError, TypeError):
        pass
    path.unlink(missing_ok=True)
    raise DataError(
        f"OpenML's description of set {data_id} could not be understood; it was removed from the cache."
    )


def _get(url: str, data_id: int) -> bytes:
    try:
        request = urllib.request.Request(
            url, headers={"Accept-Encoding": "identity", "User-Agent": "nearkin"}
        )
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
            return response.read()
    except urllib.error.HTTPError as error:
        raise DataError(
            f"OpenML answered {error.code} ({error.reason}) for set {data_id} at {url}."
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise DataError(f"OpenML set {data_id} could not be downloaded from {url}: {reason}.") from error


def _check_sum(raw: bytes, expected: str | None, data_id: int) -> None:
    found = hashlib.md5(raw, usedforsecurity=False).hexdigest()
    if expected not in _NO_CHECKSUM and found != expected:
        raise DataError(
            f"OpenML set {data_id} arrived damaged (checksum {found}, expected {expected}); try again."
        )


def _store(path: Path, raw: bytes) -> None:
    """Write in one step, so that an interrupted download never looks like a whole one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(raw)


def _names(value: str | list[str] | None) -> list[str]:
    """Attribute names, which OpenML gives as a list or as text separated by commas."""
    if not value:
        return []
    parts = value if isinstance(value, list) else value.split(",")
    return [part.strip() for part in parts if part.strip()]
