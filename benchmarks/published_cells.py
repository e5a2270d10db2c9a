"""How near the compared methods come to the numbers printed for them.

Every setting is chosen inside the training rows of the fold, from the grid below; test rows are looked at
once. Beside each number stands the printed one and nearkin's own plain nearest neighbour on the same folds,
since some printed numbers belong to data in another form. Runs go on where they were stopped.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from nearkin import DMLMJ, GLML, ITML, LDDM, MLEV, PLML, DMLEig
from nearkin.datasets import load_dataset
from nearkin.evaluation import (
    Candidate,
    Problem,
    Protocol,
    RandomSplits,
    ResultsStore,
    StratifiedFolds,
    plan_tasks,
    run_tasks,
)
from nearkin.experiments import load_paper
from nearkin.experiments.estimators import classifier, neighbours
from nearkin.maps import KernelMap

PLAIN = "1NN"
#: Neighbours to choose from where the paper chooses them.
NEIGHBOURS = (1, 3, 5, 7, 9, 11, 15, 21)
#: Widths of the kernel, as multiples of 1 / (number of features) on standardised features.
WIDTHS = (0.03, 0.1, 0.3, 1.0)
IMAGE_DIMENSIONS = 100
#: "Within about so many points" counts as near.
NEAR = 2.0


def _by_folds(data, kind: str) -> list[Candidate]:
    """The columns of rajabzadeh2018 that are not its own: one neighbour, features standardised."""
    n, d = data.X.shape
    size = (n, d, data.n_classes)

    def prepare():
        return [PCA(min(IMAGE_DIMENSIONS, d), random_state=0)] if kind == "images" else [StandardScaler()]

    widths = [KernelMap(kernel="rbf", gamma=width / d, n_landmarks=500) for width in WIDTHS]
    return [
        neighbours(PLAIN, prepare()),
        neighbours("DMLMJ", prepare(), DMLMJ(), grid=DMLMJ.tuning_grid(*size)),
        neighbours("KDMLMJ", prepare(), DMLMJ(), grid={"kernel": widths}),
        neighbours("MLEV", prepare(), MLEV(), grid=MLEV.tuning_grid(*size)),
        neighbours("GLML", prepare(), GLML(), grid=GLML.tuning_grid(*size)),
        classifier("LDDM", prepare(), LDDM(), LDDM.tuning_grid(*size)),
        neighbours("PLML", prepare(), PLML(), grid=PLML.tuning_grid(*size)),
    ]


def _by_splits(data, kind: str) -> list[Candidate]:
    """The columns of shigeto2017 that are not its own: neighbours and settings chosen, features centred."""
    size = (*data.X.shape, data.n_classes)

    def prepare():
        return [StandardScaler(with_std=data.name == "wine")]

    return [
        neighbours(PLAIN, prepare(), n_neighbors=NEIGHBOURS),
        neighbours("ITML", prepare(), ITML(), n_neighbors=NEIGHBOURS, grid=ITML.tuning_grid(*size)),
        neighbours("DML-eig", prepare(), DMLEig(), n_neighbors=NEIGHBOURS, grid={"mu": [0.01, 0.1, 1.0]}),
    ]


#: Paper: table, candidates, protocol, and the sets left out because one fold takes too long.
PARTS: Mapping[str, tuple] = {
    "rajabzadeh2018": (
        ("Table 2", "Table 5"),
        _by_folds,
        StratifiedFolds(10, n_repeats=1),
        ("Letter", "Isolet", "MNIST", "USPS", "20NEWS"),
    ),
    "shigeto2017": (
        ("Table 3",),
        _by_splits,
        RandomSplits(n_splits=8, test_share=0.3),
        ("RCV", "News", "Reuters", "TDT", "AwA", "CUB", "SUN", "aPY"),
    ),
}


def run_part(key: str, store: ResultsStore, only: Sequence[str], jobs: int) -> dict:
    """Mean error in percent by (set, method), of every set that is complete."""
    _, candidates_of, protocol, left_out = PARTS[key]
    errors: dict[tuple[str, str], list[float]] = defaultdict(list)
    for use in load_paper(key).datasets:
        if use.label in left_out:
            continue
        data = load_dataset(use.name).encoded()
        problem = Problem(use.label, data.X, data.y)
        candidates = [c for c in candidates_of(data, use.kind) if not only or c.label in (*only, PLAIN)]
        for record in _records(problem, candidates, protocol, store, jobs):
            if record.score is None:
                print(f"{use.label}, {record.learner}, fold {record.fold}: {record.error}")
            else:
                errors[use.label, record.learner].append(100 * (1 - record.score))
        told = ", ".join(f"{c.label} {np.mean(errors[use.label, c.label]):.2f}" for c in candidates)
        print(f"{use.label}: {told}", flush=True)
    return {cell: float(np.mean(found)) for cell, found in errors.items()}


def _records(problem: Problem, candidates, protocol: Protocol, store: ResultsStore, jobs: int) -> list:
    tasks = plan_tasks(problem, candidates, protocol, 0)
    return run_tasks(tasks, store=store, jobs=jobs, isolate=jobs > 1, arrays=False, stage="cells")


def printed(key: str) -> dict[tuple[str, str], float]:
    """The printed errors in percent by (set, method)."""
    found = {}
    for table in load_paper(key).tables:
        if table.name not in PARTS[key][0]:
            continue
        for label, row in table.rows.items():
            for method, number in zip(table.methods, row, strict=True):
                if number is not None:
                    error = number.mean if table.measure == "error" else 100 - number.mean
                    found[label, PLAIN if method == "original metric" else method] = error
    return found


def as_markdown(key: str, ours: Mapping) -> list[str]:
    """A table of ours / printed, then how often ours is near or better, method by method."""
    published = printed(key)
    labels = list(dict.fromkeys(label for label, _ in ours))
    methods = list(dict.fromkeys(method for _, method in ours))
    lines = [f"| {' | '.join(['set', *methods])} |", "|---" * (len(methods) + 1) + "|"]
    for label in labels:
        cells = [_cell(ours.get((label, m)), published.get((label, m))) for m in methods]
        lines.append(f"| {' | '.join([label, *cells])} |")
    lines += ["", "| method | near the printed number or better | worse by more | below our own 1-NN |"]
    lines.append("|---|---|---|---|")
    for method in methods[1:]:
        both = [label for label in labels if (label, method) in ours and (label, method) in published]
        worse = [label for label in both if ours[label, method] > published[label, method] + NEAR]
        below = [label for label in both if ours[label, method] > ours[label, PLAIN] + NEAR]
        told = [", ".join(names) or "none" for names in (worse, below)]
        lines.append(f"| {method} | {len(both) - len(worse)} of {len(both)} | {told[0]} | {told[1]} |")
    return lines


def _cell(ours: float | None, published: float | None) -> str:
    told = "" if ours is None else f"{ours:.1f}"
    return told if published is None else f"{told} / {published:.1f}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.published_cells", description=__doc__)
    parser.add_argument("papers", nargs="*", default=list(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--only", action="append", default=[], help="method to run beside 1NN; repeatable")
    parser.add_argument("--store", type=Path, default=Path("published_cells.sqlite"), help="results so far")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    with ResultsStore.open(options.store) as store:
        for key in options.papers or PARTS:
            found = run_part(key, store, options.only, options.jobs)
            print("\n".join(["", f"## {key}", "", *as_markdown(key, found)]), flush=True)


if __name__ == "__main__":
    main()
