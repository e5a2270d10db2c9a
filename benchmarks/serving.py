"""What serving a moved index costs: rows moved per second, queries answered per second, latency of one query.

Artificial embeddings of unit length; prints the table of docs/embeddings.md::

    python -m benchmarks.serving --rows 100000 --width 384
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np

from nearkin import KNNClassifier, MoveLabeled, to_onnx
from nearkin.datasets.synthetic import make_mixture

BATCH, SINGLE, K = 1_000, 200, 10


def seconds(job, times: int = 3) -> float:
    """The best of a few runs."""
    found = []
    for _ in range(times):
        started = perf_counter()
        job()
        found.append(perf_counter() - started)
    return min(found)


def latency(search, queries: np.ndarray) -> tuple[float, float]:
    """Median and 99th percentile of one query at a time, in milliseconds."""
    found = []
    for row in range(SINGLE):
        started = perf_counter()
        search(queries[row : row + 1])
        found.append(perf_counter() - started)
    return tuple(1e3 * np.percentile(found, [50, 99]))


def moving(learner, rows: np.ndarray) -> None:
    print("\n| moving new rows | rows per second, 1,000 at once | one row |\n| --- | --- | --- |")
    jobs = {"`learner.move`": learner.move}
    try:
        import onnxruntime
    except ImportError:
        pass
    else:
        session = onnxruntime.InferenceSession(to_onnx(learner))
        jobs["ONNX runtime"] = lambda new: session.run(None, {"rows": new})[0]
    for name, job in jobs.items():
        job(rows[:1])
        rate = BATCH / seconds(lambda job=job: job(rows[:BATCH]), 20)
        print(f"| {name} | {rate:,.0f} | {latency(job, rows)[0]:.3f} ms |", flush=True)


def searching(model: KNNClassifier, queries: np.ndarray) -> None:
    exact = model.kneighbors(queries[:BATCH], K, return_distance=False)
    print(
        f"\n| searching {model.n_samples_fit_:,} moved rows, {K} neighbours | build | queries per second "
        "| one query, median | 99 % | overlap with exact |\n| --- | --- | --- | --- | --- | --- |"
    )

    def tell(name: str, built: float, search) -> None:
        found = search(queries[:BATCH])
        overlap = np.mean([len(np.intersect1d(a, b)) for a, b in zip(found, exact, strict=True)]) / K
        rate = BATCH / seconds(lambda: search(queries[:BATCH]))
        median, slow = latency(search, queries)
        print(
            f"| {name} | {built:.1f} s | {rate:,.0f} | {median:.2f} ms | {slow:.2f} ms | {overlap:.3f} |",
            flush=True,
        )

    tell("nearkin, exact", 0.0, lambda rows: model.kneighbors(rows, K, return_distance=False))
    for kind in ("flat", "ivf", "hnsw"):
        started = perf_counter()
        index = model.to_faiss(kind)
        built = perf_counter() - started
        tell(f"`to_faiss({kind!r})`", built, lambda rows, index=index: index.search(rows, K)[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--width", type=int, default=384)
    chosen = parser.parse_args()
    X, y = make_mixture(
        chosen.rows + BATCH, chosen.width, 100, random_state=0, separation=8.0, dtype=np.float32
    )
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    stored, labels, queries = X[: chosen.rows], y[: chosen.rows], X[chosen.rows :]
    started = perf_counter()
    model = KNNClassifier(MoveLabeled(), n_neighbors=K).fit(stored, labels)
    print(f"fit of {chosen.rows:,} x {chosen.width}, settings chosen: {perf_counter() - started:.1f} s")
    moving(model.learner_, queries)
    searching(model, queries)


if __name__ == "__main__":
    main()
