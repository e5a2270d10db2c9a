"""What fits beyond memory and beyond one machine must reach, as ratios within one run.

Vectors (float32) are made block by block: ten classes, noise around their centres. Every measurement is a
process of its own, and the cluster is one of processes on this machine. Seconds of the processor stand beside
those of the clock, which other processes lengthen::

    python -m benchmarks.scale                        # all parts, 100,000 and 1,000,000 rows
    python -m benchmarks.scale --rows 10000000        # 1,000,000 and 10,000,000 rows: 5 GB of disk
    python -m benchmarks.scale growth_rca killed      # some parts
    python -m benchmarks.scale --markdown docs/results/scale.md

Results are kept in ``<folder>/results.json`` part by part, so that a run may be done in pieces.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path

from benchmarks.scaling.data import WRITERS, make_file
from benchmarks.scaling.measuring import in_process

LEARNERS = ("RCA", "MoveLabeled")
#: Rows, features and kind of data in which targets are searched.
SEARCHES = ((100_000, 64, "noise"), (100_000, 64, "curved"), (200_000, 128, "curved"))


class Bench:
    """The parts of the benchmark; each returns lines of (what, measured, limit, whether it holds)."""

    def __init__(self, folder: Path, rows: int, features: int):
        self.folder, self.rows, self.features = folder, rows, features
        self.small, self.large = folder / "small.npy", folder / "large.npy"

    def make(self) -> None:
        for path, n in ((self.small, self.rows // 10), (self.large, self.rows)):
            if not path.exists():
                make_file(path, n, self.features)

    def chunks(self) -> list:
        """Dask against the plain loop, and candidates against the one-shot fit."""
        found = in_process("chunks")
        return [
            line("Dask, same chunks: largest difference", found["same chunks"], 0),
            line("Dask, other chunks: largest relative difference", found["other chunks"], 1e-6),
            line("all candidates against the one-shot fit", found["all candidates"], 1e-6),
        ]

    def growth(self, name: str) -> list:
        """Time and memory of ten times the rows; both files are read once before, so that they are cached."""
        for path in (self.small, self.large):
            with open(path, "rb", buffering=0) as file:
                while file.read(2**24):
                    pass
        # Peaks of memory are looked for every 10 ms, and some are missed: the highest reading counts.
        tenth, whole = (
            [in_process("from_file", path=str(path), name=name) for _ in range(n)]
            for path, n in ((self.small, 3), (self.large, 2))
        )
        seconds, processor = (
            min(found[what] for found in whole) / min(found[what] for found in tenth)
            for what in ("seconds", "processor")
        )
        megabytes, of_tenth = (max(found["megabytes"] for found in readings) for readings in (whole, tenth))
        about = f"{name}, {self.rows // 10:,} to {self.rows:,} rows x {self.features}"
        return [
            line(f"{about}: time", seconds, 11),
            line(f"{about}: seconds of the processor", processor, 11),
            line(f"{about}: anonymous memory", megabytes / of_tenth, 1.1),
            line(f"{name}, {self.rows:,} rows: anonymous memory in MB", megabytes, 1000),
            line(f"{name}, {self.rows:,} rows: seconds", min(found["seconds"] for found in whole), None),
        ]

    def growth_rca(self) -> list:
        return self.growth("RCA")

    def growth_move(self) -> list:
        return self.growth("MoveLabeled")

    def memory(self) -> list:
        """Fits of rows in memory: the peak above the rows, in times their size."""
        return [
            line(
                f"{name}, {self.rows // 10:,} rows in memory: their size and the peak above, in sizes",
                in_process("in_memory", path=str(self.small), name=name)["times"],
                3,
            )
            for name in LEARNERS
        ]

    def lists(self) -> list:
        """LMNN of all rows on two workers against one machine."""
        found = in_process("large_margin")
        return [
            line("LMNN, fixed lists: largest relative difference to one machine", found["difference"], 1e-5),
            line("LMNN, two workers: objective over that of one machine", found["objective"], 1.01),
            line("LMNN, two workers: 3-NN accuracy less that of one machine", found["accuracy"], None),
            line("LMNN, one machine: seconds", found["one machine"], None),
            line("LMNN, two workers: seconds", found["two workers"], None),
        ]

    def search(self) -> list:
        """Targets found with search="auto" against the exact search; two classes."""
        lines = []
        for n, d, kind in SEARCHES:
            found = in_process("targets", n=n, d=d, kind=kind)
            about = f"search='auto', {n:,} x {d}, {kind}"
            lines += [
                line(f"{about}: seconds exactly", found["exact"], None),
                line(f"{about}: time over the exact one", found["auto"] / found["exact"], 1.05),
                line(f"{about}: recall", found["recall"], 0.98, at_least=True),
            ]
        return lines

    def ivf(self) -> list:
        """A FAISS-IVF index made by us and by FAISS itself, with as many lists and threads."""
        found = in_process("inverted_lists", path=str(self.small))
        about = f"faiss-ivf of {self.rows // 10:,} rows"
        return [
            line(f"{about}: seconds", found["ours"], None),
            line(f"{about}: over FAISS's own, same training rows", found["ours"] / found["theirs"], 2),
            line(f"{about}: over FAISS's own, as it comes", found["ours"] / found["as it comes"], 2),
        ]

    def workers(self) -> list:
        """The plain loop, one worker, two workers; the smaller file, twice in turn."""
        plain, one, two = [], [], []
        for _ in range(2):
            where = {"path": str(self.small), "name": "MoveLabeled", "threads": 1}
            plain.append(in_process("from_file", **where))
            one.append(in_process("on_dask", n_workers=1, **where))
            two.append(in_process("on_dask", n_workers=2, **where))

        def least(found: list[dict], what: str) -> float:
            return min(single[what] for single in found)

        by_clock, by_processor = (least(one, w) / least(plain, w) for w in ("seconds", "processor"))
        faster = least(one, "seconds") / least(two, "seconds")
        busiest = least(one, "busiest") / least(two, "busiest")
        return [
            line("one worker over the plain loop", by_clock, 1.2),
            line("one worker over the plain loop, seconds of the processor", by_processor, 1.2),
            line("two workers: times as fast as one", faster, 1.7, at_least=True),
            line("two workers: one's processor time over that of the busier", busiest, 1.7, at_least=True),
        ]

    def killed(self) -> list:
        """One of two workers killed in the middle."""
        where = {"path": str(self.small), "name": "MoveLabeled", "n_workers": 2, "threads": 1}
        whole = in_process("on_dask", **where)
        hurt = in_process("on_dask", kill_after=0.4 * whole["seconds"], **where)
        assert hurt["killed"] == 1
        return [
            line("a worker killed: same result", float(hurt["digest"] == whole["digest"]), 1, at_least=True),
            line("a worker killed: time over that of two workers", hurt["seconds"] / whole["seconds"], 1.5),
        ]

    def readers(self) -> list:
        """Every reader against the .npy."""
        lines = []
        for kind in WRITERS:
            with tempfile.TemporaryDirectory(dir=self.folder) as folder:
                path = in_process("reader", path=str(self.small), kind=kind, folder=folder)["path"]
                found = in_process("read", path=path, reference=str(self.small))
            assert found["equal"], f"{kind} differs from the .npy"
            lines.append(line(f"{kind}: equal to the .npy; anonymous memory in blocks", found["blocks"], 8))
        return lines

    def refused(self) -> list:
        """Collections for learners that cannot be distributed."""
        found = in_process("refused")
        about = f"{found['learners']} learners that cannot be distributed"
        return [
            line(f"{about}: chunks computed", found["chunks computed"], 0),
            line(f"{about}: name the remedy", found["remedies"], found["learners"], at_least=True),
        ]

    def compare(self) -> list:
        """The runner on a cluster."""
        lines = []
        for kill, about in ((False, "two workers"), (True, "two workers, one killed")):
            found = in_process("compared", folder=str(self.folder), kill=kill)
            # Whoever was to be killed must have been, with folds still to come.
            assert (found["left to do"] > 0) == kill, found
            lines.append(
                line(f"compare, {about}: table identical", float(found["identical"]), 1, at_least=True)
            )
        return lines


PARTS = (
    "chunks", "growth_rca", "growth_move", "memory", "workers", "killed", "lists", "search", "ivf", "readers",
    "refused", "compare",
)  # fmt: skip


def line(what: str, measured: float, limit: float | None, *, at_least: bool = False) -> dict:
    holds = None if limit is None else bool(measured >= limit if at_least else measured <= limit)
    sign = "" if limit is None else f"{'at least' if at_least else 'at most'} {limit:g}"
    return {"what": what, "measured": float(measured), "limit": sign, "holds": holds}


def table_of(results: dict) -> str:
    """A page of all parts that were measured."""
    rows = ["| | measured | wanted | |", "|---|---|---|---|"]
    marks = {True: "yes", False: "**no**", None: ""}
    for part in PARTS:
        for found in results.get(part, ()):
            measured = f"{found['measured']:.3g}"
            rows.append(f"| {found['what']} | {measured} | {found['limit']} | {marks[found['holds']]} |")
    return "\n".join(rows)


PAGE = """# Beyond one machine, measured

Written by `python -m benchmarks.scale`: {rows:,} rows of {features} float32 in a memory-mapped file, ten
classes, 2,000 candidates per class, {cores} cores with nothing else running. Fits by the plain loop take all
cores, except where they are compared with workers, which have one thread each. The cluster is made of
processes on the same machine; ratios are of one run, and files are in the system's cache. "Noise" are
independent normal features, where no index helps; "curved" rows lie near a surface of 12 dimensions; both of
two classes.
[What the figures mean](../scale.md).

{table}

Memory is what a fit adds to the process's anonymous memory: the highest of several runs, looked at every
10 ms. Most of Move-labeled's are its candidates, 2,000 for each class however many rows there are, and what
its threads work on. LMNN's 36,000 crowded rows are too few for workers to pay: most of their time is the
cluster's journeys.
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=128)
    parser.add_argument("--folder", help="where files and results are; a temporary folder by default")
    parser.add_argument("--markdown", help="write the table of all parts measured so far to this file")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; there are {', '.join(PARTS)}.")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        folder.mkdir(exist_ok=True, parents=True)
        store = folder / "results.json"
        results = json.loads(store.read_text()) if store.exists() else {}
        bench = Bench(folder, options.rows, options.features)
        bench.make()
        for part in options.parts or ([] if options.markdown and results else PARTS):
            results[part] = getattr(bench, part)()
            store.write_text(json.dumps(results, indent=1))
            for found in results[part]:
                print(f"{found['what']}: {found['measured']:.4g} ({found['limit']})", flush=True)
        if options.markdown:
            page = PAGE.format(
                rows=options.rows, features=options.features, cores=os.cpu_count(), table=table_of(results)
            )
            Path(options.markdown).write_text(page)


if __name__ == "__main__":
    main()
