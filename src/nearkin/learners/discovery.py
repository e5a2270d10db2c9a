"""Every learner, found by walking the package, so that no list has to be maintained."""

from __future__ import annotations

from functools import cache

from nearkin._discovery import subclasses
from nearkin.learners.base import Learner


@cache
def public_learners(package: str = "nearkin.learners") -> dict[str, type[Learner]]:
    """Learners below a package that have a `summary`, by name, sorted.

    >>> "ITML" in public_learners("nearkin.learners.constraint")
    True
    """
    return {name: learner for name, learner in subclasses(package, Learner).items() if learner.summary}


@cache
def all_learners() -> dict[str, type[Learner]]:
    """Public learners that can be fitted without arguments, by name, sorted; not `MetricLearner`.

    >>> "MoveLabeled" in all_learners(), "MetricLearner" in all_learners()
    (True, False)
    """
    return {name: learner for name, learner in public_learners().items() if learner.ready}


def _plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def find_learner(name: str) -> type[Learner]:
    """The learner of that name, ignoring case and hyphens.

    >>> find_learner("move-labeled").__name__
    'MoveLabeled'
    """
    by_plain_name = {_plain(known): learner for known, learner in all_learners().items()}
    if _plain(name) not in by_plain_name:
        raise ValueError(f"there is no learner {name!r}; known: {', '.join(all_learners())}.")
    return by_plain_name[_plain(name)]
