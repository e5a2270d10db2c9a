"""RCA against metric-learn's, with classes as chunklets."""

from __future__ import annotations

import numpy as np

from benchmarks.entries.lfda import make_data
from benchmarks.entries.nca import quietly
from benchmarks.entry import Contestant, Entry
from benchmarks.labelled import nearest_neighbour_accuracy


def nearkin(data, case):
    from nearkin import RCA

    X, y, _, _ = data
    return lambda: quietly(RCA(euclid_share=0.0), X, y)


def metric_learn(data, case):
    from metric_learn import RCA

    X, y, _, _ = data
    return lambda: quietly(RCA(), X, y)


def quality(data, fitted) -> dict:
    return {"1-NN accuracy": nearest_neighbour_accuracy(data, np.asarray(fitted.components_))}


ENTRY = Entry(
    title="RCA, classes as chunklets",
    make_data=make_data,
    contestants=(
        Contestant("nearkin", nearkin, quality=quality, repeats=5),
        Contestant("metric-learn", metric_learn, "metric-learn", quality=quality, repeats=5, time_bound=180),
    ),
    cases=({"name": "digits", "n": 1_257, "d": 64}, {"name": "mnist", "n": 3_500, "d": 50}),
    quick_cases=({"name": "digits", "n": 300, "d": 10},),
)
