"""Every learner, found by walking the package: there is no list to keep."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache

import nearkin.learners as package
from nearkin.learners.base import Learner


@cache
def all_learners() -> dict[str, type[Learner]]:
    """Public learner classes by name, sorted.

    >>> "MoveLabeled" in all_learners()
    True
    """
    found: dict[str, type[Learner]] = {}
    for module_info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        module = importlib.import_module(module_info.name)
        for name, item in vars(module).items():
            if (
                inspect.isclass(item)
                and issubclass(item, Learner)
                and item.__module__ == module.__name__
                and not name.startswith("_")
                and not inspect.isabstract(item)
                and item.summary
            ):
                found[name] = item
    return dict(sorted(found.items()))


def _plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def find_learner(name: str) -> type[Learner]:
    """The learner of that name, however it is cased or hyphenated.

    >>> find_learner("move-labeled").__name__
    'MoveLabeled'
    """
    by_plain_name = {_plain(known): learner for known, learner in all_learners().items()}
    if _plain(name) not in by_plain_name:
        raise ValueError(f"there is no learner {name!r}; known: {', '.join(all_learners())}.")
    return by_plain_name[_plain(name)]
