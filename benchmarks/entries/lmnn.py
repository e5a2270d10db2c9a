"""LMNN against pylmnn and metric-learn: at the same number of steps, and at a quality no worse."""

from __future__ import annotations

import numpy as np

from benchmarks.entries.nca import quietly
from benchmarks.entry import Contestant, Entry, Target
from benchmarks.labelled import labelled_data, nearest_neighbour_accuracy

STEPS = 50


def make_data(name: str, n: int, d: int) -> tuple:
    return labelled_data(name, n, d)


def after(steps: int):
    def prepare(data, case):
        from nearkin import LMNN

        X, y, _, _ = data
        # Compiled code is loaded once per process.
        quietly(LMNN(max_iter=1, refresh_targets=0, euclid_share=0.0), X[:1_600], y[:1_600])
        return lambda: quietly(LMNN(max_iter=steps, refresh_targets=0, euclid_share=0.0), X, y)

    return prepare


def pylmnn(data, case):
    from pylmnn import LargeMarginNearestNeighbor

    X, y, _, _ = data
    return lambda: quietly(LargeMarginNearestNeighbor(n_neighbors=3, max_iter=STEPS, random_state=0), X, y)


def metric_learn(data, case):
    from metric_learn import LMNN

    X, y, _, _ = data
    return lambda: quietly(LMNN(), X, y)


def quality(data, fitted) -> dict:
    """The loss per sample over all impostors, with mu = 1/2 and Euclid's 3 targets, and test accuracy."""
    X, y, _, _ = data
    components = np.asarray(fitted.components_, dtype=np.float64)
    Z = (X - X.mean(axis=0)) @ components.T
    norms, raw_norms = (Z**2).sum(axis=1), (X.astype(np.float64) ** 2).sum(axis=1)
    total = 0.0
    for start in range(0, len(Z), 250):
        block = slice(start, start + 250)
        same = y[block, None] == y
        same[np.arange(len(same)), np.arange(start, start + len(same))] = False
        raw = np.where(
            same, raw_norms[block, None] + raw_norms - 2 * X[block] @ X.T.astype(np.float64), np.inf
        )
        targets = np.argpartition(raw, 3, axis=1)[:, :3]
        D = norms[block, None] + norms - 2 * Z[block] @ Z.T
        other = y[block, None] != y
        for column in targets.T:
            reach = D[np.arange(len(D)), column]
            total += reach.sum() + np.maximum(1 + reach[:, None] - D, 0)[other].sum()
    return {
        "objective": total / 2 / len(Z),
        "3-NN accuracy": nearest_neighbour_accuracy(data, components, k=3),
    }


# The figure to quote is that of the fewest of these steps whose objective is at or below pylmnn's: a rule
# that knows nothing of the times.
FEW = (5, 10, 15)

ENTRY = Entry(
    title=f"LMNN, 3 targets, at most {STEPS} steps; the first of {FEW} no worse than pylmnn",
    make_data=make_data,
    contestants=(
        Contestant("nearkin", after(STEPS), quality=quality, repeats=3),
        *(Contestant(f"nearkin, {steps} steps", after(steps), quality=quality, repeats=3) for steps in FEW),
        Contestant("pylmnn", pylmnn, "pylmnn", quality=quality, repeats=2, time_bound=600),
        Contestant(
            "metric-learn",
            metric_learn,
            "metric-learn",
            quality=quality,
            repeats=1,
            time_bound=600,
            in_growth=False,
        ),
    ),
    cases=(
        {"name": "digits", "n": 1_257, "d": 64},
        {"name": "mnist", "n": 3_500, "d": 50},
        {"name": "mnist", "n": 3_500, "d": 164},
        {"name": "mixture", "n": 9_234, "d": 300},
        {"name": "letter", "n": 5_000, "d": 16},
        {"name": "isolet", "n": 5_000, "d": 617},
        {"name": "banking77-minilm", "n": 5_000, "d": 384},
    ),
    quick_cases=({"name": "digits", "n": 600, "d": 64},),
    growth={
        "n": tuple({"name": "mixture", "n": n, "d": 50} for n in (2_000, 4_000, 8_000)),
        "d": tuple({"name": "mixture", "n": 3_000, "d": d} for d in (25, 50, 100, 200)),
    },
    targets=(
        Target("nearkin, 10 steps", "pylmnn", 1 / 10),
        Target("nearkin", "metric-learn", 1 / 50),
    ),
)
