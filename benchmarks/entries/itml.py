"""ITML against metric-learn's on the same pairs, bounds and prior."""

from __future__ import annotations

import numpy as np

from benchmarks.constraints import balanced_pairs, logdet_from_identity, squared_lengths
from benchmarks.entries.nca import quietly
from benchmarks.entry import Contestant, Entry, Target
from benchmarks.labelled import labelled_data, nearest_neighbour_accuracy

PAIRS_OF_A_KIND = 2_000
GAMMA = 1.0


def make_data(name: str, n: int, d: int) -> tuple:
    """The labelled data, the pairs, and the two bounds on squared distances."""
    data = labelled_data(name, n, d)
    X, y = data[:2]
    pairs = balanced_pairs(y, PAIRS_OF_A_KIND)
    anyone = np.random.RandomState(1).randint(n, size=(100_000, 2))
    return data, pairs, np.percentile(squared_lengths(X, anyone[anyone[:, 0] != anyone[:, 1]]), (5, 95))


def nearkin(data, case):
    from nearkin import ITML

    (X, _, _, _), pairs, bounds = data
    similar = np.arange(len(pairs)) < PAIRS_OF_A_KIND
    given = {"pairs": pairs, "similar": similar}
    return lambda: quietly(ITML(GAMMA, bounds=tuple(np.sqrt(bounds))), X, None, **given)


def metric_learn(data, case):
    from metric_learn import ITML

    (X, _, _, _), pairs, bounds = data
    tuples = X[pairs]
    kind = np.where(np.arange(len(pairs)) < PAIRS_OF_A_KIND, 1, -1)
    return lambda: quietly(ITML(GAMMA), tuples, kind, bounds=bounds.copy())


def quality(data, fitted) -> dict:
    """Objective of both, and the duality gap that nearkin itself reports."""
    labelled, pairs, (near, far) = data
    p = squared_lengths(labelled[0], pairs, fitted.components_)
    ratio = np.r_[np.maximum(p[:PAIRS_OF_A_KIND] / near, 1), np.minimum(p[PAIRS_OF_A_KIND:] / far, 1)]
    slack = np.sum(ratio - 1 - np.log(ratio))
    told = {
        "objective": logdet_from_identity(fitted.components_) + GAMMA * slack,
        "1-NN accuracy": nearest_neighbour_accuracy(labelled, np.asarray(fitted.components_)),
    }
    return {**told, "gap": fitted.gap_} if hasattr(fitted, "gap_") else told


ENTRY = Entry(
    title=f"ITML, {PAIRS_OF_A_KIND} pairs of either kind",
    make_data=make_data,
    contestants=(
        Contestant("nearkin", nearkin, quality=quality, repeats=3),
        Contestant("metric-learn", metric_learn, "metric-learn", quality=quality, repeats=1, time_bound=600),
    ),
    cases=(
        {"name": "digits", "n": 1_257, "d": 64},
        {"name": "mnist", "n": 3_500, "d": 50},
        {"name": "mnist", "n": 3_500, "d": 164},
    ),
    quick_cases=({"name": "digits", "n": 300, "d": 10},),
    targets=(Target("nearkin", "metric-learn", 1 / 50),),
)
