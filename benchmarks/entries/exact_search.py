"""Exact 10-NN in float32: nearkin without FAISS, FAISS flat, scikit-learn brute force, bare products."""

from __future__ import annotations

import numpy as np

from benchmarks.data import gaussian_noise
from benchmarks.entry import Contestant, Entry, Target

K = 10
CHECKED = 200


def make_data(n: int, d: int, queries: int) -> tuple:
    """References and queries from the same distribution."""
    rows = gaussian_noise(n + queries, d)
    return rows[:n], rows[n:]


def nearkin(data, case):
    from nearkin.search import ExactIndex

    references, queries = data
    return lambda: ExactIndex().build(references).query(queries, K)[1]


def faiss_flat(data, case):
    import faiss

    references, queries = data

    def job():
        index = faiss.IndexFlatL2(references.shape[1])
        index.add(references)
        return index.search(queries, K)[1]

    return job


def brute_force(data, case):
    from sklearn.neighbors import NearestNeighbors

    references, queries = data
    return lambda: NearestNeighbors(algorithm="brute").fit(references).kneighbors(queries, K, False)


def bare_products(data, case):
    references, queries = data

    def job():
        for start in range(0, len(queries), 500):
            queries[start : start + 500] @ references.T

    return job


def recall(data, indices) -> dict:
    """Share of the true neighbours found, on some queries, against float64 differences."""
    references, queries = data
    hits = 0
    for query, found in zip(queries[:CHECKED], indices):
        distances = ((references - query).astype(np.float64) ** 2).sum(axis=1)
        hits += len(np.intersect1d(np.argpartition(distances, K)[:K], found))
    return {"recall": hits / (K * min(CHECKED, len(queries)))}


ENTRY = Entry(
    title="Exact 10-NN, float32",
    make_data=make_data,
    contestants=(
        Contestant("nearkin", nearkin, quality=recall, repeats=3),
        Contestant("FAISS flat", faiss_flat, "faiss", quality=recall, repeats=3),
        Contestant("scikit-learn brute", brute_force, "scikit-learn", quality=recall, repeats=2),
        Contestant("bare products", bare_products, repeats=3),
    ),
    cases=(
        {"n": 60_000, "d": 784, "queries": 10_000},
        {"n": 20_000, "d": 300, "queries": 20_000},
        {"n": 20_000, "d": 50, "queries": 20_000},
    ),
    quick_cases=({"n": 5_000, "d": 100, "queries": 2_000},),
    growth={
        "n": tuple({"n": n, "d": 100, "queries": 5_000} for n in (10_000, 20_000, 40_000, 80_000)),
        "d": tuple({"n": 20_000, "d": d, "queries": 5_000} for d in (50, 100, 200, 400)),
    },
    targets=(Target("nearkin", "FAISS flat", 1.15), Target("nearkin", "scikit-learn brute", 1 / 1.5)),
)
