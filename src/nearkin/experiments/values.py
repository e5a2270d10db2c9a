"""Numbers by metric, data set and method, published or measured: claims read both in the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Key = tuple[str, str, str]


@dataclass(frozen=True)
class Values:
    """A table of means with what else is known of its cells.

    Attributes
    ----------
    datasets : tuple of str
        Labels in the order of the paper.
    means : mapping of (metric, dataset, method) to float
    scores : mapping of the same keys to tuples of float
        One per fold; empty for published numbers.
    choices : mapping of (dataset, method) to dict
        The settings that were chosen.
    n_features : mapping of dataset to int
    """

    datasets: tuple[str, ...]
    means: Mapping[Key, float]
    scores: Mapping[Key, tuple[float, ...]] = field(default_factory=dict)
    choices: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    n_features: Mapping[str, int] = field(default_factory=dict)

    def complete(self, metric: str, methods: Sequence[str], among: Sequence[str] | None = None) -> list[str]:
        """Data sets for which every one of the methods has a number."""
        return [
            dataset
            for dataset in (self.datasets if among is None else among)
            if all((metric, dataset, method) in self.means for method in methods)
        ]

    def table(self, metric: str, methods: Sequence[str], datasets: Sequence[str]) -> np.ndarray:
        """Means as an array of data sets x methods; every cell must be there."""
        return np.array([[self.means[metric, label, method] for method in methods] for label in datasets])
