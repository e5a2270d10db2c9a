"""The outcome of repeating a paper's experiment: our numbers beside the published ones, and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nearkin.experiments.claims import Verdict
from nearkin.experiments.statistics import Statistic

HUBNESS = "skewness"


@dataclass(frozen=True)
class Cell:
    """One method on one data set; `in_sd` is the difference in published standard deviations."""

    method: str
    ours: float | None = None
    ours_sd: float | None = None
    n_folds: int = 0
    published: float | None = None
    published_sd: float | None = None
    difference: float | None = None
    in_sd: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Row:
    """One data set's line."""

    dataset: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class ResultTable:
    """A table of the paper, filled with what was measured."""

    name: str
    measure: str
    decimals: int
    greater_is_better: bool
    methods: tuple[str, ...]
    rows: tuple[Row, ...]
    without_estimator: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckedClaim:
    """A claim with its verdict on the numbers measured here and on those the paper prints."""

    text: str
    here: Verdict
    published: Verdict


@dataclass(frozen=True)
class Agreement:
    """On how many sets a method's published number was reached: within a deviation of it, or better."""

    table: str
    measure: str
    method: str
    reached: int
    total: int
    short_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class UsedDataset:
    """A set that took part."""

    label: str
    name: str
    n_rows: int
    n_features: int
    all_rows: int
    source: str
    remark: str = ""


@dataclass(frozen=True)
class AbsentDataset:
    """A set of the paper that did not take part, why, and how to get it."""

    label: str
    name: str
    reason: str
    how: str = ""


@dataclass(frozen=True)
class Reproduction:
    """Everything a table, a page or JSON says about one run.

    Attributes
    ----------
    datasets : tuple of str or None
        The sets that were asked for; None for all.
    tables : tuple of ResultTable
    claims : tuple of CheckedClaim
    statistics : tuple of Statistic
        The paper's own tests, on the numbers measured here.
    agreement : tuple of Agreement
    used, absent : tuples of UsedDataset and AbsentDataset
        Together these are all the sets of the paper (or all that were asked for).
    deviations : tuple of str
        Where this run differs from the paper.
    failures : tuple of str
        Methods that failed or were not run somewhere, and why.
    seconds, work_seconds : float
        Time on the clock of this call, and the time all fits took together whenever they ran.
    """

    paper: str
    citation: str
    datasets: tuple[str, ...] | None
    quick: bool
    seed: int
    protocol: str
    tables: tuple[ResultTable, ...]
    claims: tuple[CheckedClaim, ...]
    statistics: tuple[Statistic, ...]
    agreement: tuple[Agreement, ...]
    used: tuple[UsedDataset, ...]
    absent: tuple[AbsentDataset, ...]
    deviations: tuple[str, ...]
    failures: tuple[str, ...]
    versions: dict[str, str]
    date: str
    seconds: float
    work_seconds: float

    @property
    def command(self) -> str:
        """What to type to get the same again."""
        chosen = f" --datasets {','.join(self.datasets)}" if self.datasets is not None else ""
        return f"nearkin reproduce {self.paper}{chosen}{' --quick' if self.quick else ''} --seed {self.seed}"

    @property
    def headline(self) -> str:
        """The outcome in one sentence."""
        answers = [claim.here.answer for claim in self.claims]
        tested = [answer for answer in answers if answer != "not tested"]
        parts = [f"{tested.count('yes')} of {len(tested)} claims hold"]
        for answer, words in (("mostly", "hold mostly"), ("no", "do not")):
            if tested.count(answer):
                parts.append(f"{tested.count(answer)} {words}")
        if len(tested) < len(answers):
            parts.append(f"{len(answers) - len(tested)} could not be tested")
        n_sets = len(self.used) + len(self.absent)
        return f"{', '.join(parts)}; {len(self.used)} of {n_sets} data sets took part."

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain values, ready for JSON."""
        found = asdict(self)
        for claim, checked in zip(found["claims"], self.claims, strict=True):
            claim["here"]["text"], claim["published"]["text"] = checked.here.text, checked.published.text
        return {**found, "headline": self.headline, "command": self.command}


def agreements(tables: Sequence[ResultTable]) -> tuple[Agreement, ...]:
    """How often each published score was reached; ours is the deviation allowed where none is printed."""
    found = []
    for table in tables:
        if table.measure == HUBNESS:
            continue  # not a score: nobody aims at the skewness of Move-query
        for position, method in enumerate(table.methods):
            cells = [(row.dataset, row.cells[position]) for row in table.rows]
            cells = [(label, cell) for label, cell in cells if cell.difference is not None]
            if not cells:
                continue
            short = tuple(label for label, cell in cells if not _reached(cell, table.greater_is_better))
            found.append(
                Agreement(table.name, table.measure, method, len(cells) - len(short), len(cells), short)
            )
    return tuple(found)


def _reached(cell: Cell, greater_is_better: bool) -> bool:
    gain = (cell.difference or 0.0) * (1 if greater_is_better else -1)
    allowed = cell.ours_sd if cell.published_sd is None else cell.published_sd
    return gain >= -(allowed or 0.0) - 1e-9
