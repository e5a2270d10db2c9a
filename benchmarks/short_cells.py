"""Why a cell of a paper falls short: choosing the settings, the form of the data, or neither.

::

    python -m benchmarks.short_cells rajabzadeh2018 Iris:1NN Balance:GLML

For each cell (label of the set, method) the mean over the first folds of the full protocol, in the metric of
accuracy or error: of every setting that the paper's declaration offers, without choosing among them; the best
of them *by these test rows*, which no honest choice can beat by more than luck; and, for the plain nearest
neighbour, the same of raw features, as printed numbers may be of either. Nothing here chooses anything for
the results pages: it tells what a choice could have brought.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from dataclasses import replace

import numpy as np
from sklearn.base import clone

from nearkin.evaluation import Candidate
from nearkin.experiments import load_paper
from nearkin.experiments.paper import DatasetUse, Paper, Setup
from nearkin.experiments.reproduce import setup_of


def errors_by_setting(setup: Setup, candidate: Candidate, n_folds: int) -> dict[str, float]:
    """Mean error in percent over the first folds, of every setting of a candidate."""
    X, y = setup.encoded.X, np.asarray(setup.data.y)
    splits = setup.protocol.splits(y, setup.seed)[:n_folds]
    found = {}
    for one in candidate.expand():
        wrong = []
        for split in splits:
            model = clone(one.estimator).set_params(**one.setting)
            model.fit(X[split.train], y[split.train])
            wrong.append(np.mean(model.predict(X[split.test]) != y[split.test]))
        told = ", ".join(f"{name.rpartition('__')[2]}={value}" for name, value in one.setting.items())
        found[told or "as it is"] = 100 * float(np.mean(wrong))
    return found


def raw(candidate: Candidate) -> Candidate:
    """The candidate on features as they come: without the first step of its pipeline."""
    steps = candidate.estimator.steps[1:]
    return replace(candidate, estimator=clone(candidate.estimator).set_params(steps=steps))


def report(paper: Paper, use: DatasetUse, method_label: str, n_folds: int) -> str:
    """A line on one cell."""
    setup = setup_of(paper, use)
    method = next(one for one in paper.methods if one.label == method_label)
    candidate = method.build(setup)
    found = errors_by_setting(setup, candidate, n_folds)
    best = min(found, key=found.__getitem__)
    text = f"{use.label} {method_label}: {len(found)} settings, best by test rows {found[best]:.2f} ({best})"
    if len(found) > 1:
        text += f", median {np.median(list(found.values())):.2f}"
    if not candidate.grid:
        text += f"; raw features {min(errors_by_setting(setup, raw(candidate), n_folds).values()):.2f}"
    return text


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.short_cells", description=__doc__)
    parser.add_argument("paper")
    parser.add_argument("cells", nargs="+", help="LABEL:METHOD")
    parser.add_argument("--folds", type=int, default=10, help="how many of the protocol's folds")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    paper = load_paper(options.paper)
    uses = {use.label: use for use in paper.datasets}
    for cell in options.cells:
        label, method = cell.split(":")
        print(report(paper, uses[label], method, options.folds), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
