"""Choose a default by validation inside training rows, over many sets.

    python -m benchmarks.default_choice PLML pull 0.1 1 10 100 --out plml.json

On each set, rows are split 70/30 a few times. Every value is scored by cross-validation inside the training
rows, and the value with the best mean over all sets is the one to take; what each value then does on the
test rows is told beside it, and decides nothing. Runs go on where they were stopped.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nearkin
from nearkin import KNNClassifier
from nearkin.datasets import list_datasets, load_dataset

PLAIN = "1-NN"


def sets_at_hand(most_rows: int) -> list[str]:
    """Classification sets of up to so many rows that are at hand without a download."""
    return [
        status.name
        for status in list_datasets()
        if status.task == "classification"
        and status.available not in ("", "download")
        and 0 < status.n_samples <= most_rows
    ]


def scores_of(models: dict, X, y, n_splits: int) -> dict:
    """For each model its mean accuracy inside the training rows and on the test rows, in percent."""
    inner = StratifiedKFold(3, shuffle=True, random_state=0)
    found: dict[str, list] = {name: [] for name in models}
    splits = StratifiedShuffleSplit(n_splits, test_size=0.3, random_state=0).split(X, y)
    for train, test in splits:
        for name, model in models.items():
            inside = cross_val_score(model, X[train], y[train], cv=inner).mean()
            outside = clone(model).fit(X[train], y[train]).score(X[test], y[test])
            found[name].append((100 * inside, 100 * outside))
    return {name: np.mean(pairs, axis=0).tolist() for name, pairs in found.items()}


def as_markdown(results: dict) -> list[str]:
    """Inner accuracy of each value on each set, then the means of inner and test accuracy."""
    names = list(next(iter(results.values())))
    lines = [f"| {' | '.join(['set, accuracy inside the training rows', *names])} |"]
    lines.append("|---" * (len(names) + 1) + "|")
    for label, scores in results.items():
        lines.append(f"| {' | '.join([label, *(f'{scores[name][0]:.1f}' for name in names)])} |")
    for told, place in (("mean, decides", 0), ("mean on test rows, decides nothing", 1)):
        means = [np.mean([scores[name][place] for scores in results.values()]) for name in names]
        lines.append(f"| **{told}** | {' | '.join(f'**{mean:.2f}**' for mean in means)} |")
    return lines


def value_of(text: str):
    """A number, a boolean or None as Python writes it, else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.default_choice", description=__doc__)
    parser.add_argument("learner", help="a learner of nearkin")
    parser.add_argument("parameter")
    parser.add_argument("values", nargs="+")
    parser.add_argument("--neighbours", type=int, default=1)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--most-rows", type=int, default=1000)
    parser.add_argument(
        "--out", type=Path, required=True, help="JSON file of results, continued if it is there"
    )
    options = parser.parse_args(arguments)
    results = json.loads(options.out.read_text()) if options.out.exists() else {}

    def model(learner=None):
        return make_pipeline(StandardScaler(), KNNClassifier(learner, n_neighbors=options.neighbours))

    offered = {text: {options.parameter: value_of(text)} for text in options.values}
    kind = getattr(nearkin, options.learner)
    models = {PLAIN: model(), **{text: model(kind(**setting)) for text, setting in offered.items()}}
    for name in sets_at_hand(options.most_rows):
        if name in results:
            continue
        data = load_dataset(name).encoded()
        labels, counts = np.unique(data.y, return_counts=True)
        kept = np.isin(data.y, labels[counts >= 6])
        results[name] = scores_of(models, data.X[kept], data.y[kept], options.splits)
        options.out.write_text(json.dumps(results, indent=1))
        print(name, results[name], flush=True)
    print("\n".join(as_markdown(results)))


if __name__ == "__main__":
    main()
