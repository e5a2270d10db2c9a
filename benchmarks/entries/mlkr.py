"""MLKR against metric-learn's: the digit as a number, the same start, at most so many steps."""

from __future__ import annotations

import numpy as np

from benchmarks.entries.nca import quietly
from benchmarks.entry import Contestant, Entry, Target
from benchmarks.labelled import labelled_data

STEPS = 20


def make_data(name: str, n: int, d: int) -> tuple:
    """Rows of unit variance in sum, among which exp(-D) tells near from far, and standardised targets."""
    X, y, _, _ = labelled_data(name, n, d)
    X = (X - X.mean(axis=0)) / np.sqrt(X.var(axis=0).sum())
    return X, (y - y.mean()) / y.std()


def nearkin(data, case):
    from nearkin import MLKR

    X, y = data
    settings = {"init": "identity", "early_stopping": False, "tol": 1e-12}
    quietly(MLKR(max_iter=1, **settings), X, y)  # compiled code is loaded once per process
    return lambda: quietly(MLKR(max_iter=STEPS, **settings), X, y)


def metric_learn(data, case):
    from metric_learn import MLKR

    X, y = data
    return lambda: quietly(MLKR(init="identity", max_iter=STEPS), X, y)


def quality(data, fitted) -> dict:
    """Mean squared error of leave-one-out kernel predictions."""
    X, y = data
    Z = X @ np.asarray(fitted.components_, dtype=np.float64).T
    norms = (Z**2).sum(axis=1)
    errors = []
    for start in range(0, len(Z), 500):
        D = norms[start : start + 500, None] + norms - 2 * Z[start : start + 500] @ Z.T
        D[np.arange(len(D)), np.arange(start, start + len(D))] = np.inf
        P = np.exp(D.min(axis=1, keepdims=True) - D)
        errors.append((P @ y / P.sum(axis=1) - y[start : start + 500]) ** 2)
    return {"squared error": np.concatenate(errors).mean(), "steps": fitted.n_iter_}


ENTRY = Entry(
    title=f"MLKR, at most {STEPS} steps",
    make_data=make_data,
    contestants=(
        Contestant("nearkin", nearkin, quality=quality, repeats=3),
        Contestant("metric-learn", metric_learn, "metric-learn", quality=quality, repeats=1, time_bound=180),
    ),
    cases=({"name": "digits", "n": 1_257, "d": 64}, {"name": "mnist", "n": 3_500, "d": 50}),
    quick_cases=({"name": "digits", "n": 300, "d": 10},),
    targets=(Target("nearkin", "metric-learn", 1 / 5),),
)
