"""An epoch of LMDL's training against the matrix products it cannot do without, at shapes of known sets."""

from __future__ import annotations

import numpy as np

from benchmarks.entry import Contestant, Entry, Target

EPOCHS = 10


def make_data(name: str, n: int, d: int, classes: int, per_class: int, rank: int, dtype: str) -> tuple:
    """Rows of the shape of a known set, their classes, and as many of each class as it has prototypes."""
    rng = np.random.RandomState(0)
    y = np.sort(rng.randint(0, classes, n))
    U = (rng.standard_normal((n, d)) + rng.standard_normal((classes, d))[y]).astype(dtype)
    firsts = np.searchsorted(y, np.arange(classes))
    return U, y, (firsts[:, None] + np.arange(per_class)).ravel()


def batch_size(n: int) -> int:
    """As LMDL's ``batch_size="auto"``."""
    return min(max(n // 64, 32), 256)


def nearkin(data, case):
    from nearkin.learners.prototype.training import LabelledRows, Prototypes, Schedule, train

    U, y, chosen = data
    rows = LabelledRows(U, y, np.full(len(y), 1 / len(y), U.dtype))
    metrics = np.repeat(np.eye(case["rank"], case["d"], dtype=U.dtype)[None], len(chosen), axis=0)
    start = Prototypes(U[chosen], y[chosen], metrics)

    def job(epochs=EPOCHS):
        schedule = Schedule(3.0, batch_size(len(y)), epochs, 0.0, epochs + 1)
        return train(rows, start, schedule, np.random.RandomState(0))

    # Compilation is not part of an epoch.
    job(1)
    return job


def bare_products(data, case):
    """Projections of every batch by all factors, and one outer product for each of a row's two prototypes."""
    from itertools import pairwise

    U, _, chosen = data
    size, P, r = batch_size(len(U)), len(chosen), case["rank"]
    rng = np.random.RandomState(0)
    factors = rng.standard_normal((P * r, case["d"])).astype(U.dtype)
    hit = min(P, 2 * size)
    rows_each = max(1, round(2 * size / hit))
    pulled = rng.standard_normal((hit, r, rows_each)).astype(U.dtype)
    gradient = np.empty((r, case["d"]), U.dtype)
    bounds = np.linspace(0, len(U), max(1, round(len(U) / size)) + 1).astype(int)

    def job():
        for _ in range(EPOCHS):
            for first, last in pairwise(bounds):
                batch = U[first:last]
                np.dot(batch, factors.T)
                for s in range(hit):
                    np.dot(pulled[s], batch[:rows_each], out=gradient)

    return job


def shape(name, n, d, classes, per_class, rank, dtype="float64") -> dict:
    return {
        "name": name,
        "n": n,
        "d": d,
        "classes": classes,
        "per_class": per_class,
        "rank": rank,
        "dtype": dtype,
    }


ENTRY = Entry(
    title=f"Training LMDL for {EPOCHS} epochs, and the bare matrix products of as many",
    make_data=make_data,
    contestants=(
        Contestant("nearkin LMDL", nearkin, repeats=3),
        Contestant("bare products", bare_products, repeats=3),
    ),
    cases=(
        shape("mnist", 60_000, 100, 10, 5, 40, "float32"),
        shape("isolet", 6_238, 64, 26, 5, 32),
        shape("usps", 7_291, 64, 10, 1, 32),
        shape("australian", 621, 42, 2, 5, 42),
        shape("wine", 160, 13, 3, 5, 13),
    ),
    quick_cases=(shape("wine", 160, 13, 3, 5, 13),),
    targets=(Target("nearkin LMDL", "bare products", 3.0),),
)
