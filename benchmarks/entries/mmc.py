"""MMC against metric-learn's on the same pairs."""

from __future__ import annotations

import numpy as np

from benchmarks.constraints import balanced_pairs, squared_lengths
from benchmarks.entries.nca import quietly
from benchmarks.entry import Contestant, Entry, Target
from benchmarks.labelled import labelled_data, nearest_neighbour_accuracy

PAIRS_OF_A_KIND = 2_000


def make_data(name: str, n: int, d: int) -> tuple:
    """Labelled data without constant features, which leave similar pairs no variance, and pairs."""
    X, y, X_test, y_test = labelled_data(name, n, d)
    varies = X.std(axis=0) > 0
    pairs = balanced_pairs(y, PAIRS_OF_A_KIND)
    return (X[:, varies], y, X_test[:, varies], y_test), pairs


def nearkin(data, case):
    from nearkin import MMC

    (X, _, _, _), pairs = data
    given = {"pairs": pairs, "similar": np.arange(len(pairs)) < PAIRS_OF_A_KIND}
    return lambda: quietly(MMC(), X, None, **given)


def metric_learn(data, case):
    from metric_learn import MMC

    (X, _, _, _), pairs = data
    tuples = X[pairs]
    kind = np.where(np.arange(len(pairs)) < PAIRS_OF_A_KIND, 1, -1)
    return lambda: quietly(MMC(), tuples, kind)


def quality(data, fitted) -> dict:
    """Mean distance of dissimilar pairs where that of similar ones, squared, is one: to be large."""
    labelled, pairs = data
    p = squared_lengths(labelled[0], pairs, fitted.components_)
    gain = np.sqrt(p[PAIRS_OF_A_KIND:]).mean() / np.sqrt(p[:PAIRS_OF_A_KIND].mean())
    return {
        "objective, to be large": gain,
        "1-NN accuracy": nearest_neighbour_accuracy(labelled, np.asarray(fitted.components_)),
    }


ENTRY = Entry(
    title=f"MMC, {PAIRS_OF_A_KIND} pairs of either kind",
    make_data=make_data,
    contestants=(
        Contestant("nearkin", nearkin, quality=quality, repeats=3),
        Contestant("metric-learn", metric_learn, "metric-learn", quality=quality, repeats=1, time_bound=150),
    ),
    cases=(
        {"name": "digits", "n": 1_257, "d": 64},
        {"name": "mnist", "n": 3_500, "d": 50},
        {"name": "mnist", "n": 3_500, "d": 164},
    ),
    quick_cases=({"name": "digits", "n": 300, "d": 10},),
    targets=(Target("nearkin", "metric-learn", 1 / 10),),
)
