"""What the declarations of two papers quote as reasons for numbers worse than the printed ones.

    python -m benchmarks.printed_reasons splits                   # gonzalez2016, half a minute
    python -m benchmarks.printed_reasons thirds                   # semerci2013, its small sets, some minutes
    python -m benchmarks.printed_reasons thirds --set Heart --draws 10
    python -m benchmarks.printed_reasons splits thirds --draws 2  # to see that it runs

`splits` divides the sets that the paper divides once into parts of the paper's sizes at random: how much the
best point of KNN-SP's test curve depends on which rows these are. `thirds` holds out other thirds than
`nearkin reproduce semerci2013 --seed 0` does, trains two models on each, on halves of the rest, and reports
the setting that classifies the other halves best. Sets are read from the folder `NEARKIN_DATA`.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from nearkin.datasets import load_dataset
from nearkin.evaluation import Candidate, FiveByTwo, RandomSplits
from nearkin.experiments.estimators import neighbours
from nearkin.experiments.metric_curves import EUCLID, MetricPathRegressor
from nearkin.experiments.paper import DatasetUse, Paper, Setup, rows_for
from nearkin.experiments.papers import gonzalez2016, semerci2013
from nearkin.experiments.relative_error import VARYING_ARRMSE

SPLITS, THIRDS = "splits", "thirds"
SETS = {SPLITS: ("atp1d", "atp7d"), THIRDS: ("Ctg", "Faults", "Heart", "Musk", "Sonar", "Transfusion")}
DRAWS = {SPLITS: 60, THIRDS: 5}


def on_random_splits(label: str, draws: int) -> dict[str, np.ndarray]:
    """aRRMSE of KNN-SP at its best number of neighbours, one number per split."""
    use = _use(gonzalez2016.PAPER, label)
    data = load_dataset(use.name).encoded()
    train, test = gonzalez2016.SPLIT_ONCE[label]
    splits = RandomSplits(draws, test / (train + test), stratified=False).splits(data.y, seed=0)
    found = []
    for split in splits:
        model = make_pipeline(MinMaxScaler(), MetricPathRegressor(EUCLID))
        model.fit(data.X[split.train], data.y[split.train])
        errors = []
        for count in gonzalez2016.NEIGHBOURS:
            model[-1].n_neighbors = count
            answers = model.predict(data.X[split.test])
            errors.append(VARYING_ARRMSE.compute(data.y[split.test], answers, data.y[split.train]))
        found.append(min(errors))
    return {gonzalez2016.KNN_SP: np.array(found)}


def on_other_thirds(label: str, draws: int) -> dict[str, np.ndarray]:
    """Accuracy in percent of Euclid and of what the paper compares with, one number per held-out third."""
    paper = semerci2013.PAPER
    use = _use(paper, label)
    data = load_dataset(use.name)
    data = data.take(rows_for(use, data, quick=False, seed=0)).encoded()
    setup = Setup(use, data, paper.protocol, quick=False)
    columns = [
        neighbours("Euclid", [StandardScaler()], n_neighbors=semerci2013.NEIGHBOURS),
        *(method.build(setup) for method in paper.methods if not method.own),
    ]
    thirds = [FiveByTwo(n_repeats=1).splits(data.y, seed) for seed in range(1, draws + 1)]
    return {c.label: np.array([_best_setting(c, data, splits) for splits in thirds]) for c in columns}


def _best_setting(candidate: Candidate, data, splits) -> float:
    """Test accuracy of the setting with the best validation accuracy, both means over the splits."""
    found = []
    for one in candidate.expand():
        scores = []
        for split in splits:
            model = one.estimator.set_params(**one.setting).fit(data.X[split.train], data.y[split.train])
            scores.append(
                [model.score(data.X[rows], data.y[rows]) for rows in (split.validation, split.test)]
            )
        found.append(np.mean(scores, axis=0))
    return 100 * max(found, key=lambda pair: pair[0])[1]


def _use(paper: Paper, label: str) -> DatasetUse:
    return next(use for use in paper.datasets if use.label == label)


def _row(part: str, label: str, method: str, found: np.ndarray) -> str:
    """A line of the table: what was found, the printed number, and how often it was reached."""
    paper, decimals = {SPLITS: (gonzalez2016.PAPER, 3), THIRDS: (semerci2013.PAPER, 1)}[part]
    numbers = (found.mean(), found.std(ddof=1), found.min(), found.max())
    cells = [label, method, *(f"{number:.{decimals}f}" for number in numbers), str(len(found))]
    printed = paper.tables[0].number(label, method)
    if printed is not None:
        reached = found <= printed.mean if part == SPLITS else found >= printed.mean
        cells += [f"{printed.mean:g}", f"{np.mean(reached):.0%}"]
    return f"| {' | '.join(cells)} |" + " | |" * (printed is None)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.printed_reasons", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"{SPLITS}, {THIRDS}; both by default")
    parser.add_argument("--set", action="append", default=[], help="label in the paper's table; repeatable")
    parser.add_argument("--draws", type=int, help="how many splits or thirds")
    given = parser.parse_args(arguments)
    if given.draws is not None and given.draws < 2:
        parser.error("--draws must be at least 2: it takes two for a standard deviation")
    # The papers' settings include some that exhaust the budget of steps, in the reproduction too.
    warnings.simplefilter("ignore", ConvergenceWarning)
    print("| set | method | mean | standard deviation | smallest | largest | draws | printed | reached on |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for part in given.parts or SETS:
        measure = {SPLITS: on_random_splits, THIRDS: on_other_thirds}[part]
        for label in [name for name in SETS[part] if name in given.set or not given.set]:
            for method, found in measure(label, given.draws or DRAWS[part]).items():
                print(_row(part, label, method, found), flush=True)


if __name__ == "__main__":
    main()
