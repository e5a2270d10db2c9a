"""Starts, prototypes, gates and restarts of LMDL and MoLMNN, chosen by validation inside training rows.

    NEARKIN_DATA=folder python -m benchmarks.local_defaults        # measure what is missing, then the page

On each set and split of 70/30 (at most 400 rows) every setting is scored by three folds inside the training
rows, which decide; what it then does on the test rows is told beside it and decides nothing.
"""

from __future__ import annotations

import argparse
import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks.cells import CellFile
from benchmarks.open_sets import OpenSet, load, split
from nearkin import LMDL, KNNClassifier, MoLMNN

CELLS = Path.home() / ".cache" / "nearkin-benchmarks" / "local_defaults.jsonl"
PAGE = Path(__file__).parent.parent / "docs" / "results" / "local-defaults.md"
ROWS, FOLDS, NEIGHBOURS = 400, 3, 3
# fmt: off
SETS = [
    "iris", "wine", "seeds", "sonar", "glass", "heart-statlog", "bupa", "ionosphere", "balance-scale",
    "hayes-roth-132", "monks2", "breast-cancer-wisconsin", "pima", "vehicle", "vowel", "hepatitis",
    "dermatology", "house-votes", "transfusion", "monks1", "monks3", "wdbc", "australian", "crx",
    "german-numeric", "segment", "steel-faults", "abalone", "pendigits",
]
# fmt: on
#: The first of each is the default.
SETTINGS = {
    "LMDL": {
        "5 random rows": {},
        "5 of k-means": {"init": "kmeans"},
        "5 random rows, best of 3": {"n_init": 3},
        "2 random rows": {"n_prototypes": 2},
        "2 of k-means": {"n_prototypes": 2, "init": "kmeans"},
        "10 random rows": {"n_prototypes": 10},
        "10 of k-means": {"n_prototypes": 10, "init": "kmeans"},
    },
    "MoLMNN": {
        "2 softmax gates": {},
        "2 sigmoid gates": {"gating": "sigmoid"},
        "3 softmax gates": {"n_regions": 3},
        "2 softmax gates, best of 3": {"n_init": 3},
    },
}
KINDS = {"LMDL": LMDL, "MoLMNN": MoLMNN}

cached_load = lru_cache(4)(load)


def model_of(learner: str, setting: str):
    """What predicts: prototypes by themselves, a mixture by its neighbours."""
    found = KINDS[learner](random_state=0, **SETTINGS[learner][setting])
    return found if hasattr(found, "predict") else KNNClassifier(found, n_neighbors=NEIGHBOURS)


def measured(set_name: str, number: int, learner: str, setting: str) -> dict:
    """Accuracy of one setting inside the training rows and on the test rows."""
    known = OpenSet(set_name, rows=ROWS)
    X, y, Q, truth = split(known, *cached_load(known), number)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y)
        inside = [
            model_of(learner, setting).fit(X[seen], y[seen]).score(X[unseen], y[unseen])
            for seen, unseen in folds
        ]
        outside = model_of(learner, setting).fit(X, y).score(Q, truth)
    return {"inside": float(np.mean(inside)), "outside": float(outside)}


def written(records) -> str:
    """The page: a table for each learner, settings against the default."""
    lines = [HEAD]
    for learner, settings in SETTINGS.items():
        usual, *_ = settings
        scores = {
            tuple(r["key"][:2] + r["key"][3:]): (100 * r["inside"], 100 * r["outside"], r["seconds"])
            for r in records
            if r["key"][2] == learner and "failed" not in r
        }
        cells = [
            (s, n) for s, n in {key[:2] for key in scores} if all((s, n, each) in scores for each in settings)
        ]
        sets = sorted({s for s, _ in cells})
        lines += [f"## {learner}", "", f"{len(sets)} sets, {len(cells)} splits in all.", "", *TABLE]
        for setting in settings:
            gains = np.array(
                [
                    np.mean(
                        [
                            np.subtract(scores[s, n, setting], scores[s, n, usual])[:2]
                            for s, n in cells
                            if s == known
                        ],
                        axis=0,
                    )
                    for known in sets
                ]
            )
            times = sum(scores[*cell, setting][2] for cell in cells)
            usually = sum(scores[*cell, usual][2] for cell in cells)
            error = gains.std(axis=0, ddof=1) / len(sets) ** 0.5
            told = [f"{g:+.2f} ± {e:.2f}" for g, e in zip(gains.mean(axis=0), error, strict=True)]
            told = ["0 (the default)", "0"] if setting == usual else told
            lines.append(
                f"| {setting} | {told[0]} | {gains[:, 0].min():+.1f} | {told[1]} | {times / usually:.1f} |"
            )
        lines.append("")
    return "\n".join(lines)


TABLE = [
    "| setting | inside the training rows, decides | worst set | on test rows | time |",
    "| --- | --- | --- | --- | --- |",
]
HEAD = """# Starts, prototypes, gates and restarts

Points of accuracy of other settings of `LMDL` and `MoLMNN` against their defaults: means over sets of at most
400 rows, splits of 70/30, ± the standard error over sets. Three folds inside the training rows decide; test
rows are told beside it. Everything else is by default (with its share of Euclid); `MoLMNN` votes by three
neighbours. Time is relative to the default. `python -m benchmarks.local_defaults` measures it.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120, help="CPU time that a cell may take")
    parser.add_argument("--learners", nargs="+", default=list(SETTINGS), choices=list(SETTINGS))
    parser.add_argument("--cells", type=Path, default=CELLS)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--only-table", action="store_true")
    args = parser.parse_args()
    file = CellFile(args.cells)
    if not args.only_table:
        cells = [
            (known, number, learner, setting)
            for number in range(args.splits)
            for known in SETS
            for learner in args.learners
            for setting in SETTINGS[learner]
        ]
        file.measure(cells, measured, args.seconds)
    args.page.write_text(written(list(file.done.values())))
    print(f"written: {args.page}")


if __name__ == "__main__":
    main()
