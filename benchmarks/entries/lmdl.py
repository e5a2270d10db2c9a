"""LMDL's prediction against exact 1-NN, on digits as rows of 784 pixels where they are at hand."""

from __future__ import annotations

import warnings

from benchmarks.entry import Contestant, Entry, Target
from benchmarks.labelled import labelled_data

EPOCHS = 10


def make_data(name: str, n: int, d: int) -> tuple:
    return labelled_data(name, n, d)


def nearkin(data, case):
    from nearkin.learners.prototype import LMDL

    X, y, X_test, _ = data
    with warnings.catch_warnings():
        # The epochs are meant to run out: only the prediction is timed.
        warnings.simplefilter("ignore")
        model = LMDL(max_epochs=EPOCHS, random_state=0, euclid_share=0.0).fit(X, y)
    return lambda: model.predict(X_test)


def exact_neighbour(data, case):
    from nearkin import KNNClassifier

    X, y, X_test, _ = data
    model = KNNClassifier(n_neighbors=1).fit(X, y)
    return lambda: model.predict(X_test)


def quality(data, predicted) -> dict:
    return {"accuracy": float((predicted == data[3]).mean())}


ENTRY = Entry(
    title=f"Prediction by LMDL after {EPOCHS} epochs, and by exact 1-NN",
    make_data=make_data,
    contestants=(
        Contestant("nearkin LMDL", nearkin, quality=quality),
        Contestant("exact 1-NN", exact_neighbour, quality=quality, repeats=2),
    ),
    cases=({"name": "mnist", "n": 58_000, "d": 784},),
    quick_cases=({"name": "digits", "n": 600, "d": 64},),
    growth={"n": tuple({"name": "mixture", "n": n, "d": 50} for n in (2_000, 4_000, 8_000))},
    targets=(Target("nearkin LMDL", "exact 1-NN", 1 / 20),),
)
