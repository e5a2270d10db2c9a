"""Choosing the penalty of Move-labeled among ten, against one fit and its own k-NN evaluation."""

from __future__ import annotations

import numpy as np

from benchmarks.data import gaussian_mixture
from benchmarks.entry import Contestant, Entry, Target

HELD_OUT = 2_000


def make_data(n: int, d: int) -> tuple:
    return gaussian_mixture(n, d, n_classes=20)


def auto(data, case):
    from nearkin import MoveLabeled

    X, y = data
    return lambda: MoveLabeled(n_targets=1, alpha="auto").fit(X, y)


def one_penalty(data, case):
    """One fit on the rows kept, and the neighbours of as many held-out rows as "auto" looks at."""
    from nearkin import KNNClassifier, MoveLabeled

    X, y = data
    held_out = np.arange(len(X)) < min(HELD_OUT, len(X) // 5)

    def job():
        model = KNNClassifier(MoveLabeled(n_targets=1, alpha=100.0), n_neighbors=10, index="exact")
        return model.fit(X[~held_out], y[~held_out]).score(X[held_out], y[held_out])

    return job


ENTRY = Entry(
    title='Move-labeled with alpha="auto" (ten penalties), float32',
    make_data=make_data,
    contestants=(
        Contestant("auto", auto, quality=lambda data, model: {"alpha": model.alpha_}, repeats=3),
        Contestant("one penalty", one_penalty, quality=lambda data, score: {"accuracy": score}, repeats=5),
    ),
    cases=({"n": 13_192, "d": 300},),
    quick_cases=({"n": 2_000, "d": 50},),
    targets=(Target("auto", "one penalty", 10.0),),
)
