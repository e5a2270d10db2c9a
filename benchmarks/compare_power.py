"""How often `compare` sees a difference that is there, and one that is not.

    python -m benchmarks.compare_power              # the table of docs/results/compare-power.md, some minutes
    python -m benchmarks.compare_power --runs 40    # a quick look

Nothing is fitted. A learner is a row of chances: whether it gets a row right is decided by how hard the row
is (for all learners alike), by its own way with that row, by the training rows it happened to have, and by
a training set that was lucky or unlucky as a whole; folds of one data set share most of their training rows,
so most of that luck is shared too. Scores then go through the functions that decide in `nearkin compare`:
the first pass, who could win, the repeats with their early stops, the tests and their adjustment.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from nearkin.evaluation import Record
from nearkin.evaluation.metrics import ACCURACY
from nearkin.evaluation.repeating import RepeatRule, repeat_while_open
from nearkin.evaluation.results import BEATS
from nearkin.evaluation.standings import make_standings

PAGE = Path(__file__).parent.parent / "docs" / "results" / "compare-power.md"
EUCLID = "Euclid"


@dataclass(frozen=True)
class Scenario:
    """What is true of the learners, Euclid having the accuracy `base`.

    Parameters
    ----------
    gains : tuple of float
        True accuracy of each learner minus Euclid's.
    alike : float
        Correlation of two learners' ease with a row; 0.9 lets them disagree on about a tenth of the rows.
    unsteady : float
        Share of the ease with a row that changes with the training rows.
    luck : float
        Standard deviation, in accuracy, of what a training set does to a learner as a whole.
    """

    name: str
    gains: tuple[float, ...]
    n_rows: int = 2000
    n_folds: int = 10
    base: float = 0.80
    alike: float = 0.9
    unsteady: float = 0.03
    luck: float = 0.004


class FakeLearners:
    """Scores of Euclid and the learners of a scenario on any repeat of its folds."""

    def __init__(self, scenario: Scenario, seed: int):
        self.scenario, self._rng = scenario, np.random.default_rng(seed)
        rng, n, m = self._rng, scenario.n_rows, len(scenario.gains) + 1
        self.labels = [EUCLID] + [f"learner {i + 1}" for i in range(m - 1)]
        accuracy = scenario.base + np.array([0.0, *scenario.gains])
        self._thresholds = stats.norm.ppf(accuracy)[:, None]
        # What moves an accuracy by 1 moves the ease by this much.
        self._slope = 1 / stats.norm.pdf(self._thresholds)
        own = 1 - scenario.alike - scenario.unsteady
        shared = np.sqrt(scenario.alike) * rng.standard_normal(n)
        self._ease = shared + np.sqrt(own) * rng.standard_normal((m, n))
        self._overlap = (scenario.n_folds - 2) / (scenario.n_folds - 1)
        self._luck = np.sqrt(self._overlap) * rng.standard_normal((m, 1))

    def records(self, repeat: int, labels: Iterable[str]) -> list[Record]:
        """The folds of one repeat, measured for the learners named."""
        scenario, rng = self.scenario, self._rng
        m, n = self._ease.shape
        folds = np.array_split(rng.permutation(n), scenario.n_folds)
        fresh = np.sqrt(1 - self._overlap) * rng.standard_normal((m, scenario.n_folds))
        luck = scenario.luck * self._slope * (self._luck + fresh)
        noise = np.sqrt(scenario.unsteady) * rng.standard_normal((m, n))
        right = self._ease + noise + self._thresholds
        wanted = set(labels)
        found = []
        for fold, rows in enumerate(folds):
            scores = np.mean(right[:, rows] + luck[:, [fold]] > 0, axis=1)
            for label, score in zip(self.labels, scores):
                if label in wanted:
                    found.append(_record(label, f"{repeat}.{fold}", float(score), n, len(rows)))
        return found


def _record(label: str, fold: str, score: float, n: int, n_test: int) -> Record:
    return Record(
        key=f"{label} {fold}",
        dataset="simulated",
        label=label,
        fold=fold,
        seed=0,
        setting={},
        status="done",
        metric=ACCURACY.name,
        score=score,
        n_train=n - n_test,
        n_test=n_test,
    )


@dataclass(frozen=True)
class Outcome:
    """Who is said to beat Euclid, after the first pass and at the end, and how many folds were run."""

    at_first: frozenset[str]
    beats: frozenset[str]
    n_folds: int


def simulate(scenario: Scenario, seed: int, rule: RepeatRule) -> Outcome:
    """One comparison."""
    learners = FakeLearners(scenario, seed)
    records = learners.records(0, learners.labels)

    def standings():
        return make_standings(records, EUCLID, ACCURACY, first_repeats=1)

    def run(repeat: int, labels: Sequence[str]) -> bool:
        records.extend(learners.records(repeat, [EUCLID, *labels]))
        return True

    def better():
        return frozenset(row.label for row in standings() if row.verdict == BEATS)

    at_first = better()
    repeat_while_open(standings, run, rule)
    return Outcome(at_first, better(), len(records))


def rates(scenario: Scenario, n_runs: int, rule: RepeatRule | None = None) -> dict[str, float]:
    """Shares of runs that said a better learner is better, and that said so of one that is not.

    Those after the first pass alone have names that end in "at first"; "passes" is how often all folds of
    all learners could have been run instead.
    """
    rule = RepeatRule() if rule is None else rule
    better = {f"learner {i + 1}" for i, gain in enumerate(scenario.gains) if gain > 0}
    counts: Counter[str] = Counter()
    for seed in range(n_runs):
        found = simulate(scenario, seed, rule)
        for when, beats in ((" at first", found.at_first), ("", found.beats)):
            counts["seen" + when] += bool(beats & better)
            counts["wrong" + when] += bool(beats - better)
        counts["folds"] += found.n_folds
    shares = {name: counts[name] / n_runs for name in ("seen at first", "wrong at first", "seen", "wrong")}
    return shares | {"passes": counts["folds"] / n_runs / (scenario.n_folds * (len(scenario.gains) + 1))}


def _equal(n: int) -> tuple[float, ...]:
    return (0.0,) * n


SCENARIOS = (
    Scenario("1 learner, 3 points better", (0.03,)),
    Scenario("5 learners, one 3 points better", (0.03, *_equal(4))),
    Scenario("10 learners, one 3 points better", (0.03, *_equal(9))),
    Scenario("25 learners, one 3 points better", (0.03, *_equal(24))),
    Scenario("25 learners, one 3 points better, 12 worse", (0.03, *_equal(12), *(-0.03,) * 12)),
    Scenario("10 learners less alike, one 3 points better", (0.03, *_equal(9)), alike=0.85),
    Scenario("1 learner, equal", (0.0,)),
    Scenario("5 learners, all equal", _equal(5)),
    Scenario("10 learners, all equal", _equal(10)),
    Scenario("25 learners, all equal", _equal(25)),
    Scenario("10 learners, all equal, 300 rows", _equal(10), n_rows=300),
    Scenario("10 learners, all equal, unsteady", _equal(10), unsteady=0.09),
    Scenario("10 learners, all equal, more luck", _equal(10), luck=0.006),
    Scenario("10 learners, all equal, twice the luck", _equal(10), luck=0.008),
)


def table(n_runs: int, scenarios: Sequence[Scenario] = SCENARIOS) -> str:
    """The results in Markdown."""
    lines = [
        "| truth | one pass: says so | one pass: wrongly | with repeats: says so | with repeats: wrongly "
        "| passes |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for scenario in scenarios:
        found = rates(scenario, n_runs)
        cells = [
            f"{100 * found[key]:.1f} %" if "wrong" in key or max(scenario.gains) > 0 else ""
            for key in ("seen at first", "wrong at first", "seen", "wrong")
        ]
        lines.append(f"| {scenario.name} | {' | '.join(cells)} | {found['passes']:.1f} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000, help="simulated comparisons per line")
    parser.add_argument("--write", action="store_true", help=f"write the table to {PAGE.name}")
    given = parser.parse_args()
    found = table(given.runs)
    if given.write:
        start, _, _ = PAGE.read_text(encoding="utf-8").partition("| truth |")
        PAGE.write_text(f"{start}{found}\n\n{given.runs:,} runs per line.\n", encoding="utf-8")


if __name__ == "__main__":
    main()
