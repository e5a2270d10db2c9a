"""NCMML against pyDML's with its defaults, judged by the likelihood of the own class's mean."""

from __future__ import annotations

import numpy as np

from benchmarks.entries.nca import quietly
from benchmarks.entry import Contestant, Entry
from benchmarks.labelled import labelled_data, nearest_neighbour_accuracy


def make_data(name: str, n: int, d: int) -> tuple:
    """Rows of unit variance in sum: both start from the identity, which has a scale."""
    X, y, X_test, y_test = labelled_data(name, n, d)
    size = np.sqrt(X.var(axis=0).sum())
    return X / size, y, X_test / size, y_test


def nearkin(data, case):
    from nearkin import NCMML

    X, y, _, _ = data
    quietly(NCMML(max_iter=1, euclid_share=0.0), X, y)
    return lambda: quietly(NCMML(euclid_share=0.0), X, y).components_


def pydml(data, case):
    from dml import NCMML

    X, y, _, _ = data
    return lambda: quietly(NCMML(), X, y).transformer()


def quality(data, components) -> dict:
    """Mean negative log-likelihood of the labels, at the best scale of the map."""
    X, y, _, _ = data
    Z = X @ np.asarray(components, dtype=np.float64).T
    means = np.array([Z[y == label].mean(axis=0) for label in np.unique(y)])
    D = ((Z[:, None, :] - means) ** 2).sum(axis=2)
    D -= D.min(axis=1, keepdims=True)
    own = D[np.arange(len(y)), np.unique(y, return_inverse=True)[1]]
    scales = np.logspace(-4, 4, 33) / D.mean()
    return {
        "objective": min(np.mean(s * own + np.log(np.exp(-s * D).sum(axis=1))) for s in scales),
        "1-NN accuracy": nearest_neighbour_accuracy(data, np.asarray(components)),
    }


ENTRY = Entry(
    title="NCMML, all components, default settings",
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
)
