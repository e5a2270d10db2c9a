"""NCA against scikit-learn's at the same number of steps, and MEGM beside it."""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks.entry import PER_STEP, Contestant, Entry, Target
from benchmarks.labelled import labelled_data, nearest_neighbour_accuracy

STEPS = 30
#: Where one step of scikit-learn's takes seconds.
FEW_STEPS = 6


def make_data(name: str, n: int, d: int, steps: int = STEPS) -> tuple:
    return labelled_data(name, n, d)


def settings(case) -> dict:
    """So many steps from the same start, however little they gain.

    nearkin's own "identity" is of features in units of their usual spread; an array is taken as it is.
    """
    return {"max_iter": case.get("steps", STEPS), "init": np.eye(case["d"])}


def nearkin(data, case):
    from nearkin import NCA

    X, y, _, _ = data
    quietly(NCA(euclid_share=0.0), X[:1_600], y[:1_600])  # compiled code is loaded once per process
    return lambda: quietly(NCA(tol=0.0, **settings(case), euclid_share=0.0), X, y)


def megm(data, case):
    from nearkin import MEGM

    X, y, _, _ = data
    quietly(MEGM(early_stopping=False, euclid_share=0.0), X[:1_600], y[:1_600])
    return lambda: quietly(MEGM(tol=0.0, early_stopping=False, **settings(case), euclid_share=0.0), X, y)


def scikit_learn(data, case):
    from sklearn.neighbors import NeighborhoodComponentsAnalysis

    X, y, _, _ = data
    return lambda: quietly(NeighborhoodComponentsAnalysis(tol=1e-12, **settings(case)), X, y)


def quietly(estimator, X, y=None, **given):
    """Fit without the warning that the steps ran out: here they are meant to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X, y, **given)


def quality(data, fitted) -> dict:
    """NCA's objective (the chance of a soft neighbour of the own class), steps, and test accuracy."""
    X, y, _, _ = data
    Z = (X - X.mean(axis=0)) @ fitted.components_.T.astype(np.float64)
    hits = 0.0
    norms = (Z**2).sum(axis=1)
    for start in range(0, len(Z), 500):
        block = slice(start, start + 500)
        D = norms[block, None] + norms - 2 * Z[block] @ Z.T
        D[np.arange(len(D)), np.arange(start, start + len(D))] = np.inf
        P = np.exp(D.min(axis=1, keepdims=True) - D)
        hits += ((P * (y[block, None] == y)).sum(axis=1) / P.sum(axis=1)).sum()
    return {
        "objective": hits / len(Z),
        "steps": fitted.n_iter_,
        "1-NN accuracy": nearest_neighbour_accuracy(data, fitted.components_),
    }


ENTRY = Entry(
    title=f"NCA and MEGM, {STEPS} steps from the identity where the case does not say otherwise",
    make_data=make_data,
    contestants=(
        Contestant("nearkin NCA", nearkin, quality=quality, repeats=3),
        Contestant("nearkin MEGM", megm, quality=quality, repeats=3),
        Contestant(
            "scikit-learn NCA", scikit_learn, "scikit-learn", quality=quality, repeats=2, time_bound=900
        ),
    ),
    cases=(
        {"name": "digits", "n": 1_257, "d": 64},
        {"name": "mnist", "n": 5_000, "d": 50},
        {"name": "mnist", "n": 5_000, "d": 164},
        {"name": "mixture", "n": 9_234, "d": 300, "steps": FEW_STEPS},
        {"name": "letter", "n": 5_000, "d": 16},
        {"name": "isolet", "n": 5_000, "d": 617, "steps": 15},
        {"name": "banking77-minilm", "n": 5_000, "d": 384, "steps": 15},
    ),
    quick_cases=({"name": "digits", "n": 600, "d": 64},),
    growth={
        "n": tuple({"name": "mixture", "n": n, "d": 50, "steps": FEW_STEPS} for n in (2_000, 4_000, 8_000)),
        "d": tuple({"name": "mixture", "n": 3_000, "d": d, "steps": FEW_STEPS} for d in (25, 50, 100, 200)),
    },
    targets=(
        Target("nearkin NCA", "scikit-learn NCA", 1 / 8),
        Target("nearkin NCA", "scikit-learn NCA", 1 / 5, measure="peak_extra_bytes"),
        Target("nearkin MEGM", "nearkin NCA", 1.3, measure=PER_STEP),
    ),
)
