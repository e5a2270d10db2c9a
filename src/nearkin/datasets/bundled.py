"""Data sets that come with installed packages: scikit-learn's own, and files inside other packages."""

from __future__ import annotations

import importlib
import importlib.util
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nearkin.datasets.dataset import Dataset
from nearkin.datasets.delimited import parse_delimited
from nearkin.datasets.errors import DataError
from nearkin.datasets.readers import read_table
from nearkin.datasets.registry import KnownDataset
from nearkin.datasets.tables import dataset_from_table

if TYPE_CHECKING:
    import pandas as pd


def bundled_source(known: KnownDataset) -> str | None:
    """Name of the installed package that carries the set, or None."""
    if known.sklearn:
        return "scikit-learn"
    if known.package and _package_folder(known.package) is not None:
        return known.package.replace("_", "-")
    return None


def load_bundled(known: KnownDataset) -> Dataset:
    """The set from the package named by `bundled_source`."""
    return _from_sklearn(known) if known.sklearn else _from_package(known)


def _from_sklearn(known: KnownDataset) -> Dataset:
    bunch = getattr(importlib.import_module("sklearn.datasets"), known.sklearn)()
    many = np.ndim(bunch.target) == 2
    names = tuple(str(name) for name in bunch.feature_names)
    return Dataset(
        name=known.name,
        X=bunch.data,
        y=bunch.target,
        task=known.task,
        feature_names=names,
        target_names=tuple(bunch.target_names) if many else (),
        class_names=tuple(str(name) for name in bunch.target_names) if known.classes else (),
        source=f"scikit-learn {metadata.version('scikit-learn')}: {known.sklearn}",
    )


def _from_package(known: KnownDataset) -> Dataset:
    import pandas as pd

    folder = _package_folder(known.package)
    if folder is None:
        raise DataError(f"the package {known.package} is not installed.")
    table = pd.concat([_read_part(folder / file, known.layout) for file in known.files], ignore_index=True)
    target = known.target if known.target is not None else str(table.columns[-1])
    if known.class_names:
        table[target] = [known.class_names[int(number) - 1] for number in table[target]]
    return dataset_from_table(
        table,
        known.name,
        target=target,
        task=known.task,
        drop=known.drop,
        source=f"package {known.package}: {known.files[0]}",
    )


def _read_part(path: Path, layout: str) -> pd.DataFrame:
    if layout == "arff":
        return read_table(path)
    text = path.read_text("utf-8", errors="strict")
    first = text.lstrip().splitlines()[0]
    if layout == "spaces":
        columns = [f"column_{i + 1}" for i in range(len(first.split()))]
        return parse_delimited(text, path.name, columns, r"\s+")
    cells = [cell.strip() for cell in first.split(",")]
    header = not cells[1].replace(".", "").isdigit()
    columns = cells if header else [f"column_{i + 1}" for i in range(len(cells))]
    return parse_delimited(text, path.name, columns, ",", skip_first=header)


def _package_folder(package: str) -> Path | None:
    """Folder of an installed package, found without importing (running) it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))
