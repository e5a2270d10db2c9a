"""What a paper's experiment is, as data: its sets, methods, protocol, published numbers and claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter

import numpy as np

from nearkin.datasets import Dataset
from nearkin.evaluation import Candidate, Protocol, Record
from nearkin.evaluation.measurement import inner_training_rows
from nearkin.evaluation.metrics import ACCURACY, ARRMSE, Metric
from nearkin.experiments.claims import Claim
from nearkin.experiments.figures import Figure
from nearkin.experiments.halving import Halving
from nearkin.experiments.published import PublishedTable
from nearkin.experiments.statistics import Statistic
from nearkin.experiments.values import Values


def _error(record: Record) -> float | None:
    return None if record.score is None else 1 - record.score


#: Metrics that the papers' tables print, by name.
PRINTED_METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        ACCURACY,
        Metric("error", greater_is_better=False, percent=True, decimals=2, read=_error),
        ARRMSE,
        Metric("skewness", greater_is_better=False, decimals=2, read=attrgetter("hub_skewness")),
        Metric("sparsity", False, decimals=2, read=lambda record: record.figures.get("sparsity")),
        Metric("seconds", False, decimals=2, read=attrgetter("fit_seconds")),
    )
}


@dataclass(frozen=True)
class DatasetUse:
    """How a paper uses a data set.

    Parameters
    ----------
    name : str
        In the registry of `nearkin.datasets`.
    label : str
        In the paper's tables.
    classes : tuple of str
        Names of the classes kept; empty keeps all.
    published_split : bool
        Train and test on the parts published with the set instead of the paper's protocol.
    reduction : callable or None
        From the whole set to the set that is split, for what a paper does before it splits. It may not look
        at labels.
    protocol : Protocol or None
        Instead of the paper's usual one, in full runs.
    max_rows : int or None
        Rows drawn for every run (the paper uses a part of the set itself).
    per_class : int or None
        The same, as many rows of every class.
    quick_rows : int or None
        Rows drawn for a quick run; None takes all.
    in_quick : bool
        Whether a quick run includes it.
    kind : str
        What sort of data it is, for the paper's preparation and claims.
    remark : str
        How the data at hand differs from the paper's.
    """

    name: str
    label: str
    classes: tuple[str, ...] = ()
    published_split: bool = False
    reduction: Callable[[Dataset], Dataset] | None = None
    protocol: Protocol | None = None
    max_rows: int | None = None
    per_class: int | None = None
    quick_rows: int | None = None
    in_quick: bool = True
    kind: str = ""
    remark: str = ""


@dataclass(frozen=True, eq=False)
class Setup:
    """One data set ready to be run: what a method needs to know to choose its estimator and grid."""

    use: DatasetUse
    data: Dataset
    protocol: Protocol
    quick: bool
    seed: int = 0

    @cached_property
    def encoded(self) -> Dataset:
        """The data in plain numbers, to look at and count; what is tested encodes inside its folds."""
        return self.data.encoded()

    @cached_property
    def smallest_training_part(self) -> int:
        """Rows that the smallest inner fold trains on."""
        splits = self.protocol.splits(self.data.y, self.seed)
        return inner_training_rows(min(len(split.train) for split in splits))

    def neighbour_counts(self, requested) -> list[int]:
        """Those numbers of neighbours that every inner training part has rows for."""
        return [k for k in requested if k <= self.smallest_training_part] or [1]


@dataclass(frozen=True)
class Method:
    """A column of the paper's tables that nearkin can fill.

    `omit` gives the reason for not running it on a set, or an empty string; `own` marks what the paper
    proposes, as opposed to what it compares with.
    """

    label: str
    build: Callable[[Setup], Candidate]
    omit: Callable[[Setup], str] = field(default=lambda setup: "")
    own: bool = False


@dataclass(frozen=True)
class Paper:
    """One paper's experiment.

    Parameters
    ----------
    key, citation : str
        The name on the command line, and the reference.
    datasets, methods : what is run on what
    protocol, quick_protocol : Protocol
        As in the paper, and with fewer repeats.
    tables : tuple of PublishedTable
    claims : tuple of Claim
    statistics : tuple of functions from Values to Statistic or None
        The tests of the paper, on whatever was measured.
    facts : str
        The protocol in a sentence.
    deviations, quick_deviations : tuple of str
        How every run, and in addition a quick run, differs from the paper.
    published_choices : mapping of (dataset, method) to dict
        Settings that the paper says were chosen.
    further_metrics : tuple of str
        What claims read besides the metrics of the tables.
    quick_task_seconds : float or None
        Time limit of one fit with its tuning in a quick run.
    halving : Halving or None
        How a grid is searched where the protocol has validation rows; None tries every setting on every fold.
    metric : Metric or None
        What settings are chosen by and scores are measured in; accuracy or aRRMSE by default.
    reasons : mapping of (metric, dataset, method) to str
        Why our number is worse than the published one, or what was measured to find out.
    figures : tuple of Figure
        The paper's figures, redrawn for a report.
    """

    key: str
    citation: str
    datasets: tuple[DatasetUse, ...]
    methods: tuple[Method, ...]
    protocol: Protocol
    quick_protocol: Protocol
    tables: tuple[PublishedTable, ...]
    claims: tuple[Claim, ...]
    facts: str
    statistics: tuple[Callable[[Values], Statistic | None], ...] = ()
    deviations: tuple[str, ...] = ()
    quick_deviations: tuple[str, ...] = ()
    published_choices: Mapping[tuple[str, str], Mapping] = field(default_factory=dict)
    further_metrics: tuple[str, ...] = ()
    quick_task_seconds: float | None = 120.0
    halving: Halving | None = None
    metric: Metric | None = None
    reasons: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    figures: tuple[Figure, ...] = ()

    @property
    def metrics(self) -> tuple[str, ...]:
        return (*dict.fromkeys(table.metric for table in self.tables), *self.further_metrics)

    def published(self) -> Values:
        """The numbers of its tables."""
        means = {
            (table.metric, label, method): number.mean
            for table in self.tables
            for label, row in table.rows.items()
            for method, number in zip(table.methods, row, strict=True)
            if number is not None
        }
        dimensions = {label: size for table in self.tables for label, size in table.dimensions.items()}
        return Values(
            tuple(use.label for use in self.datasets),
            means,
            choices=self.published_choices,
            n_features=dimensions,
        )


def rows_for(use: DatasetUse, data: Dataset, quick: bool, seed: int) -> np.ndarray:
    """Row numbers that a run uses: those of the chosen classes, and no more of them than the limit.

    Rows are drawn at random by the seed: the same share of every class, or the same number where the paper
    draws that many of each.
    """
    rows = np.arange(data.n_samples)
    if use.classes:
        kept = [
            code
            for code, name in zip(np.unique(data.y), data.class_names, strict=True)
            if name in use.classes
        ]
        if len(kept) != len(use.classes):
            raise ValueError(f"{use.name} has no classes {use.classes}; it has {data.class_names}.")
        rows = np.flatnonzero(np.isin(data.y, kept))
    if use.per_class:
        drawn = np.random.default_rng([seed, 0]).permutation(rows)
        of_class = [drawn[data.y[drawn] == code][: use.per_class] for code in np.unique(data.y[rows])]
        rows = np.sort(np.concatenate(of_class))
    limits = [limit for limit in (use.max_rows, use.quick_rows if quick else None) if limit]
    limit = min(limits, default=len(rows))
    if len(rows) <= limit:
        return rows
    order = np.random.default_rng([seed, 0]).permutation(len(rows))
    if data.n_classes:
        # Grouped by class and thinned evenly, every class keeps its share.
        order = order[np.argsort(data.y[rows][order], kind="stable")]
        order = order[np.floor(np.arange(limit) * len(rows) / limit).astype(int)]
    return np.sort(rows[order[:limit]])
