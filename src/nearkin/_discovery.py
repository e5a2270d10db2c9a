"""Public names, found by walking the package when one is first asked for, so that there is no list to keep.

A room such as `nearkin.losses` says in its `__init__` what counts as public there, and a class in a new file
is public at once. Type checkers do not run code, so `docs/build_stubs.py` writes what is found into stubs.
"""

from __future__ import annotations

import inspect
import pkgutil
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

Contract = TypeVar("Contract")


@cache
def module_names(package: str) -> tuple[str, ...]:
    """Names of the modules in a package of nearkin, sorted; nothing is imported.

    >>> "nca" in module_names("nearkin.losses")
    True
    """
    house, *rooms = package.split(".")
    folders = [str(Path(folder, *rooms)) for folder in sys.modules[house].__path__]
    return tuple(sorted(info.name for info in pkgutil.iter_modules(folders)))


def subclasses(package: str, contract: type[Contract]) -> dict[str, type[Contract]]:
    """Public concrete subclasses of a contract in all modules of a package, by name.

    >>> from nearkin.losses import Loss
    >>> subclasses("nearkin.losses", Loss)["NCALoss"]
    <class 'nearkin.losses.nca.NCALoss'>
    """
    found: dict[str, type[Contract]] = {}
    for info in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
        module = import_module(info.name)
        for name, item in vars(module).items():
            if (
                inspect.isclass(item)
                and issubclass(item, contract)
                and item.__module__ == module.__name__
                and not name.startswith("_")
                and not inspect.isabstract(item)
            ):
                found[name] = item
    return dict(sorted(found.items()))


def lazy_names(
    package: str, find: Callable[[], Mapping[str, Any]], homes: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package whose public names are found when one is asked for.

    Parameters
    ----------
    package : str
        Its name; what its `__init__` imported from nearkin before this call is public as well.
    find : callable
        Finds the names; called at most once.
    homes : mapping of name to module, optional
        Names whose module is known, so that asking for one of them imports no other module.
    """
    space = vars(sys.modules[package])
    homes = homes or {}
    house = package.partition(".")[0]
    at_once = {name for name, item in space.items() if not name.startswith("_") and _is_of(house, item)}

    @cache
    def found() -> Mapping[str, Any]:
        return find()

    def all_names() -> list[str]:
        return sorted({*at_once, *homes, *found()})

    def get(name: str) -> Any:
        if name == "__all__":
            return all_names()
        if name in homes:
            item = getattr(import_module(homes[name]), name)
        elif name in module_names(package):
            return import_module(f"{package}.{name}")
        elif not name.startswith("_") and name in found():
            item = found()[name]
        else:
            raise AttributeError(
                f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package]
            )
        space[name] = item
        return item

    return get, all_names


def _is_of(house: str, item: Any) -> bool:
    """Whether the item is defined in this package, but not in this module."""
    home = getattr(item, "__module__", None) or __name__
    return home != __name__ and home.startswith(f"{house}.")
