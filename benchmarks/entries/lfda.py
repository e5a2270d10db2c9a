"""LFDA against metric-learn's, with seven neighbours and all directions."""

from __future__ import annotations

import numpy as np

from benchmarks.entries.nca import quietly
from benchmarks.entry import Contestant, Entry, Target
from benchmarks.labelled import labelled_data, nearest_neighbour_accuracy


def make_data(name: str, n: int, d: int) -> tuple:
    """Labelled data without constant features, which metric-learn's cannot whiten."""
    X, y, X_test, y_test = labelled_data(name, n, d)
    varies = X.std(axis=0) > 0
    return X[:, varies], y, X_test[:, varies], y_test


def nearkin(data, case):
    from nearkin import LFDA

    X, y, _, _ = data
    # Rows enough for compiled loops to be loaded.
    quietly(LFDA(euclid_share=0.0), X[:1_200], y[:1_200])
    return lambda: quietly(LFDA(euclid_share=0.0), X, y)


def metric_learn(data, case):
    from metric_learn import LFDA

    X, y, _, _ = data
    return lambda: quietly(LFDA(k=7), X, y)


def quality(data, fitted) -> dict:
    return {"1-NN accuracy": nearest_neighbour_accuracy(data, np.asarray(fitted.components_))}


ENTRY = Entry(
    title="LFDA, 7 neighbours, all directions",
    make_data=make_data,
    contestants=(
        Contestant("nearkin", nearkin, quality=quality, repeats=5),
        Contestant("metric-learn", metric_learn, "metric-learn", quality=quality, repeats=5, time_bound=150),
    ),
    cases=(
        {"name": "digits", "n": 1_257, "d": 64},
        {"name": "mnist", "n": 3_500, "d": 50},
        {"name": "mnist", "n": 3_500, "d": 164},
        {"name": "mixture", "n": 8_000, "d": 50},
        {"name": "letter", "n": 16_000, "d": 16},
        {"name": "two-classes", "n": 10_000, "d": 20},
    ),
    quick_cases=({"name": "digits", "n": 300, "d": 10},),
    targets=(Target("nearkin", "metric-learn", 1 / 10),),
)
