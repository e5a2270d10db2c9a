"""Fits and searches of this checkout against those of an earlier commit, in turn, in one run.

::

    git worktree add /tmp/before 07d4b0b
    python -m benchmarks.against_commit /tmp/before/src              # all cases
    python -m benchmarks.against_commit /tmp/before/src NCA LMNN --rounds 5

Each round starts a fresh process for either code, one after the other, which fits once to load what is
compiled and then several times; the least CPU time of all rounds counts. Both codes take the same number of
steps, NCA and MEGM from the same start, given as a matrix; LMNN, whose optimum does not depend on it, from
its own, with the published loss and targets (`euclid_share=0`, `refresh_targets=0`). A ratio below one says
that this checkout is faster. Objectives are printed too: speed is worth nothing at a worse one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: Name of the case, learner, data, rows, features.
CASES = (
    ("NCA", "digits", 1_257, 64),
    ("NCA", "mnist", 3_500, 50),
    ("NCA", "mixture", 3_000, 100),
    ("LMNN", "digits", 1_257, 64),
    ("LMNN", "mnist", 3_500, 164),
    ("LMNN", "mixture", 3_000, 100),
    ("MEGM", "digits", 1_257, 64),
    ("MEGM", "mnist", 3_500, 50),
    ("LMDL", "digits", 1_257, 64),
    ("LMDL", "mnist", 3_500, 50),
    ("MoveLabeled", "mnist", 3_500, 164),
    ("ExactIndex", "mnist", 20_000, 50),
)

INSIDE = """
import json, sys, time, warnings
import numpy as np
sys.path.insert(0, sys.argv[1])
warnings.simplefilter("ignore")
learner, name, n, d, repeats = sys.argv[2], sys.argv[3], *map(int, sys.argv[4:7])
sys.path.append(sys.argv[7])
from benchmarks.labelled import labelled_data
X, y, queries, _ = labelled_data(name, n, d)
import nearkin
assert nearkin.__file__.startswith(sys.argv[1]), nearkin.__file__

def work():
    if learner == "ExactIndex":
        from nearkin.search import ExactIndex
        index = ExactIndex().build(X.astype(np.float32))
        return float(index.query(queries.astype(np.float32), 10)[0].sum())
    kind = getattr(nearkin, learner)
    known = kind().get_params()
    wanted = {"max_iter": 20, "tol": 0.0, "init": np.eye(d), "euclid_share": 0.0, "early_stopping": False,
              "refresh_targets": 0, "random_state": 0, "max_epochs": 20, "alpha": 1.0}
    if learner == "MoveLabeled":
        wanted["n_targets"] = 1
    if learner in ("LMDL", "LMNN"):
        wanted.pop("init")
    return float(kind(**{k: v for k, v in wanted.items() if k in known}).fit(X, y).objective_)

work()
times = []
for _ in range(repeats):
    start = time.process_time()
    value = work()
    times.append(time.process_time() - start)
print(json.dumps([min(times), value]))
"""


def measured(source: str, case: tuple, repeats: int) -> tuple:
    """Least CPU seconds and objective of one code, in a fresh process."""
    learner, name, n, d = case
    arguments = [sys.executable, "-c", INSIDE, source, learner, name, str(n), str(d), str(repeats), str(ROOT)]
    environment = {**os.environ, "PYTHONPATH": source, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(arguments, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{case} with {source}: {done.stderr.strip().splitlines()[-1:]}")
    return tuple(json.loads(done.stdout.strip().splitlines()[-1]))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against_commit", description=__doc__)
    parser.add_argument("before", help="the src folder of the earlier commit")
    parser.add_argument("learners", nargs="*", help="only these; all by default")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=3, help="fits in each process")
    options = parser.parse_args()
    sources = str(ROOT / "src"), str(Path(options.before).resolve())
    print(f"{'case':34} {'now / before':>12} {'now, s':>8} {'objective now':>14} {'before':>10}")
    for case in CASES:
        if options.learners and case[0] not in options.learners:
            continue
        best = [(float("inf"), 0.0), (float("inf"), 0.0)]
        for _ in range(options.rounds):
            for which, source in enumerate(sources):
                best[which] = min(best[which], measured(source, case, options.repeats))
        (now, value), (before, value_before) = best
        label = f"{case[0]} on {case[1]}, {case[2]:,} x {case[3]}"
        print(f"{label:34} {now / before:12.2f} {now:8.3f} {value:14.6g} {value_before:10.6g}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
