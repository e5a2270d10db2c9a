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
    """Objective and duality gap of both, computed here from the maps alone.

    The gap is the objective less that of the dual at the multipliers that the map's own slacks give.
    """
    (X, *rest), pairs, (near, far) = data
    components = np.asarray(fitted.components_, dtype=np.float64)
    p = squared_lengths(X, pairs, components)
    bound = np.repeat([near, far], PAIRS_OF_A_KIND)
    ratio = np.r_[np.maximum(p[:PAIRS_OF_A_KIND] / near, 1), np.minimum(p[PAIRS_OF_A_KIND:] / far, 1)]
    objective = logdet_from_identity(components) + GAMMA * np.sum(ratio - 1 - np.log(ratio))
    differences = X[pairs[:, 0]] - X[pairs[:, 1]]
    slopes = GAMMA * (1 - 1 / ratio) / bound
    sign, log_det = np.linalg.slogdet(np.eye(X.shape[1]) + (differences.T * slopes) @ differences)
    dual = log_det + GAMMA * np.sum(np.log(1 - slopes * bound / GAMMA)) if sign > 0 else -np.inf
    return {
        "objective": objective,
        "gap": objective - dual,
        "1-NN accuracy": nearest_neighbour_accuracy((X, *rest), components),
    }


ENTRY = Entry(
    title=f"ITML, {PAIRS_OF_A_KIND} pairs of either kind",
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
    targets=(Target("nearkin", "metric-learn", 1 / 50),),
)
