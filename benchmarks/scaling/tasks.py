"""What is measured, each in a process of its own; results are JSON on the last line printed."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.scaling.data import WRITERS, labels_of
from benchmarks.scaling.measuring import Watch


def learner_of(name: str):
    import nearkin

    return getattr(nearkin, name)(**({"n_targets": 1, "alpha": 1.0} if name == "MoveLabeled" else {}))


def digest(learner) -> str:
    return hashlib.sha256(np.ascontiguousarray(learner.components_).tobytes()).hexdigest()


def from_file(path: str, name: str) -> dict:
    """A fit from a mapped file by the plain loop."""
    import nearkin

    rows = nearkin.open_rows(path)
    labels = labels_of(len(rows))
    learner_of(name).fit(nearkin.datasets.rows.ArrayRows(rows[:5_000]), labels[:5_000])  # imports, buffers
    learner = learner_of(name)
    with Watch() as watch:
        learner.fit(rows, labels)
    return {
        "seconds": watch.seconds,
        "processor": watch.processor,
        "megabytes": watch.megabytes,
        "digest": digest(learner),
    }


def in_memory(path: str, name: str) -> dict:
    """A fit of rows in memory; the rows and the peak above them, in times the size of the rows."""
    X = np.load(path)
    labels = labels_of(len(X))
    learner_of(name).fit(X[:5_000], labels[:5_000])
    with Watch() as watch:
        learner_of(name).fit(X, labels)
    return {"times": 1 + watch.megabytes * 2**20 / X.nbytes, "seconds": watch.seconds}


def targets(n: int, d: int, kind: str) -> dict:
    """Seconds of the searches for targets, and the recall of the approximate one."""
    from nearkin.supervision.target_search import found_targets

    rng = np.random.default_rng(0)
    if kind == "noise":
        X = rng.standard_normal((n, d), dtype=np.float32)
    else:
        bends, turn = rng.standard_normal((12, d)), rng.standard_normal((d, d)) / np.sqrt(d)
        X = np.tanh(rng.standard_normal((n, 12)) @ bends) @ turn + 0.05 * rng.standard_normal((n, d))
        X = X.astype(np.float32)
    codes, found = rng.integers(0, 2, n), {}
    for search in ("exact", "auto"):
        found_targets(X[:100_000, :2], codes[:100_000], 1, search)  # imports and compiled loops
        with Watch() as watch:
            recall = found_targets(X, codes, 1, search).recall
        found[search] = watch.seconds
    return {**found, "recall": recall}


def inverted_lists(path: str) -> dict:
    """Seconds to make a faiss-ivf index: ours, FAISS's own with as many training rows, and as it comes."""
    import faiss

    from nearkin.search.faiss import FaissIndex

    X, found = np.load(path), {}
    FaissIndex("ivf").build(X[:10_000])
    with Watch() as watch:
        index = FaissIndex("ivf").build(X).faiss_index
    found["ours"] = watch.seconds
    for name, points in (("theirs", FaissIndex.policy.most_points_per_list), ("as it comes", None)):
        quantizer = faiss.IndexFlatL2(X.shape[1])
        own = faiss.IndexIVFFlat(quantizer, X.shape[1], index.nlist)
        if points is not None:
            own.cp.max_points_per_centroid = points
        with Watch() as watch:
            own.train(X)
            own.add(X)
        found[name] = watch.seconds
    return found


def large_margin(n: int = 36_000, d: int = 32, steps: int = 30) -> dict:
    """LMNN on two workers against one machine; and for fixed lists, its loss and gradient."""
    import dask.array as da
    from sklearn.neighbors import KNeighborsClassifier

    from nearkin import LMNN
    from nearkin.losses import LargeMarginLoss

    rng = np.random.default_rng(0)
    parts = rng.integers(0, 40, n + 4_000)
    scales = np.r_[np.ones(d // 4), 3 * np.ones(d - d // 4)]
    X = rng.normal(size=(40, d))[parts] + 0.8 * rng.normal(size=(len(parts), d)) * scales
    X, y, loss, seconds = X.astype(np.float32), parts % 10, LargeMarginLoss(), {}
    settings = {"max_iter": steps, "euclid_share": 0.0, "refresh_targets": 0}

    def chunked(size: int, m: int):
        return da.from_array(X[:m], chunks=(size, d)), da.from_array(y[:m], chunks=size)

    with cluster(2):
        LMNN(max_iter=2).fit(*chunked(1_000, 6_000))  # imports and compiled loops
        with Watch() as watch:
            many = LMNN(**settings).fit(*chunked(n // 4, n))
        seconds["two workers"] = watch.seconds
    LMNN(max_iter=2).fit(X[:3_000], y[:3_000])
    with Watch() as watch:
        one = LMNN(**settings).fit(X[:n], y[:n])
    seconds["one machine"] = watch.seconds

    def value(learner) -> float:
        state = loss.prepare(X[:n], y[:n])
        return loss.value_and_grad(learner.transform(X[:n]), state, exact=True)[0]

    def accuracy(learner) -> float:
        near = KNeighborsClassifier(3).fit(learner.transform(X[:n]), y[:n])
        return near.score(learner.transform(X[n:]), y[n:])

    return {
        **seconds,
        "objective": value(many) / value(one),
        "accuracy": accuracy(many) - accuracy(one),
        "difference": _difference_of_gradients(X[:6_000].astype(np.float64), y[:6_000], one.components_),
    }


def _difference_of_gradients(X, y, L) -> float:
    """Largest relative one between chunks with complete lists and the loss that sees everything."""
    from nearkin.losses import LargeMarginLoss
    from nearkin.scale.anchors import AnchorPolicy, Anchors
    from nearkin.scale.pair_lists import Chunk
    from nearkin.scale.plans import Eager

    n, loss, L = len(X), LargeMarginLoss(), L.astype(np.float64)
    pieces = [Chunk(X[a : a + 1_500], y[a : a + 1_500], a) for a in range(0, n, 1_500)]
    anchors = Anchors(pieces, n, Eager(), n_targets=3, mu=0.5, policy=AnchorPolicy(beyond=np.inf))
    anchors.find_targets(10)
    anchors.renew(L, np.ones(10))
    gradient = anchors(L.ravel(), X.shape[1])[1].reshape(L.shape)
    expected = loss.value_and_grad(X @ L.T, loss.prepare(X, y), exact=True)[1].T @ X
    return float(np.abs(gradient - expected).max() / np.abs(expected).max())


@contextmanager
def cluster(n_workers: int):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=n_workers, processes=True, threads_per_worker=1, dashboard_address=None, memory_limit=0
        ) as running,
        Client(running) as client,
    ):
        yield client


def on_dask(path: str, name: str, n_workers: int, kill_after: float | None = None) -> dict:
    """The same by workers of a cluster; one of them is killed after so many seconds if wished."""
    from nearkin.scale import dask_rows

    with cluster(n_workers) as client:
        X = dask_rows(path)
        labels, chunk = labels_of(len(X)), X.chunks[0][0]
        # Two small fits, so that every worker has loaded what it needs.
        for _ in range(2):
            learner_of(name).fit(X[: 2 * n_workers * chunk], labels[: 2 * n_workers * chunk])
        learner = learner_of(name)
        killed = []
        if kill_after is not None:
            victim = next(iter(client.run(os.getpid).values()))

            def kill():
                time.sleep(kill_after)
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

            threading.Thread(target=kill, daemon=True).start()
        before = client.run(time.process_time)
        with Watch() as watch:
            learner.fit(X, labels)
        after = client.run(time.process_time)
        spent = [after[worker] - before.get(worker, 0.0) for worker in after]
    return {
        "seconds": watch.seconds,
        "processor": sum(spent),
        "busiest": max(spent),
        "digest": digest(learner),
        "killed": len(killed),
    }


def chunks(n: int = 20_000, d: int = 16) -> dict:
    """Largest relative differences: same chunks, other chunks, and all candidates against one shot."""
    import dask.array as da

    import nearkin
    from nearkin.scale import fit_blocks

    rng = np.random.default_rng(0)
    y = rng.integers(0, N := 5, n)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 2 * rng.normal(size=(N, d))[y]
    found = {"same chunks": 0.0, "other chunks": 0.0, "all candidates": 0.0}
    for kind in ("MoveLabeled", "RCA", "GMML", "DMLMJ"):
        learner = learner_of(kind)

        def far(a, b):
            return float(np.abs(a - b).max() / np.abs(b).max())

        plain = fit_blocks(learner, X, y, rows_per_block=3_000).components_.copy()
        for name, size in (("same chunks", 3_000), ("other chunks", 4_321)):
            again = learner.fit(da.from_array(X, chunks=(size, d)), da.from_array(y, chunks=size)).components_
            found[name] = max(found[name], far(again, plain))
        if kind == "MoveLabeled":
            whole = nearkin.MoveLabeled(n_targets=1, alpha=1.0).fit(X, y).components_
            blocks = fit_blocks(learner, X, y, max_candidates=int(np.bincount(y).max())).components_
            found["all candidates"] = far(blocks, whole)
    return found


def reader(path: str, kind: str, folder: str) -> dict:
    """Blocks of a format against those of the .npy, and the memory of going through them."""

    written = WRITERS[kind](np.load(path, mmap_mode="r"), Path(folder))
    return {"path": str(written)}


def read(path: str, reference: str) -> dict:
    """All blocks of a file, compared with the .npy afterwards."""
    import nearkin

    rows = nearkin.open_rows(path)
    for _ in rows.blocks():  # what readers load once is not the point
        break
    hashes = hashlib.sha256()
    with Watch() as watch:
        for block in rows.blocks():
            hashes.update(block)
    expected = hashlib.sha256()
    for block in nearkin.open_rows(reference).blocks():
        expected.update(block)
    block_megabytes = rows.block_rows * rows.shape[1] * rows.dtype.itemsize / 2**20
    return {
        "equal": hashes.digest() == expected.digest(),
        "blocks": watch.megabytes / block_megabytes,
        "seconds": watch.seconds,
    }


def refused() -> dict:
    """Learners that cannot be distributed, given chunks that tell when somebody computes them."""
    import dask.array as da

    from nearkin.learners.discovery import all_learners
    from nearkin.scale.ways import learners_for

    computed = []

    def tell(block):
        computed.append(1)
        return block

    X = da.ones((100, 4), chunks=(50, 4)).map_blocks(tell, dtype=float, meta=np.empty((0, 4)))
    y = da.ones(100, chunks=50).map_blocks(tell, dtype=float, meta=np.empty(0))
    able, named = {kind.__name__ for kind in learners_for("dask")}, 0
    others = [kind for name, kind in all_learners().items() if name not in able]
    for kind in others:
        try:
            kind().fit(X, y)
        except TypeError as error:
            named += "fit_sample" in str(error)
    return {"learners": len(others), "remedies": named, "chunks computed": len(computed)}


def compared(folder: str, kill: bool) -> dict:
    """A comparison here and on two workers, one of them killed in the middle if wished."""
    import nearkin
    from nearkin.datasets import load_dataset

    data = load_dataset("wine")
    settings = {
        "learners": "RCA,MoveLabeled,NCA",
        "folds": 5,
        "repeats": 2,
        "time_budget": None,
        "tune": "quick",
    }
    here, killed_after = nearkin.compare(data, jobs=2, **settings), []
    with cluster(2) as client:
        store = os.path.join(folder, f"there-{kill}.sqlite")
        if kill:
            victim = next(iter(client.run(os.getpid).values()))

            def kill_when_some_are_done():
                from nearkin.evaluation import ResultsStore

                while True:
                    time.sleep(0.2)
                    if os.path.exists(store):
                        with ResultsStore.open(store) as results:
                            done = sum(r.status == "done" for r in results.results(arrays=False))
                        if done >= 8:
                            os.kill(victim, signal.SIGKILL)
                            killed_after.append(done)
                            return

            threading.Thread(target=kill_when_some_are_done, daemon=True).start()
        there = nearkin.compare(data, scheduler=client, results=store, **settings)

    def table(study):
        return [(row.label, row.scores, row.verdict, row.setting) for row in study.comparison.rows]

    return {
        "identical": table(here) == table(there),
        "lines": len(here.comparison.rows),
        # Folds that were measured after a worker was killed; none without.
        "left to do": len(there.records) - killed_after[0] if killed_after else 0,
    }


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](**json.loads(sys.argv[2]))))
