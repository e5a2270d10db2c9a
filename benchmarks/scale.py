"""Time and memory of fits from a file as it grows tenfold, in a fresh process for each measurement.

Vectors (float32) are made block by block in a temporary file: ten classes, noise around their centres::

    python -m benchmarks.scale                    # 1,000,000 rows of 128, beside 100,000
    python -m benchmarks.scale --rows 10000000    # 10,000,000 beside 1,000,000: 5 GB of disk
    python -m benchmarks.scale --dask             # plain loop, and Dask with one and with two workers

What counts are ratios: time at most 11 times, anonymous memory at most 1.1 times, for ten times the rows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

N_CLASSES = 10
ROWS_AT_ONCE = 50_000
LEARNERS = ("RCA", "MoveLabeled")


def make_file(path: Path, n: int, d: int) -> None:
    """Rows written block by block, the same ones every time; row i is of class i modulo ten."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(N_CLASSES, d)).astype(np.float32)
    out = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n, d))
    for start in range(0, n, ROWS_AT_ONCE):
        stop = min(n, start + ROWS_AT_ONCE)
        noise = rng.standard_normal((stop - start, d), dtype=np.float32)
        out[start:stop] = noise + centres[np.arange(start, stop) % N_CLASSES]
    out.flush()


def anonymous_bytes() -> int:
    """RssAnon of this process: memory that is not a mapped file."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise OSError("this system does not tell anonymous memory; run it on Linux.")


class Peak:
    """The highest anonymous memory while it is entered, above what there was before."""

    def __enter__(self):
        self._before, self.bytes, self._done = anonymous_bytes(), 0, threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._watch.start()
        return self

    def _look(self):
        while not self._done.wait(0.01):
            self.bytes = max(self.bytes, anonymous_bytes() - self._before)

    def __exit__(self, *_):
        self._done.set()
        self._watch.join()


def measure(path: str, name: str, max_candidates: int, n_workers: int) -> dict:
    """One fit in this process: seconds and peak anonymous memory (of this process only)."""
    import nearkin
    from nearkin.scale import fit_blocks

    settings = {"n_targets": 1, "alpha": 1.0} if name == "MoveLabeled" else {}
    learner = getattr(nearkin, name)(**settings)
    rows = nearkin.open_rows(path)
    labels = (np.arange(len(rows)) % N_CLASSES).astype(np.int8)
    if n_workers:
        return _measured_on_dask(learner, rows, labels, max_candidates, n_workers)
    fit_blocks(learner, rows[:5_000], labels[:5_000], max_candidates=100)  # imports and buffers
    with Peak() as peak:
        start = time.perf_counter()
        fit_blocks(learner, rows, labels, max_candidates=max_candidates)
        seconds = time.perf_counter() - start
    return {"seconds": seconds, "megabytes": peak.bytes / 2**20}


def _measured_on_dask(learner, rows, labels, max_candidates: int, n_workers: int) -> dict:
    import dask.array as da
    from distributed import Client, LocalCluster

    from nearkin.scale import fit_blocks

    chunks = rows.block_rows
    X = da.from_array(rows._array, chunks=(chunks, -1))
    with (
        LocalCluster(n_workers, processes=True, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        fit_blocks(learner, X[: 2 * chunks], labels[: 2 * chunks], max_candidates=100)
        with Peak() as peak:
            start = time.perf_counter()
            fit_blocks(learner, X, labels, max_candidates=max_candidates)
            seconds = time.perf_counter() - start
    return {"seconds": seconds, "megabytes": peak.bytes / 2**20}


def measured_apart(path: Path, name: str, max_candidates: int, n_workers: int = 0) -> dict:
    arguments = [str(path), name, str(max_candidates), str(n_workers)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale", "--measure", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def compare(folder: Path, n: int, d: int, max_candidates: int, with_dask: bool) -> Iterator[dict]:
    """Every learner on n rows and on a tenth of them, in turn, the smaller one three times."""
    small, large = folder / "small.npy", folder / "large.npy"
    make_file(small, n // 10, d)
    make_file(large, n, d)
    for name in LEARNERS:
        tenth = min(
            (measured_apart(small, name, max_candidates) for _ in range(3)), key=lambda r: r["seconds"]
        )
        whole = measured_apart(large, name, max_candidates)
        result = {
            "learner": name,
            "rows": n,
            "seconds": whole["seconds"],
            "megabytes": whole["megabytes"],
            "time ratio": whole["seconds"] / tenth["seconds"],
            "memory ratio": whole["megabytes"] / max(tenth["megabytes"], 1),
        }
        if with_dask:
            one, two = (measured_apart(large, name, max_candidates, workers) for workers in (1, 2))
            result["one worker / plain loop"] = one["seconds"] / whole["seconds"]
            result["one worker / two"] = one["seconds"] / two["seconds"]
        yield result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--max-candidates", type=int, default=2_000)
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--folder", help="where the file is made; a temporary folder by default")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        path, name, candidates, workers = options.measure
        print(json.dumps(measure(path, name, int(candidates), int(workers))))
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        size = (options.rows, options.features, options.max_candidates)
        for result in compare(Path(folder), *size, options.dask):
            print(
                json.dumps({k: round(v, 2) if isinstance(v, float) else v for k, v in result.items()}),
                flush=True,
            )


if __name__ == "__main__":
    main()
