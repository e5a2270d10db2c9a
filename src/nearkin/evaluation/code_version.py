"""Which code a result depends on: the commit, and a digest of the source files behind an estimator."""

from __future__ import annotations

import ast
import hashlib
import importlib
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from nearkin._discovery import module_names

HOUSE = "nearkin"
#: What turns a task into a record, whatever the estimator.
MEASURING = "nearkin.evaluation.measurement"
#: A module of this name finds its room's classes by walking, so what imports it may depend on any of them.
DISCOVERY = "discovery"


@cache
def commit() -> str | None:
    """The commit of the checkout that nearkin is run from, "+changes" where its files differ from it.

    None if nearkin is not run from a checkout, or Git is not installed.
    """
    package = Path(__file__).parents[1]
    # A package installed somewhere below another repository is not tracked by that one.
    if _git(package, "ls-files", "--error-unmatch", "__init__.py") is None:
        return None
    head = _git(package, "rev-parse", "--short=10", "HEAD")
    changed = _git(package, "status", "--porcelain", "--", ".")
    return None if head is None else head + ("+changes" if changed else "")


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def code_version(estimator: BaseEstimator) -> str:
    """16 hex digits for the source of every module of nearkin that an estimator's results depend on.

    These are the modules of its classes, of its steps and parameters, what measures it, and all that they
    import. Other learners are not among them: a change there leaves these digits as they are.

    Examples
    --------
    >>> from nearkin import LMNN, RCA
    >>> code_version(LMNN(n_targets=1)) == code_version(LMNN()), code_version(LMNN()) == code_version(RCA())
    (True, False)
    """
    hasher = hashlib.sha256()
    for name in sorted(_reached({*_modules_of(estimator), MEASURING})):
        hasher.update(f"{name}:{_source_digest(name)}".encode())
    return hasher.hexdigest()[:16]


def _modules_of(value: Any) -> Iterator[str]:
    """Modules of nearkin that define the classes of an estimator and of what it is made of."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _modules_of(item)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        yield from (kind.__module__ for kind in type(value).__mro__ if _ours(kind.__module__))
        yield from _modules_of(list(value.get_params(deep=False).values()))
    elif _ours(getattr(value, "__module__", None)):
        yield value.__module__
    elif _ours(type(value).__module__):
        yield type(value).__module__


def _ours(module: Any) -> bool:
    return isinstance(module, str) and module.partition(".")[0] == HOUSE


def _reached(start: Iterable[str]) -> set[str]:
    """These modules and all that they import, directly or not."""
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imported(name)
    return found


@cache
def _source(module: str) -> bytes:
    spec = find_spec(module)
    return Path(spec.origin).read_bytes() if spec is not None and spec.origin else b""


@cache
def _source_digest(module: str) -> str:
    return hashlib.sha256(_source(module)).hexdigest()


@cache
def _imported(module: str) -> tuple[str, ...]:
    """Modules of nearkin named in the import statements of one, those inside functions included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(_source(module))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names if _ours(alias.name))
        elif isinstance(node, ast.ImportFrom) and _ours(node.module):
            found.update(_home(str(node.module), alias.name) for alias in node.names)
    package, _, last = module.rpartition(".")
    if last == DISCOVERY:
        found.update(f"{package}.{name}" for name in module_names(package))
    return tuple(sorted(found))


@cache
def _home(module: str, name: str) -> str:
    """Where a name imported from a module or package is defined: a package's `__init__` is no dependency."""
    spec = find_spec(module)
    if spec is None or spec.submodule_search_locations is None:
        return module
    item = getattr(importlib.import_module(module), name, None)
    home = getattr(item, "__module__", None) or getattr(item, "__name__", None)
    if home is None or not _ours(home):
        return module
    return str(home)
