"""How a share of Euclid is best chosen: what shares do on test rows, and what halves of training rows say.

    NEARKIN_DATA=folder python -m benchmarks.shares               # measure what is missing, then the table

For every learner, set and split: accuracy of 3 neighbours on the test rows for each share, and for each share
how many rows of either half of the training rows are predicted rightly from the other half, by a learner that
saw that other half only. Rules of choice are then compared without another fit. The rule was chosen on the
first 22 sets of `benchmarks.open_sets` and is confirmed on the others.
"""

from __future__ import annotations

import argparse
import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.cells import CellFile
from benchmarks.open_sets import SETS, load, named, split
from nearkin.learners import all_learners
from nearkin.learners.euclid_share import halves_of
from nearkin.learners.unseen_votes import right_votes
from nearkin.numerics.products import squared_distances
from nearkin.numerics.selection import smallest_per_row

CELLS = Path.home() / ".cache" / "nearkin-benchmarks" / "shares.jsonl"
PAGE = Path(__file__).parent.parent / "docs" / "results" / "euclid-share.md"
SHARES = (0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
NEIGHBOURS = (1, 3, 5, 9)
HALVINGS = 3
#: Places in SHARES that the rules choose from.
OFFERED = [0, 2, 3, 4, 5, 7]
CHOSEN_ON = 22

cached_load = lru_cache(4)(load)


def published(name: str):
    """The learner without any Euclid and without what is judged on halves."""
    learner = all_learners()[name]()
    off = {"euclid_share": 0.0, "random_state": 0}
    return learner.set_params(**{key: value for key, value in off.items() if key in learner.get_params()})


def right(learner, X, y, Q, truth) -> np.ndarray:
    """Rows x shares x numbers of neighbours: who is right."""
    euclid = squared_distances(Q, X)
    learned = learner.distance_.pairwise(Q, X)
    learned = learned * (float(euclid.mean()) / (float(learned.mean()) or 1.0))
    out = np.zeros((len(Q), len(SHARES), len(NEIGHBOURS)), dtype=bool)
    for i, share in enumerate(SHARES):
        blend = (1 - share) * learned + share * euclid
        nearest = y[smallest_per_row(blend, min(max(NEIGHBOURS), len(X)))[1]]
        out[:, i] = right_votes(nearest, truth, NEIGHBOURS).T
    return out


def measured(name: str, set_name: str, number: int) -> dict:
    """Accuracy by share on the test rows, and rows of the halves that are predicted rightly."""
    known = named(set_name)
    X, y, Q, truth = split(known, *cached_load(known), number)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        correct = right(published(name).fit(X, y), X, y, Q, truth)
        inner, rng = [], np.random.RandomState(0)
        for _ in range(int(np.clip(800 // len(X), 1, HALVINGS))):
            halves = halves_of(y, rng)
            for seen, unseen in (halves, halves[::-1]):
                half = published(name).fit(X[seen], y[seen])
                inner.append(right(half, X[seen], y[seen], X[unseen], y[unseen]))
    apart = [part.mean(axis=2) - part.mean(axis=2)[:, -1:] for part in inner]
    return {
        "n": len(X),
        "accuracy": correct.mean(axis=0).round(5).tolist(),
        "inner": [
            {
                "rows": len(part),
                "right": part.sum(axis=0).tolist(),
                "squares": np.square(gain).sum(axis=0).round(3).tolist(),
            }
            for part, gain in zip(inner, apart)
        ],
    }


def chosen(record: dict, caution: float) -> int:
    """The place in SHARES with the largest gain over Euclid on the halves, less `caution` standard errors."""
    judged = sum(half["rows"] for half in record["inner"])
    mean = sum(np.array(half["right"]) for half in record["inner"]).mean(axis=1) / judged
    squares = sum(np.array(half["squares"]) for half in record["inner"]) / judged
    gain = mean - mean[-1]
    error = np.sqrt(np.maximum(squares - gain**2, 0) / record["n"])
    return OFFERED[int(np.argmax((gain - caution * error)[OFFERED]))]


def written(records: list[dict]) -> str:
    """The page: rules on the sets that chose them and on the others."""
    first = {known.name for known in SETS[:CHOSEN_ON]}
    lines = [HEAD]
    for title, of_first in (("The sets on which the rule was chosen", True), ("The other sets", False)):
        some = [r for r in records if "failed" not in r and (r["key"][1] in first) == of_first]
        if not some:
            continue
        n_sets, n_learners = (len({r["key"][place] for r in some}) for place in (1, 0))
        lines += [f"## {title}", "", f"{n_sets} sets, {n_learners} learners, {len(some)} cells.", ""]
        lines += ["| rule | mean gain | below -2.5 | below -5 | worst |", "| --- | --- | --- | --- | --- |"]
        for caution in (None, 0.0, 0.25, 0.5, 1.0, 2.0):
            places = [0 if caution is None else chosen(r, caution) for r in some]
            gains = [100 * (r["accuracy"][p][1] - r["accuracy"][-1][1]) for r, p in zip(some, places)]
            label = "all learned" if caution is None else f"less {caution:g} standard errors"
            found = np.array(gains)
            lines.append(
                f"| {label} | {found.mean():+.2f} | {100 * np.mean(found < -2.5):.1f} % | "
                f"{100 * np.mean(found < -5):.1f} % | {found.min():+.1f} |"
            )
        lines.append("")
    return "\n".join(lines)


HEAD = """# How the share of Euclid is chosen

Points of accuracy over Euclid (3 neighbours, splits of 70/30) of learned distances with the share of Euclid
that unseen halves of the training rows recommend: the share of the largest mean gain, less some standard
errors of that gain. nearkin deducts one. Learners that predict by themselves are taken by their distances.
`python -m benchmarks.shares` measures it.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--learners", default="", help="names, separated by commas; all by default")
    parser.add_argument("--sets", default="", help="names, separated by semicolons; all by default")
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=90, help="CPU time that a cell may take")
    parser.add_argument("--cells", type=Path, default=CELLS)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--only-table", action="store_true")
    args = parser.parse_args()
    serving = [name for name, kind in all_learners().items() if "classification" in kind.tasks]
    names = [name for name in args.learners.split(",") if name] or [
        name for name in serving if not name.startswith("Move")
    ]
    sets = [name for name in args.sets.split(";") if name] or [known.name for known in SETS]
    file = CellFile(args.cells)
    if not args.only_table:
        cells = [(name, known, number) for number in range(args.splits) for known in sets for name in names]
        file.measure(cells, measured, args.seconds)
    args.page.write_text(written(list(file.done.values())))
    print(f"written: {args.page}")


if __name__ == "__main__":
    main()
