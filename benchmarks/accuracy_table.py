"""The page that `benchmarks.accuracy` writes: per learner what it gains over Euclid, and where it loses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

#: A loss counts if it is larger than this many points and than so many standard errors.
LARGEST_LOSS, ERRORS = 2.0, 2.0


@dataclass(frozen=True)
class Difference:
    """Accuracy of a learner minus Euclid's on one set, in points.

    Attributes
    ----------
    mean : float
    error : float
        Standard error of a corrected resampled test (Nadeau and Bengio): splits share training rows, so that
        the variance between them is not divided by their number alone but by 1 / (1 / J + test / train). Few
        splits may agree by chance: the variance is at least what the test rows on which the two
        disagree would have by tossing coins.
    splits : int
    """

    mean: float
    error: float
    splits: int

    @property
    def violates(self) -> bool:
        """More than two points below Euclid, and more than twice the standard error."""
        return self.mean < -max(LARGEST_LOSS, ERRORS * self.error)


def difference(cells: Sequence[dict]) -> Difference:
    """The difference over the splits of one set.

    >>> cell = dict(right=80, euclid=70, gained=14, lost=4, n_test=100, n_train=200)
    >>> found = difference([cell, {**cell, "right": 78, "gained": 12}])
    >>> round(found.mean, 2), round(found.error, 2)
    (9.0, 4.02)
    """
    gains = np.array([(cell["right"] - cell["euclid"]) / cell["n_test"] for cell in cells])
    tosses = [
        ((cell["gained"] + cell["lost"]) / cell["n_test"] - gain**2) / cell["n_test"]
        for cell, gain in zip(cells, gains)
    ]
    variance = max(float(gains.var(ddof=1)) if len(gains) > 1 else 0.0, float(np.mean(tosses)))
    share = float(np.mean([cell["n_test"] / cell["n_train"] for cell in cells]))
    # With few shots most rows are tested and hardly any are shared by training.
    error = np.sqrt(variance * (1 / len(gains) + min(share, 1.0)))
    return Difference(100 * float(gains.mean()), 100 * float(error), len(gains))


def by_learner(records: Iterable[dict]) -> dict[str, dict[str, list[dict]]]:
    """Finished cells of each learner and set."""
    found: dict[str, dict[str, list[dict]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        if "failed" not in record:
            name, known, _ = record["key"]
            found[name][known].append(record)
    return found


def written(records: Iterable[dict], names: Sequence[str], sets: Sequence[str]) -> str:
    """The whole page."""
    records = list(records)
    cells = by_learner(records)
    differences = {
        name: {known: difference(cells[name][known]) for known in sets if cells[name][known]}
        for name in names
        if name in cells
    }
    reached = {known for found in differences.values() for known in found}
    parts = [HEAD.format(sets=len(reached), commits=", ".join(_commits(records)))]
    parts += [_summary(differences), _violations(differences), _unfinished(records, names)]
    parts += ["## Set by set\n", _matrix(differences, cells, sets)]
    return "\n".join(parts)


HEAD = """# Accuracy by default

Every learner with its default settings against plain Euclid: {sets} open classification sets, splits of
70/30, 3 neighbours, features standardised by the training rows (rows of unit length left as they are). Sets
of more than 2,000 rows (800 to 1,000 above 200 features and of text) are sampled. `python -m
benchmarks.accuracy` measures it; every change of a default must beat it. Code: {commits}.

Gains are points of accuracy over Euclid on the same splits, with the standard error of the corrected
resampled test. A learner breaks its promise on a set where it is more than 2 points below Euclid and that is
more than twice the standard error.

Two cautions. With few splits the standard errors are wide, so a loss of several points need not
count as a broken promise. And the rules behind the defaults were settled with 22 of these sets in view (their
first split), which flatters them; [the share of Euclid](euclid-share.md) tells apart what it does on others.

Which learned distances keep how much of Euclid, and how that is chosen, is told in
[Which learner for my data?](../which-learner.md#against-overfitting).
"""


def _commits(records) -> list[str]:
    return sorted({record["commit"] for record in records if "commit" in record})


def _summary(differences) -> str:
    lines = [
        "| learner | mean gain | sets | splits | better | worse | worst set | promises broken |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    order = sorted(differences, key=lambda name: -_mean(differences[name]))
    for name in order:
        found = differences[name]
        worst = min(found, key=lambda known: found[known].mean)
        lines.append(
            f"| {name} | {_mean(found):+.2f} | {len(found)} | "
            f"{min(d.splits for d in found.values())} to {max(d.splits for d in found.values())} | "
            f"{sum(d.mean > 0 for d in found.values())} | {sum(d.mean < 0 for d in found.values())} | "
            f"{worst} {found[worst].mean:+.1f} ± {found[worst].error:.1f} | "
            f"{sum(d.violates for d in found.values())} |"
        )
    return "\n".join(lines) + "\n"


def _mean(found: dict[str, Difference]) -> float:
    return float(np.mean([d.mean for d in found.values()]))


def _violations(differences) -> str:
    broken = [
        f"- {name} on {known}: {d.mean:+.1f} ± {d.error:.1f}"
        for name, found in differences.items()
        for known, d in found.items()
        if d.violates
    ]
    return "## Promises broken\n\n" + ("\n".join(broken) if broken else "None.") + "\n"


def _unfinished(records, names) -> str:
    failed = [record for record in records if "failed" in record and record["key"][0] in names]
    if not failed:
        return ""
    lines = [
        f"- {name} on {known}, split {number}: {record['failed']}"
        for record in failed
        for name, known, number in [record["key"]]
    ]
    return "## Not finished\n\n" + "\n".join(lines) + "\n"


def _matrix(differences, cells, sets) -> str:
    lines = [
        "Points over Euclid.\n",
        "| set | rows | features | Euclid | " + " | ".join(differences) + " |",
        "| --- " * (len(differences) + 4) + "|",
    ]
    for known in sets:
        some = next((cells[name][known] for name in differences if cells[name][known]), None)
        if some is None:
            continue
        euclid = 100 * float(np.mean([cell["euclid"] / cell["n_test"] for cell in some]))
        values = [
            f"{differences[name][known].mean:+.1f}" if known in differences[name] else ""
            for name in differences
        ]
        first = some[0]
        lines.append(
            f"| {known} | {first['n_train']} | {first['n_features']} | {euclid:.1f} | "
            + " | ".join(values)
            + " |"
        )
    return "\n".join(lines) + "\n"
