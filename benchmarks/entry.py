"""What a benchmark declares.

Entry files are imported by the runner and, inside each peer's environment, by the worker: at module
level they may import only NumPy and this package. Peers are imported inside the functions.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

PER_STEP = "seconds per step"
HERE = "nearkin"  # the environment the runner itself runs in


@dataclass(frozen=True)
class Contestant:
    """One way of doing the entry's job.

    Parameters
    ----------
    name : str
        Row of the table.
    prepare : callable (data, case) -> callable
        Imports and sets up what is not to be timed; what it returns is called without arguments
        and timed, and returns the outcome.
    environment : str
        Name in `benchmarks.environments.ENVIRONMENTS`.
    quality : callable (data, outcome) -> dict of numbers, optional
        Accuracy and the like, not timed.
    repeats : int
        Runs of which the best counts; once one run has taken 15 seconds there is no further one. Short
        runs have several rounds of so many.
    time_bound : float
        Seconds after which the worker is stopped; the table then says "more than".
    in_growth : bool
        Whether it takes part in the cases that show how cost grows.
    """

    name: str
    prepare: Callable[[Any, Mapping], Callable[[], Any]]
    environment: str = HERE
    quality: Callable[[Any, Any], Mapping[str, float]] | None = None
    repeats: int = 5
    time_bound: float = 600.0
    in_growth: bool = True


@dataclass(frozen=True)
class Target:
    """A promise: `contestant` needs at most `ratio` times what `against` needs.

    `measure` is "seconds", "seconds per step" (of those that `quality` tells) or "peak_extra_bytes";
    `against` may be "data", the bytes of the data.
    """

    contestant: str
    against: str
    ratio: float
    measure: str = "seconds"


@dataclass(frozen=True)
class Entry:
    """A benchmark: the same data handed to several contestants.

    Parameters
    ----------
    title : str
    make_data : callable (**case) -> data
        Deterministic, since every worker makes its own copy.
    contestants : tuple of Contestant
        The first is the reference of all ratios.
    cases, quick_cases : tuple of dict
        Keyword arguments of `make_data`; the quick ones replace the others under ``--quick``.
    growth : dict of str -> tuple of dict
        For a size such as "n", cases along which it grows; exponents are fitted to them.
    targets : tuple of Target
        Checked on `cases` only.
    """

    title: str
    make_data: Callable[..., Any]
    contestants: tuple
    cases: tuple
    quick_cases: tuple
    growth: Mapping[str, tuple] = field(default_factory=dict)
    targets: tuple = ()

    def contestant(self, name: str) -> Contestant:
        return next(c for c in self.contestants if c.name == name)


def entry_names() -> list:
    """Names of all entries, found by their files."""
    from benchmarks import entries

    return sorted(module.name for module in pkgutil.iter_modules(entries.__path__))


def load_entry(module: str) -> Entry:
    """The entry in a module: a full name, or the name of a file in `benchmarks/entries`."""
    return importlib.import_module(module if "." in module else f"benchmarks.entries.{module}").ENTRY
