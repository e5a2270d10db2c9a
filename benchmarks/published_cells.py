"""How near the compared methods come to the numbers printed for them.

Every setting is chosen inside the training rows of the fold, from the grid below; test rows are looked at
once. Beside each number stands the printed one and nearkin's own plain nearest neighbour on the same folds,
since some printed numbers belong to data in another form. Methods are as published, or, with ``--defaults``,
with the share of Euclid that learners choose by default. Runs go on where they were stopped.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.preprocessing import Normalizer, StandardScaler

from nearkin import DMLMJ, GLML, ITML, LDDM, MLEV, PLML, DMLEig
from nearkin.datasets import load_dataset
from nearkin.evaluation import (
    Candidate,
    GivenSplit,
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
from nearkin.experiments.paper import rows_for
from nearkin.experiments.text_reduction import TextReduction
from nearkin.maps import KernelMap

PLAIN = "1NN"
#: Neighbours to choose from where the paper chooses them.
NEIGHBOURS = (1, 3, 5, 7, 9, 11, 15, 21)
#: Widths of the kernel, as multiples of 1 / (number of features) on standardised features.
WIDTHS = (0.03, 0.1, 0.3, 1.0)
#: To which images and documents are reduced.
REDUCED_DIMENSIONS = 100
#: "Within about so many points" counts as near.
NEAR = 2.0


def _prepare(data, kind: str) -> list:
    if kind == "images":
        return [PCA(min(REDUCED_DIMENSIONS, data.X.shape[1]), random_state=0)]
    if kind == "documents":
        return [TextReduction(REDUCED_DIMENSIONS), Normalizer()]
    return [StandardScaler()]


def _by_folds(data, kind: str) -> list[Candidate]:
    """The columns of rajabzadeh2018 that are not its own: one neighbour, features standardised."""
    n, d = data.X.shape
    size = (n, d, data.n_classes)
    widths = [KernelMap(kernel="rbf", gamma=width / d, n_landmarks=500) for width in WIDTHS]
    return [
        neighbours(PLAIN, _prepare(data, kind)),
        neighbours("DMLMJ", _prepare(data, kind), DMLMJ(), grid=DMLMJ.tuning_grid(*size)),
        neighbours("KDMLMJ", _prepare(data, kind), DMLMJ(), grid={"kernel": widths}),
        neighbours("MLEV", _prepare(data, kind), MLEV(), grid=MLEV.tuning_grid(*size)),
        neighbours("GLML", _prepare(data, kind), GLML(), grid=GLML.tuning_grid(*size)),
        classifier("LDDM", _prepare(data, kind), LDDM(), LDDM.tuning_grid(*size)),
        neighbours("PLML", _prepare(data, kind), PLML(), grid=PLML.tuning_grid(*size)),
    ]


def _untuned(data, kind: str) -> list[Candidate]:
    """The same for large sets: settings as they come but for the kernel's width; no cells without number."""
    found = [c if c.label == "KDMLMJ" else replace(c, grid={}) for c in _by_folds(data, kind)]
    return [c for c in found if not (kind and c.label in ("DMLMJ", "KDMLMJ", "LDDM"))]


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


def with_defaults(candidate: Candidate) -> Candidate:
    """The candidate with what nearkin adds to the published method."""
    shares = [name for name in candidate.estimator.get_params() if name.endswith("__euclid_share")]
    return replace(candidate, estimator=candidate.estimator.set_params(**dict.fromkeys(shares, "auto")))


@dataclass(frozen=True)
class Part:
    """Cells of a paper that are run alike.

    Attributes
    ----------
    paper : str
    tables : tuple of str
        Those that hold the printed numbers.
    labels : tuple of str
        The paper's names of the sets.
    candidates : callable (data, kind) -> list of Candidate
    protocol : Protocol
        For sets without a published split.
    """

    paper: str
    tables: tuple[str, ...]
    labels: tuple[str, ...]
    candidates: Callable[..., list[Candidate]]
    protocol: Protocol


SMALL = (
    *("Australian", "Balance", "Cancer", "Diabetes", "German", "Glass", "Heart", "Ionosphere", "Iris"),
    *("Liver", "Seeds", "Sonar", "Vehicle", "Wine", "Yeast", "Semeion"),
)
PARTS: Mapping[str, Part] = {
    "rajabzadeh2018": Part(
        "rajabzadeh2018", ("Table 2", "Table 5"), SMALL, _by_folds, StratifiedFolds(10, n_repeats=1)
    ),
    "rajabzadeh2018-large": Part(
        "rajabzadeh2018",
        ("Table 2", "Table 5"),
        ("20NEWS", "Isolet", "USPS", "Letter", "MNIST"),
        _untuned,
        RandomSplits(n_splits=1, test_share=0.1),
    ),
    "shigeto2017": Part(
        "shigeto2017",
        ("Table 3",),
        ("ionosphere", "balance-scale", "iris", "wine", "glass"),
        _by_splits,
        RandomSplits(n_splits=8, test_share=0.3),
    ),
}


def run_part(part: Part, store: ResultsStore, options: argparse.Namespace) -> dict:
    """Mean error in percent by (set, method), of every set that is complete."""
    errors: dict[tuple[str, str], list[float]] = defaultdict(list)
    uses = {use.label: use for use in load_paper(part.paper).datasets}
    for label in options.set or part.labels:
        use, data = uses[label], load_dataset(uses[label].name).encoded()
        if use.published_split and data.has_split:
            protocol: Protocol = GivenSplit(data.train_indices, data.test_indices)
        else:
            data, protocol = data.take(rows_for(use, data, False, 0)), part.protocol
        problem = Problem(label, data.X, data.y)
        candidates = part.candidates(data, use.kind)
        candidates = [c for c in candidates if not options.only or c.label in (*options.only, PLAIN)]
        if options.defaults:
            candidates = [with_defaults(candidate) for candidate in candidates]
        for record in _records(problem, candidates, protocol, store, options.jobs):
            if record.score is None:
                print(f"{label}, {record.label}, fold {record.fold}: {record.error}")
            else:
                errors[label, record.label].append(100 * (1 - record.score))
        told = ", ".join(f"{c.label} {np.mean(errors[label, c.label]):.2f}" for c in candidates)
        print(f"{label}: {told}", flush=True)
    return {cell: float(np.mean(found)) for cell, found in errors.items()}


def _records(problem: Problem, candidates, protocol: Protocol, store: ResultsStore, jobs: int) -> list:
    tasks = plan_tasks(problem, candidates, protocol, 0)
    return run_tasks(tasks, store=store, jobs=jobs, isolate=jobs > 1, arrays=False, stage="cells")


def printed(part: Part) -> dict[tuple[str, str], float]:
    """The printed errors in percent by (set, method)."""
    found = {}
    for table in load_paper(part.paper).tables:
        if table.name not in part.tables:
            continue
        for label, row in table.rows.items():
            for method, number in zip(table.methods, row, strict=True):
                if number is not None:
                    error = number.mean if table.metric == "error" else 100 - number.mean
                    found[label, PLAIN if method == "original metric" else method] = error
    return found


def as_markdown(part: Part, ours: Mapping) -> list[str]:
    """A table of ours / printed, then how often ours is near or better, method by method."""
    published = printed(part)
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
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--only", action="append", default=[], help="method to run beside 1NN; repeatable")
    parser.add_argument("--set", action="append", default=[], help="set to run, by its label; repeatable")
    parser.add_argument("--defaults", action="store_true", help="with the share of Euclid chosen by default")
    parser.add_argument("--store", type=Path, default=Path("published_cells.sqlite"), help="results so far")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    with ResultsStore.open(options.store) as store:
        for key in options.parts or PARTS:
            found = run_part(PARTS[key], store, options)
            print("\n".join(["", f"## {key}", "", *as_markdown(PARTS[key], found)]), flush=True)


if __name__ == "__main__":
    main()
