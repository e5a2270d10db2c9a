"""MCML against pyDML's with its defaults, judged by the objective both have."""

from __future__ import annotations

import numpy as np

from benchmarks.entries.nca import quietly
from benchmarks.entry import Contestant, Entry, Target
from benchmarks.labelled import labelled_data, nearest_neighbour_accuracy


def make_data(name: str, n: int, d: int) -> tuple:
    return labelled_data(name, n, d)


def nearkin(data, case):
    from nearkin import MCML

    X, y, _, _ = data
    quietly(MCML(max_iter=1, euclid_share=0.0), X, y)  # compiled code is loaded once per process
    return lambda: quietly(MCML(euclid_share=0.0), X, y).components_


def pydml(data, case):
    from dml import MCML

    X, y, _, _ = data
    return lambda: quietly(MCML(), X, y).transformer()


def quality(data, components) -> dict:
    """Cross-entropy of the ideal draws under the learned ones, at the best scale of the map."""
    X, y, _, _ = data
    Z = X @ np.asarray(components, dtype=np.float64).T
    D = np.maximum((Z**2).sum(axis=1)[:, None] + (Z**2).sum(axis=1) - 2 * Z @ Z.T, 0)
    same = (y[:, None] == y) & ~np.eye(len(y), dtype=bool)
    pull = (D * same).sum(axis=1) / same.sum(axis=1)
    np.fill_diagonal(D, np.inf)
    least = D.min(axis=1)
    objectives = []
    for scale in np.logspace(-3, 3, 25) / pull.mean():
        partition = np.log(np.exp(-scale * (D - least[:, None])).sum(axis=1)) - scale * least
        objectives.append(np.mean(scale * pull + partition))
    return {
        "objective": min(objectives),
        "1-NN accuracy": nearest_neighbour_accuracy(data, np.asarray(components)),
    }


ENTRY = Entry(
    title="MCML, all components, default settings",
    make_data=make_data,
    contestants=(
        Contestant("nearkin", nearkin, quality=quality, repeats=2),
        Contestant("pyDML", pydml, "pydml", quality=quality, repeats=1, time_bound=150),
    ),
    cases=(
        {"name": "digits", "n": 300, "d": 10},
        {"name": "digits", "n": 1_257, "d": 64},
        {"name": "mnist", "n": 3_500, "d": 50},
    ),
    quick_cases=({"name": "digits", "n": 300, "d": 10},),
    targets=(Target("nearkin", "pyDML", 1 / 10),),
)
