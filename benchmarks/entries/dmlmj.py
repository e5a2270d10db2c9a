"""DMLMJ against pyDML's: the same neighbours, all directions."""

from __future__ import annotations

import numpy as np

from benchmarks.entries.nca import quietly
from benchmarks.entry import Contestant, Entry, Target
from benchmarks.labelled import labelled_data, nearest_neighbour_accuracy

NEIGHBOURS = 3


def make_data(name: str, n: int, d: int) -> tuple:
    return labelled_data(name, n, d)


def nearkin(data, case):
    from nearkin import DMLMJ

    X, y, _, _ = data
    learner = DMLMJ(n_components=None, n_neighbors=NEIGHBOURS, euclid_share=0.0)
    quietly(learner, X[:500], y[:500])  # compiled code is loaded once per process
    return lambda: quietly(learner, X, y).components_


def pydml(data, case):
    from dml import DMLMJ

    X, y, _, _ = data
    learner = DMLMJ(n_neighbors=NEIGHBOURS)
    return lambda: quietly(learner, X, y).transformer()


def quality(data, components) -> dict:
    return {"1-NN accuracy": nearest_neighbour_accuracy(data, np.asarray(components))}


ENTRY = Entry(
    title=f"DMLMJ, {NEIGHBOURS} neighbours, all directions",
    make_data=make_data,
    contestants=(
        Contestant("nearkin", nearkin, quality=quality, repeats=5),
        Contestant("pyDML", pydml, "pydml", quality=quality, repeats=2, time_bound=150),
    ),
    cases=(
        {"name": "digits", "n": 1_257, "d": 64},
        {"name": "mnist", "n": 3_500, "d": 50},
        {"name": "mnist", "n": 3_500, "d": 164},
    ),
    quick_cases=({"name": "digits", "n": 300, "d": 10},),
    targets=(Target("nearkin", "pyDML", 1 / 20),),
)
