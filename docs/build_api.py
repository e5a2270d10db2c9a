"""Write docs/api.md: every public name, found by walking the package, for the reference of the site.

Run it after adding a public name::

    python docs/build.py

A test compares the page with what this script would write. The pages of the names themselves are made from
the docstrings when the site is built (`make docs`).
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path

import nearkin

PAGE = Path(__file__).with_name("api.md")

INTRODUCTION = """\
<!-- Written by docs/build_api.py; change the docstrings and run it again. -->

# API reference

Every public name, from its docstring. [Estimators](#estimators) come first, then the rooms below them, which
compositions and extensions use.

All estimators keep scikit-learn's conventions: `fit` returns the estimator, constructor parameters are
never changed, fitted attributes end in `_`, and `get_params`, `set_params`, `clone`, pipelines, grid
search, `set_output` and feature names work as everywhere. These inherited methods are not repeated.

Fitted by every learner: `distance_`, `objective_` (final training objective, mean per sample), `n_iter_`,
`n_features_in_`, `feature_names_in_` (for data frames) and, for classification, `classes_`."""

#: Modules without a list of their own whose functions and classes are public all the same.
UNLISTED = ("nearkin.persistence", "nearkin.datasets.synthetic")
#: What the top level shows already, and the command line.
SHOWN_ABOVE = ("nearkin.learners.", "nearkin.cli")


def summary_of(names: list[str]) -> str:
    """A table of names, each with a page made from its docstring."""
    listed = "\n".join(f"   {name}" for name in names)
    return f"```{{eval-rst}}\n.. autosummary::\n   :toctree: reference\n   :nosignatures:\n\n{listed}\n```"


def estimators_and_functions() -> tuple[dict[str, list[str]], list[str]]:
    """What `nearkin` itself exports: classes by the room or family they live in, and functions."""
    families: dict[str, list[str]] = {}
    functions = []
    for name in sorted(nearkin.__all__, key=str.lower):
        item = getattr(nearkin, name)
        if not inspect.isclass(item):
            functions.append(name)
            continue
        room = item.__module__.split(".")
        family = f"Learners: {room[2].replace('_', ' ')}" if room[1] == "learners" else room[1].capitalize()
        families.setdefault(family, []).append(name)
    return dict(sorted(families.items())), functions


def names_of(module: str) -> list[str]:
    """Public names of a room; constants are left to its pages."""
    room = importlib.import_module(module)
    listed = getattr(room, "__all__", None)
    if listed is None and module in UNLISTED:
        listed = [name for name, item in vars(room).items() if getattr(item, "__module__", "") == module]
    names = [name for name in listed or [] if not name.startswith("_") and callable(getattr(room, name))]
    return sorted(names, key=str.lower)


def rooms() -> list[str]:
    """Every module with public names of its own, in the order of the alphabet."""
    found = [
        info.name
        for info in pkgutil.walk_packages(nearkin.__path__, "nearkin.")
        if (info.ispkg or info.name in UNLISTED) and not info.name.startswith(SHOWN_ABOVE)
    ]
    return [module for module in found if names_of(module)]


def page() -> str:
    """The whole page."""
    families, functions = estimators_and_functions()
    parts = [INTRODUCTION, "## Estimators"]
    for family, names in families.items():
        parts += [f"### {family}", summary_of([f"nearkin.{name}" for name in names])]
    parts += ["## Functions", summary_of([f"nearkin.{name}" for name in functions])]
    shown = {id(getattr(nearkin, name)) for name in nearkin.__all__}
    for module in rooms():
        room = importlib.import_module(module)
        own = {name: id(getattr(room, name)) for name in names_of(module)}
        own = {name: item for name, item in own.items() if item not in shown}
        shown |= set(own.values())
        if own:
            about = (inspect.getdoc(room) or "").partition("\n")[0]
            parts += [f"## {module}", about, summary_of([f"{module}.{name}" for name in own])]
    return "\n\n".join(part for part in parts if part) + "\n"


def files() -> dict[Path, str]:
    """The page with the text it should have."""
    return {PAGE: page()}
