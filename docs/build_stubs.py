"""Write the `__init__.pyi` of every package whose public names are found by walking it.

Type checkers and editors do not run code, so what is found when nearkin runs is written down for them. Run it
after adding or removing a public class::

    python docs/build.py

A test compares the files with what this script would write.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import nearkin
from nearkin import _discovery

HEADER = "# Written by docs/build_stubs.py from what discovery finds; do not edit.\n"


def lazy_packages() -> list[str]:
    """nearkin and those of its packages that find their names by walking."""
    found = ["nearkin"]
    for info in pkgutil.walk_packages(nearkin.__path__, "nearkin."):
        if info.ispkg:
            get = vars(importlib.import_module(info.name)).get("__getattr__")
            if getattr(get, "__module__", None) == _discovery.__name__:
                found.append(info.name)
    return found


def stub(package: str) -> str:
    """The text of a package's stub: every public name from the module that defines it."""
    module = importlib.import_module(package)
    items = [(getattr(module, name), name) for name in module.__all__]
    lines = [
        f"from {item.__module__} import {name} as {name}" for item, name in items if item.__name__ == name
    ]
    # A class may have a second name, kept from before.
    second = [f"{name} = {item.__name__}" for item, name in items if item.__name__ != name]
    second = ["", *second] if second else []
    if package == "nearkin":
        rooms = [name for name in _discovery.module_names(package) if not name.startswith("_")]
        lines += [f"from nearkin import {room} as {room}" for room in rooms]
        return HEADER + "\n".join(sorted(lines, key=_order)) + "\n\n__version__: str\n"
    return HEADER + "\n".join([*sorted(lines, key=_order), *second]) + "\n"


def _order(line: str) -> tuple:
    """As ruff sorts imports: by module, then constants, classes and functions."""
    _, home, _, name, *_ = line.split()
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return home, kind, name


def files() -> dict[Path, str]:
    """Every stub with the text it should have."""
    folder = Path(nearkin.__file__).parent
    return {
        folder.joinpath(*package.split(".")[1:], "__init__.pyi"): stub(package) for package in lazy_packages()
    }
