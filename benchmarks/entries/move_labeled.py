"""Fitting Move-labeled at a fixed penalty: against its bare products, plain NumPy, and NCA."""

from __future__ import annotations

import numpy as np

from benchmarks.data import gaussian_mixture
from benchmarks.entry import Contestant, Entry, Target

ALPHA = 100.0


def make_data(n: int, d: int) -> tuple:
    return gaussian_mixture(n, d, n_classes=20)


def nearkin(data, case):
    from nearkin import MoveLabeled

    X, y = data
    return lambda: MoveLabeled(n_targets=1, alpha=ALPHA).fit(X, y).components_


def bare_products(data, case):
    """The BLAS and LAPACK calls that the fit cannot do without, on arrays made beforehand."""
    from scipy.linalg import lapack

    X, y = data
    classes = [X[y == label] for label in np.unique(y)]

    def job():
        for rows in classes:
            rows @ rows.T
        normal = X.T @ X
        wanted = X.T @ X
        normal[np.diag_indices_from(normal)] += ALPHA
        return lapack.sposv(normal, wanted)[1].T

    return job


def plain_numpy(data, case):
    """Straight from the formulas."""
    X, y = data

    def job():
        centred = X - X.mean(axis=0)
        norms = (centred**2).sum(axis=1)
        target = np.empty(len(X), dtype=int)
        for label in np.unique(y):
            rows = np.flatnonzero(y == label)
            squared = norms[rows][:, None] + norms[rows] - 2 * centred[rows] @ centred[rows].T
            np.fill_diagonal(squared, np.inf)
            target[rows] = rows[squared.argmin(axis=1)]
        Z = centred[target]
        return np.linalg.solve(Z.T @ Z + ALPHA * np.eye(X.shape[1], dtype=X.dtype), Z.T @ centred).T

    return job


def sklearn_nca(data, case):
    from sklearn.neighbors import NeighborhoodComponentsAnalysis

    X, y = data
    return lambda: NeighborhoodComponentsAnalysis(random_state=0).fit(X, y)


def training_error(data, W) -> dict:
    """Mean squared residual against the float64 solution: 0 means the same W."""
    X, y = data
    exact = plain_numpy((X.astype(np.float64), y), None)()
    return {"relative error of W": np.linalg.norm(W - exact) / np.linalg.norm(exact)}


ENTRY = Entry(
    title="Move-labeled at a fixed penalty, float32",
    make_data=make_data,
    contestants=(
        Contestant("nearkin", nearkin, quality=training_error, repeats=9),
        Contestant("bare products", bare_products, repeats=9),
        Contestant("plain NumPy", plain_numpy, quality=training_error, repeats=9),
        Contestant(
            "scikit-learn NCA", sklearn_nca, "scikit-learn", repeats=1, time_bound=300, in_growth=False
        ),
    ),
    cases=({"n": 13_192, "d": 300},),
    quick_cases=({"n": 1_000, "d": 50},),
    growth={
        "n": tuple({"n": n, "d": 100} for n in (5_000, 10_000, 20_000, 40_000)),
        "d": tuple({"n": 10_000, "d": d} for d in (50, 100, 200, 400)),
    },
    targets=(
        Target("nearkin", "bare products", 1.5),
        Target("nearkin", "scikit-learn NCA", 1e-3),
        Target("nearkin", "data", 3.0, "peak_extra_bytes"),
    ),
)
