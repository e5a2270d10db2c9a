"""The outcome of repeating a paper's experiment: our numbers beside the published ones, and verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nearkin.experiments.claims import MOSTLY, NO, NOT_TESTED, YES, Verdict
from nearkin.experiments.statistics import Statistic

#: Seconds depend on the machine and are not compared with published ones.
NOT_COMPARED = ("seconds",)
#: A small skewness is what a proposed method is for; others (Move-query) are meant to have hubs.
OF_PROPOSED_METHODS = ("skewness",)
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Cell:
    """One method on one data set.

    `difference` from the published number is None where nothing is compared, `in_sd` the same in published
    standard deviations.
    """

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
    metric: str
    decimals: int
    greater_is_better: bool
    methods: tuple[str, ...]
    rows: tuple[Row, ...]
    without_estimator: tuple[str, ...] = ()
    remark: str = ""


@dataclass(frozen=True)
class CheckedClaim:
    """A claim with its verdict on the numbers measured here and on those the paper prints."""

    text: str
    here: Verdict
    published: Verdict
    beyond: bool = False


@dataclass(frozen=True)
class Shortfall:
    """A cell that is worse than published by more than is allowed, and the reason if it is known."""

    dataset: str
    difference: float
    reason: str = ""


@dataclass(frozen=True)
class Agreement:
    """How a method's numbers compare with the published ones, set by set.

    A number counts once: `better` is at or better than published, `within` worse by at most one published
    standard deviation, `within_own` worse by at most our own over the folds where the paper prints none,
    and `worse` the rest. `own` tells whether the paper proposes the method.
    """

    table: str
    metric: str
    method: str
    own: bool
    better: int
    within: int
    within_own: int
    worse: tuple[Shortfall, ...] = ()

    @property
    def total(self) -> int:
        return self.better + self.within + self.within_own + len(self.worse)


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
    datasets, methods : tuple of str or None
        The sets and methods that were asked for; None for all.
    tables : tuple of ResultTable
    claims : tuple of CheckedClaim
    statistics : tuple of Statistic
        Tests on the numbers measured here: the paper's own, or those that its claims call for.
    agreement : tuple of Agreement
    used, absent : tuples of UsedDataset and AbsentDataset
        Together these are all the sets of the paper (or all that were asked for).
    deviations : tuple of str
        How this run differs from the paper.
    failures : tuple of str
        Methods that failed or were not run somewhere, and why.
    seconds, work_seconds : float
        Time on the clock of this call, and the time all fits took together whenever they ran.
    commits : tuple of str
        Commits of the code that measured the results; more than one where a run was continued after changes
        that its results do not depend on.
    figures : tuple of dict
        The paper's figures: "title", what it "published", and "drawing" with our data.
    """

    paper: str
    citation: str
    datasets: tuple[str, ...] | None
    methods: tuple[str, ...] | None
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
    commits: tuple[str, ...] = ()
    figures: tuple[dict[str, Any], ...] = ()

    @property
    def command(self) -> str:
        """The command that repeats this run."""
        chosen = f" --datasets {','.join(self.datasets)}" if self.datasets is not None else ""
        if self.methods is not None:
            chosen += f' --methods "{",".join(self.methods)}"'
        return f"nearkin reproduce {self.paper}{chosen}{' --quick' if self.quick else ''} --seed {self.seed}"

    @property
    def headline(self) -> str:
        """The outcome in one sentence; what the paper does not claim itself is counted separately."""
        parts = [_tally([claim for claim in self.claims if not claim.beyond], "claims of the paper")]
        further = [claim for claim in self.claims if claim.beyond]
        if further:
            parts.append(_tally(further, "claims beyond it"))
        # A set in two forms, such as two numbers of dimensions, is one set.
        used = {one.name for one in self.used}
        every = used | {one.name for one in self.absent}
        return f"{'; '.join(parts)}; {len(used)} of {len(every)} data sets took part."

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain values, ready for JSON."""
        found = asdict(self)
        for claim, checked in zip(found["claims"], self.claims, strict=True):
            claim["here"]["text"], claim["published"]["text"] = checked.here.text, checked.published.text
        return {**found, "headline": self.headline, "command": self.command}


def _tally(claims: Sequence[CheckedClaim], what: str) -> str:
    answers = [claim.here.answer for claim in claims]
    tested = [answer for answer in answers if answer != NOT_TESTED]
    parts = [f"{tested.count(YES)} of {len(tested)} {what} hold"]
    for answer, one, many in ((MOSTLY, "holds mostly", "hold mostly"), (NO, "does not", "do not")):
        if count := tested.count(answer):
            parts.append(f"{count} {one if count == 1 else many}")
    if len(tested) < len(answers):
        parts.append(f"{len(answers) - len(tested)} could not be tested")
    return ", ".join(parts)


def agreements(
    tables: Sequence[ResultTable], own: Sequence[str], reasons: Mapping[tuple[str, str, str], str]
) -> tuple[Agreement, ...]:
    """How each method's numbers compare with the published ones.

    `own` names the methods that the paper proposes, `reasons` says why a (metric, data set, method) falls
    short.
    """
    found = []
    for table in tables:
        for position, method in enumerate(table.methods):
            if table.metric in OF_PROPOSED_METHODS and method not in own:
                continue
            cells = [(row.dataset, row.cells[position]) for row in table.rows]
            cells = [(label, cell) for label, cell in cells if cell.difference is not None]
            if not cells:
                continue
            kinds = [(label, cell, _standing(cell, table.greater_is_better)) for label, cell in cells]
            count = Counter(kind for _, _, kind in kinds)
            worse = tuple(
                Shortfall(label, cell.difference or 0.0, reasons.get((table.metric, label, method), ""))
                for label, cell, kind in kinds
                if kind == "worse"
            )
            found.append(
                Agreement(
                    table.name,
                    table.metric,
                    method,
                    method in own,
                    count["better"],
                    count["within"],
                    count["within own"],
                    worse,
                )
            )
    return tuple(found)


def _standing(cell: Cell, greater_is_better: bool) -> str:
    gain = (cell.difference or 0.0) * (1 if greater_is_better else -1)
    if gain >= -_ROUNDING:
        return "better"
    if cell.published_sd is not None:
        return "within" if gain >= -cell.published_sd - _ROUNDING else "worse"
    return "within own" if gain >= -(cell.ours_sd or 0.0) - _ROUNDING else "worse"
