"""Labelled data for the learners' benchmarks, real and artificial, the same in every environment."""

from __future__ import annotations

import os

import numpy as np

from benchmarks.data import gaussian_mixture


def labelled_data(name: str, n: int, d: int) -> tuple:
    """X, y, X_test, y_test as float64, with n training rows of d features.

    "digits", "mixture" and "two-classes" are always there; "mnist", "letter", "isolet" and
    "banking77-minilm" are read from the folder named by ``NEARKIN_DATA``. Sets of more than d features are
    reduced by PCA.
    """
    if name in ("mixture", "two-classes"):
        X, y = gaussian_mixture(n + n // 4, d, 20 if name == "mixture" else 2)
    elif name == "digits":
        from sklearn.datasets import load_digits

        X, y = load_digits(return_X_y=True)
    else:
        X, y = _stored(name)
    order = np.random.RandomState(0).permutation(len(X))
    train, test = order[:n], order[n : n + 2_000]
    X = X.astype(np.float64)
    if X.shape[1] > d:
        mean = X[train].mean(axis=0)
        directions = np.linalg.eigh((X[train] - mean).T @ (X[train] - mean))[1][:, : -d - 1 : -1]
        X = (X - mean) @ directions
    return X[train], y[train], X[test], y[test]


def _stored(name: str) -> tuple:
    folder = os.environ.get("NEARKIN_DATA")
    if not folder:
        raise RuntimeError("the data set " + name + " is read from a folder: set NEARKIN_DATA to it.")
    with np.load(os.path.join(folder, name + ".npz")) as stored:
        if "X" in stored:
            X, y = stored["X"], stored["y"]
        else:
            X, y = stored["X_train"], stored["y_train"]
    X = X.reshape(len(X), -1)
    return (X / 255.0 if X.dtype == np.uint8 else X), y


def nearest_neighbour_accuracy(data: tuple, components, k: int = 1) -> float:
    """Share of test rows that a vote of their k nearest training rows after the map gets right."""
    X, y, X_test, y_test = data
    Z, Z_test = X @ components.T, X_test @ components.T
    norms = (Z**2).sum(axis=1)
    right = 0
    for start in range(0, len(Z_test), 500):
        D = norms - 2 * Z_test[start : start + 500] @ Z.T
        nearest = y[np.argpartition(D, k, axis=1)[:, :k]]
        votes = np.array([np.bincount(row).argmax() for row in nearest])
        right += (votes == y_test[start : start + 500]).sum()
    return right / len(Z_test)
