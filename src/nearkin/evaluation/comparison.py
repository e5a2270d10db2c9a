"""The main question: which candidate is best on this data, and is it really better than the baseline?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

from nearkin.evaluation.metrics import Metric, metric_named
from nearkin.evaluation.results import BEATS, DONE, LEARNER, NOT_RUN_BUDGET, Record, Standing
from nearkin.evaluation.standings import make_standings, paired_test

if TYPE_CHECKING:
    import pandas as pd

BEST_MEAN = "best-mean"
SIGNIFICANT = "significant"
#: How the model to save may be chosen, beside by its name.
WINNER_RULES = (BEST_MEAN, SIGNIFICANT)


@dataclass(frozen=True)
class Comparison:
    """Candidates compared on one problem, best first.

    Attributes
    ----------
    dataset : str
    metric : Metric
        What the candidates are ranked by.
    baseline : str
        Label of the candidate that the others are tested against.
    rows : tuple of Standing
        The leaderboard, best first; candidates that did not finish come last.
    protocol : dict
    seed : int
    run : str or None
        Name of the run in its results store.
    rope : float or None
        Differences up to this size count as practically equivalent.
    interrupted : bool
        Whether it was stopped before its end.
    """

    dataset: str
    metric: Metric
    baseline: str
    rows: tuple[Standing, ...]
    protocol: dict
    seed: int
    run: str | None = None
    rope: float | None = None
    interrupted: bool = False

    @property
    def winner(self) -> str | None:
        """Label of the winner, or None if nothing finished; `choose_winner` has the rule."""
        found = choose_winner(self.rows)
        return None if found is None else found.standing.label

    @property
    def reason(self) -> str:
        """Why the winner is the winner; empty if there is none."""
        found = choose_winner(self.rows)
        return "" if found is None else found.reason

    def choose(self, which: str = BEST_MEAN) -> Winner:
        """The candidate to use and why: by a rule of `choose_winner`, or by its label.

        Raises ValueError where there is none, or none of that name with a result.
        """
        if which in WINNER_RULES:
            found = choose_winner(self.rows, which)
            if found is None:
                raise ValueError("no learner finished, so there is no winner.")
            return found
        labels = {row.label.lower(): row for row in self.rows}
        row = labels.get(which.lower())
        if row is None or row.mean is None:
            known = ", ".join(row.label for row in self.finished) or "none"
            what = f"there is no learner {which!r}" if row is None else f"{row.label} has no result"
            raise ValueError(f"{what}; choose {', '.join(WINNER_RULES)} or one that finished: {known}.")
        return Winner(row, "asked for by name")

    @property
    def could_win(self) -> list[str]:
        """Labels of the learners that were ahead of the baseline after the first pass, and were tested."""
        return [
            row.label for row in self.rows if row.could_win and row.p_value is not None and not row.reference
        ]

    @property
    def beaten(self) -> bool:
        """Whether any neighbour model is significantly better than the baseline."""
        return any(row.verdict == BEATS and not row.reference for row in self.rows)

    @property
    def finished(self) -> list[Standing]:
        """Rows with a mean to show."""
        return [row for row in self.rows if row.mean is not None]

    @property
    def test(self) -> str:
        """Name of the paired test against the baseline."""
        return paired_test(self.protocol)

    def row(self, label: str) -> Standing:
        for row in self.rows:
            if row.label == label:
                return row
        raise KeyError(f"there is no row {label!r}; known: {', '.join(row.label for row in self.rows)}.")

    def learned(self, *, with_neighbours: bool = False) -> Standing | None:
        """The learned distance to show beside the baseline: the winner, or else the best learner.

        `with_neighbours` skips models that decide by prototypes, for views of neighbours.
        """
        ranked = sorted(self.finished, key=lambda row: row.label != self.winner)
        learners = [row for row in ranked if row.kind == LEARNER]
        return next((row for row in learners if row.hub_skewness is not None or not with_neighbours), None)

    @property
    def statement(self) -> str:
        """The result in plain words."""
        baseline = self.row(self.baseline)
        if baseline.mean is None:
            reason = baseline.note or baseline.status
            return f"{self.baseline} has no result ({reason}), so nothing can be compared with it."
        untested = [row.label for row in self.rows if row.status == NOT_RUN_BUDGET]
        missing = f" Not run within the time budget: {', '.join(untested)}." if untested else ""
        return f"{self._verdict()}{missing}"

    def _verdict(self) -> str:
        learners = [row for row in self.rows if row.kind == LEARNER and row.difference is not None]
        if not learners:
            return f"Only {self.baseline} has a result, so there is nothing to compare it with."
        better = [row for row in learners if row.verdict == BEATS]
        leads = self.winner not in (None, self.baseline)
        chance = f"{self.winner} has the best mean, but the difference could be chance"
        chance += self._chances(self.winner) if leads else ""
        if not better:
            tested = any(row.p_value is not None for row in learners)
            nothing = "Nothing beats" if tested else "No learner has folds enough for a test against"
            return f"{nothing} {self.baseline}{f': {chance}' if leads else ''}."
        better.sort(key=lambda row: row.label != self.winner)
        clearly = [row for row in better if not row.practically_equivalent]
        slightly = [row for row in better if row.practically_equivalent]
        first = (clearly or slightly)[0]
        gain = self.metric.difference_text(first.difference or 0.0) + self._chances(first.label)
        unsure = leads and self.winner not in [row.label for row in better]
        if clearly:
            names = ", ".join(row.label for row in clearly)
            verb = "beats" if len(clearly) == 1 else "beat"
            said = f"{names} {verb} {self.baseline}; {first.label} by {gain}."
            also = _ahead(slightly)
            said += f" {also} ahead too, but by so little that it is practically equivalent." if also else ""
        else:
            said = (
                f"Nothing beats {self.baseline} by enough to matter: {_ahead(slightly)} better, "
                f"{first.label} by {gain}, which is practically equivalent."
            )
        return f"{said} {chance}." if unsure else said

    def _chances(self, label: str | None) -> str:
        """How likely a candidate is better, in brackets; empty if that is not known."""
        chances = self.row(label or self.baseline).chances
        return " ({} % better, {} % equivalent, {} % worse)".format(*chances) if chances else ""

    def to_dict(self) -> dict:
        """Everything in plain values, ready for JSON."""
        return {
            "dataset": self.dataset,
            "metric": self.metric.name,
            "greater_is_better": self.metric.greater_is_better,
            "baseline": self.baseline,
            "rows": [asdict(row) for row in self.rows],
            "winner": self.winner,
            "reason": self.reason,
            "test": self.test,
            "protocol": self.protocol,
            "seed": self.seed,
            "run": self.run,
            "beaten": self.beaten,
            "could_win": self.could_win,
            "rope": self.rope,
            "interrupted": self.interrupted,
            "statement": self.statement,
        }

    def to_frame(self) -> pd.DataFrame:
        """The leaderboard as a pandas DataFrame, a line per candidate with the fields of `Standing`."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows]).set_index("label")


def _ahead(rows: Sequence[Standing]) -> str:
    """The names with "is" or "are"; empty for none."""
    names = ", ".join(row.label for row in rows)
    return f"{names} {'is' if len(rows) == 1 else 'are'}" if rows else ""


class Winner(NamedTuple):
    """Which candidate has won, and why."""

    standing: Standing
    reason: str


def choose_winner(rows: Sequence[Standing], rule: str = BEST_MEAN) -> Winner | None:
    """The winner among neighbour models with every fold done; None if there is none.

    "best-mean" is the rule behind the headline, the key figures, the views before and after and, by default,
    the saved model: the best mean, ties going to the baseline, then to the faster fit, as `rows` are sorted.
    "significant" takes the best mean of those that beat the baseline, and the baseline if none does.
    """
    for row in rows:
        if row.status != DONE or row.reference:
            continue
        if rule == SIGNIFICANT:
            if row.verdict == BEATS:
                return Winner(row, "best mean of those that beat the baseline")
            if row.baseline and not any(
                r.verdict == BEATS and r.status == DONE for r in rows if not r.reference
            ):
                return Winner(row, "nothing is shown to beat it")
            continue
        sure = row.baseline or row.verdict == BEATS
        return Winner(row, "best mean" if sure else "best mean, though the difference could be chance")
    return None


def summarise(
    records: Sequence[Record],
    baseline: str,
    scouted: Sequence[Record] = (),
    run: str | None = None,
    first_repeats: int | None = None,
    rope: float | None = None,
) -> Comparison:
    """The comparison of one problem's candidates from the records of their tasks.

    Parameters
    ----------
    records : sequence of Record
        All tasks of one problem, protocol and seed, including failed ones and those not run.
    baseline : str
        Label that every other candidate is tested against.
    scouted : sequence of Record
        Records of a quick first look, shown beside the results.
    run : str, optional
        Name of the run in its results store.
    first_repeats : int, optional
        Repeats that every candidate should have; later ones count for those that have them. All of
        them by default.
    rope : float, optional
        Differences up to this size count as equivalent; by default a point (0.01), or 1 % of the
        baseline's score where that depends on the unit of the targets.
    """
    records = list(records)
    if not records:
        raise ValueError("there are no records to summarise.")
    if baseline not in {record.label for record in records}:
        raise ValueError(f"the baseline {baseline!r} is not among the candidates compared.")
    first, metric = records[0], metric_named(records[0].metric)
    rows = tuple(make_standings(records, baseline, metric, scouted, first_repeats, rope))
    if rope is None:
        rope = metric.equivalence(next(row.scores for row in rows if row.baseline))
    return Comparison(first.dataset, metric, baseline, rows, first.protocol, first.seed, run, rope)
