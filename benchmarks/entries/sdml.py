"""SDML against metric-learn's on the same pairs, penalty and balance: one graphical lasso."""

from __future__ import annotations

import numpy as np

from benchmarks.constraints import balanced_pairs
from benchmarks.entries.nca import quietly
from benchmarks.entry import Contestant, Entry, Target
from benchmarks.labelled import labelled_data

PAIRS_OF_A_KIND = 2_000
BALANCE, SPARSITY = 0.5, 0.1


def make_data(name: str, n: int, d: int) -> tuple:
    """Standardised rows, pairs, and what either library's settings come to: matrix, price, step."""
    X, y, _, _ = labelled_data(name, n, d)
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    pairs = balanced_pairs(y, PAIRS_OF_A_KIND)
    differences = X[pairs[:, 0]] - X[pairs[:, 1]]
    sign = np.where(np.arange(len(pairs)) < PAIRS_OF_A_KIND, 1.0, -1.0)
    K = (differences.T * sign) @ differences
    step = BALANCE / np.abs(np.linalg.eigvalsh(K)).max()
    C = np.eye(X.shape[1]) + step * K
    price = SPARSITY * np.abs(C[~np.eye(len(C), dtype=bool)]).mean()
    return X, pairs, C, price, step


def nearkin(data, case):
    from nearkin import SDML

    X, pairs = data[:2]
    given = {"pairs": pairs, "similar": np.arange(len(pairs)) < PAIRS_OF_A_KIND}
    quietly(SDML(), X[:100], np.arange(100) % 2)  # compiled code is loaded once per process
    return lambda: quietly(SDML(BALANCE, SPARSITY), X, None, **given)


def metric_learn(data, case):
    from metric_learn import SDML

    X, pairs, _, price, step = data
    tuples = X[pairs]
    kind = np.where(np.arange(len(pairs)) < PAIRS_OF_A_KIND, 1, -1)
    return lambda: quietly(SDML(balance_param=step, sparsity_param=price, prior="identity"), tuples, kind)


def quality(data, fitted) -> dict:
    _, _, C, price, _ = data
    L = np.asarray(fitted.components_, dtype=np.float64)
    M = L.T @ L
    off = np.abs(M).sum() - np.abs(np.diag(M)).sum()
    return {"objective": np.sum(C * M) - np.linalg.slogdet(M)[1] + price * off}


ENTRY = Entry(
    title=f"SDML, {PAIRS_OF_A_KIND} pairs of either kind",
    make_data=make_data,
    contestants=(
        Contestant("nearkin", nearkin, quality=quality, repeats=3),
        Contestant("metric-learn", metric_learn, "metric-learn", quality=quality, repeats=2, time_bound=180),
    ),
    cases=({"name": "digits", "n": 1_257, "d": 64}, {"name": "mnist", "n": 3_500, "d": 50}),
    quick_cases=({"name": "digits", "n": 300, "d": 10},),
    targets=(Target("nearkin", "metric-learn", 1.0),),
)
