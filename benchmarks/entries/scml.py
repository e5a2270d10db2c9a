"""SCML against metric-learn's: 3 targets, 10 impostors, local discriminants as directions."""

from __future__ import annotations

import numpy as np

from benchmarks.entries.nca import quietly
from benchmarks.entry import Contestant, Entry, Target
from benchmarks.labelled import labelled_data, nearest_neighbour_accuracy

DIRECTIONS = 400


def make_data(name: str, n: int, d: int) -> tuple:
    return labelled_data(name, n, d)


def nearkin(data, case):
    from nearkin import SCML

    X, y, _, _ = data
    quietly(SCML(20, euclid_share=0.0), X[:500], y[:500])  # compiled code is loaded once per process
    return lambda: quietly(SCML(DIRECTIONS, euclid_share=0.0), X, y)


def metric_learn(data, case):
    from metric_learn import SCML_Supervised

    X, y, _, _ = data
    learner = SCML_Supervised(n_basis=DIRECTIONS, random_state=0)
    return lambda: quietly(learner, X, y)


def quality(data, fitted) -> dict:
    """Mean hinge over each row's 3 nearest of its class and 10 nearest others, and test accuracy."""
    X, y, _, _ = data
    components = np.asarray(fitted.components_)
    Z = X @ components.T
    norms = (X**2).sum(axis=1)
    hinges = []
    for i in range(len(X)):
        D = norms - 2 * X @ X[i]
        D[i] = np.inf
        same = y == y[i]
        near = np.argpartition(np.where(same, D, np.inf), 3)[:3]
        far = np.argpartition(np.where(same, np.inf, D), 10)[:10]
        a, b = ((Z[near] - Z[i]) ** 2).sum(axis=1), ((Z[far] - Z[i]) ** 2).sum(axis=1)
        hinges.append(np.maximum(1 + a[:, None] - b, 0).mean())
    return {
        "mean hinge": np.mean(hinges),
        "1-NN accuracy": nearest_neighbour_accuracy(data, components),
    }


ENTRY = Entry(
    title=f"SCML, at most {DIRECTIONS} directions",
    make_data=make_data,
    contestants=(
        Contestant("nearkin", nearkin, quality=quality, repeats=2),
        Contestant("metric-learn", metric_learn, "metric-learn", quality=quality, repeats=1, time_bound=150),
    ),
    cases=(
        {"name": "digits", "n": 1_257, "d": 64},
        {"name": "mnist", "n": 3_500, "d": 50},
        {"name": "mnist", "n": 3_500, "d": 164},
    ),
    quick_cases=({"name": "digits", "n": 300, "d": 10},),
    targets=(
        Target("nearkin", "metric-learn", 1 / 5),
        Target("nearkin", "metric-learn", 1 / 10, "peak_extra_bytes"),
    ),
)
