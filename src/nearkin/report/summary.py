"""What a report says, as plain data: the leaderboard and the circumstances of the run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

LEARNER = "learner"
BASELINE = "baseline"
REFERENCE = "reference"


@dataclass(frozen=True)
class Score:
    """The measure that ranks the rows."""

    name: str
    higher_is_better: bool
    as_percent: bool

    def text(self, value: float | None, *, signed: bool = False) -> str:
        """The value as people read it.

        >>> Score("accuracy", True, True).text(0.9713)
        '97.1 %'
        >>> Score("aRRMSE", False, False).text(-0.0421, signed=True)
        '−0.042'
        """
        if value is None or value != value:
            return "–"
        sign = "+" if signed else ""
        number = f"{100 * value:{sign}.1f}" if self.as_percent else f"{value:{sign}.3f}"
        unit = (" points" if signed else " %") if self.as_percent else ""
        return number.replace("-", "−") + unit


ACCURACY = Score("accuracy", higher_is_better=True, as_percent=True)
ARRMSE = Score("aRRMSE", higher_is_better=False, as_percent=False)


@dataclass(frozen=True)
class Standing:
    """One row of the leaderboard.

    `gain` is the mean score minus Euclid's, `p_value` its significance, `verdict` one of "beats",
    "no difference", "worse" or "" where nothing was tested. A row that did not finish has no score (NaN), but
    may have the `scout_score` of a quick first look.
    """

    name: str
    kind: str = LEARNER
    status: str = "done"
    scores: Sequence[float] = ()
    n_planned: int = 0
    score: float = math.nan
    spread: float | None = None
    interval: tuple[float, float] | None = None
    gain: float | None = None
    p_value: float | None = None
    wilcoxon_p: float | None = None
    verdict: str = ""
    skewness: float | None = None
    fit_seconds: float | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    scout_score: float | None = None

    @property
    def finished(self) -> bool:
        return not math.isnan(self.score)

    @property
    def partial(self) -> bool:
        """Whether only some of the folds have a score, so that the mean is not quite comparable."""
        return 0 < len(self.scores) < self.n_planned


@dataclass(frozen=True)
class Summary:
    """Everything the report says that is not a view of the data itself.

    Attributes
    ----------
    standings : sequence of Standing
        Best first; rows that did not finish come last.
    headline : str
        The answer in one sentence.
    facts : dict
        Name and value pairs about the data and the protocol, shown in this order.
    versions : dict
        Package versions.
    command : str
        What to run to get this again.
    """

    title: str
    task: str
    score: Score
    standings: Sequence[Standing]
    headline: str
    facts: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    command: str = ""
    notices: Sequence[str] = ()
    test_name: str = ""

    @property
    def finished(self) -> list[Standing]:
        return [row for row in self.standings if row.finished]

    @property
    def baseline(self) -> Standing | None:
        return next((row for row in self.finished if row.kind == BASELINE), None)

    @property
    def winner(self) -> Standing | None:
        """The best neighbour method; reference models do not compete."""
        return next((row for row in self.finished if row.kind != REFERENCE), None)
