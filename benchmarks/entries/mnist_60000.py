"""LMNN and NCA on the 60,000 rows of MNIST in 164 principal dimensions: does it fit, and how well."""

from __future__ import annotations

import os

import numpy as np

from benchmarks.entries.nca import quietly
from benchmarks.entry import Contestant, Entry, Target
from benchmarks.labelled import labelled_data

NCA_STEPS = 20
KERNEL_STEPS = 60
KERNEL_LANDMARKS = 1_000


def make_data(n: int, d: int, name: str = "mnist") -> tuple:
    """X, y of the training part, X_test, y_test, in the principal dimensions of the former."""
    if name != "mnist":
        return labelled_data(name, n, d)
    folder = os.environ.get("NEARKIN_DATA")
    if not folder:
        raise RuntimeError("MNIST is read from a folder: set NEARKIN_DATA to it.")
    with np.load(os.path.join(folder, "mnist.npz")) as stored:
        parts = [stored[key] for key in ("X_train", "y_train", "X_test", "y_test")]
    X, X_test = (part.reshape(len(part), -1).astype(np.float32) / 255 for part in (parts[0], parts[2]))
    X, y = X[:n], parts[1][:n]
    mean = X.mean(axis=0)
    directions = np.linalg.eigh((X - mean).T @ (X - mean))[1][:, : -d - 1 : -1]
    return (X - mean) @ directions, y, (X_test - mean) @ directions, parts[3]


def lmnn(data, case):
    from nearkin import LMNN

    X, y, _, _ = data
    quietly(LMNN(max_iter=1, refresh_targets=0, euclid_share=0.0), X[:1_600], y[:1_600])
    return lambda: quietly(LMNN(refresh_targets=0, euclid_share=0.0), X, y)


def kernel_lmnn(data, case):
    from nearkin import LMNN
    from nearkin.maps import KernelMap

    X, y, _, _ = data
    settings = {"n_components": min(X.shape[1], 164), "init": "pca", "random_state": 0}
    quietly(
        LMNN(kernel="rbf", max_iter=1, **settings, refresh_targets=0, euclid_share=0.0), X[:1_600], y[:1_600]
    )
    kernel = KernelMap(n_landmarks=KERNEL_LANDMARKS)
    return lambda: quietly(
        LMNN(kernel=kernel, max_iter=KERNEL_STEPS, **settings, refresh_targets=0, euclid_share=0.0), X, y
    )


def nca(data, case):
    from nearkin import NCA

    X, y, _, _ = data
    quietly(NCA(max_iter=1, euclid_share=0.0), X[:1_600], y[:1_600])
    return lambda: quietly(NCA(max_iter=NCA_STEPS, init="identity", euclid_share=0.0), X, y)


def quality(data, fitted) -> dict:
    """Error of three neighbours on the test rows, before and after."""
    from nearkin import KNNClassifier

    X, y, X_test, y_test = data

    def error(A, B) -> float:
        return float(100 * np.mean(KNNClassifier(n_neighbors=3).fit(A, y).predict(B) != y_test))

    return {
        "steps": fitted.n_iter_,
        "3-NN error %": error(fitted.transform(X), fitted.transform(X_test)),
        "Euclid's": error(X, X_test),
    }


ENTRY = Entry(
    title=f"MNIST: LMNN to its end, after a kernel for {KERNEL_STEPS} steps, NCA for {NCA_STEPS}",
    make_data=make_data,
    contestants=(
        Contestant("LMNN", lmnn, quality=quality, repeats=1, time_bound=3600),
        Contestant("LMNN after a kernel", kernel_lmnn, quality=quality, repeats=1, time_bound=3600),
        Contestant("NCA", nca, quality=quality, repeats=1, time_bound=3600),
    ),
    cases=({"n": 60_000, "d": 164},),
    quick_cases=({"name": "digits", "n": 1_000, "d": 20},),
    # 25 times the data are one gigabyte.
    targets=(
        Target("LMNN", "data", 25.0, "peak_extra_bytes"),
        Target("LMNN after a kernel", "data", 25.0, "peak_extra_bytes"),
        Target("NCA", "data", 25.0, "peak_extra_bytes"),
    ),
)
