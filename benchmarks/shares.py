"""What a share of Euclid in a learned distance does on unseen rows, and what halves of the training rows say.

    python -m benchmarks.shares --out FOLDER [--learners LMNN,NCA] [--splits 2]

For every learner, set and split: accuracy of 3 neighbours on the test rows for each share, and for each share
how many rows of halves of the training rows are predicted rightly from the other half, by a learner that
saw that other half only. Rules of choice are then compared without a fit (`benchmarks.share_rules`).
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.cells import CellFile
from benchmarks.open_sets import SETS, load, named, split
from nearkin.learners import all_learners
from nearkin.numerics.products import squared_distances
from nearkin.numerics.selection import smallest_per_row

SHARES = (0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
NEIGHBOURS = (1, 3, 5, 9)
FOLDS, REPEATS = 3, 2

warnings.simplefilter("ignore")
cached_load = lru_cache(4)(load)

VARIANTS = {
    "LMNN3": ("LMNN", {"refresh_targets": 3}),
    "NCAstop": ("NCA", {"early_stopping": "auto"}),
    "MEGMfull": ("MEGM", {"early_stopping": False}),
}


def plain(name: str):
    name, settings = VARIANTS.get(name, (name, {}))
    learner = all_learners()[name](**settings)
    params = learner.get_params()
    if "euclid_share" in params and params["euclid_share"] == "auto":
        learner.set_params(euclid_share=0.0)
    if "random_state" in params:
        learner.set_params(random_state=0)
    return learner


def votes(neighbours, k, n_classes):
    first = neighbours[:, :k]
    counts = (first[:, :, None] == np.arange(n_classes)).sum(axis=1)
    top = np.take_along_axis(counts, first, axis=1) == counts.max(axis=1)[:, None]
    return first[np.arange(len(first)), top.argmax(axis=1)]


def total_variance(D, n):
    return float(D.sum() / (2 * n * n)) or 1.0


def right(learner, X, y, Q, truth, shares=SHARES):
    """Rows x shares x numbers of neighbours: who is right."""
    euclid = squared_distances(Q, X)
    learned = learner.distance_.pairwise(Q, X)
    own = learner.distance_.pairwise(X, X)
    learned = learned * (squared_distances(X, X).sum() / (own.sum() or 1.0))
    out = np.zeros((len(Q), len(shares), len(NEIGHBOURS)), dtype=bool)
    most = min(max(NEIGHBOURS), len(X))
    for i, share in enumerate(shares):
        nearest = y[smallest_per_row((1 - share) * learned + share * euclid, most)[1]]
        for j, k in enumerate(NEIGHBOURS):
            out[:, i, j] = votes(nearest, k, y.max() + 1) == truth
    return out


def folds(y, rng):
    order = np.lexsort((rng.uniform(size=len(y)), y))
    parts = [np.sort(order[i::FOLDS]) for i in range(FOLDS)]
    return [(np.setdiff1d(order, part), part) for part in parts]


def judged(name, X, y, seen, unseen, itself) -> dict:
    half = plain(name).fit(X[seen], y[seen])
    r = right(half, X[seen], y[seen], X[unseen], y[unseen])
    mean = r.mean(axis=2)
    apart = mean - mean[:, -1:]
    record = {
        "rows": len(unseen),
        "right": r.sum(axis=0).tolist(),
        "squares": (apart**2).sum(axis=0).round(3).tolist(),
    }
    if itself:
        p = half.predict(X[unseen]) == y[unseen]
        record["itself"] = int(p.sum())
        record["itself_squares"] = float(((p - mean[:, -1]) ** 2).sum())
    return record


def cell(name: str, set_name: str, number: int) -> dict:
    known = named(set_name)
    data = split(known, *cached_load(known), number)
    X, y = data.X_train, data.y_train
    start = time.process_time()
    learner = plain(name).fit(X, y)
    seconds = time.process_time() - start
    correct = right(learner, X, y, data.X_test, data.y_test)
    out = {
        "n": len(X),
        "d": X.shape[1],
        "test": len(data.y_test),
        "fit": round(seconds, 3),
        "accuracy": correct.mean(axis=0).round(5).tolist(),
    }
    itself = hasattr(learner, "predict")
    if itself:
        out["itself"] = float((learner.predict(data.X_test) == data.y_test).mean())
    out["inner"] = []
    for repeat in range(int(np.clip(800 // len(X), 1, REPEATS))):
        for seen, unseen in folds(y, np.random.RandomState(repeat)):
            out["inner"].append({"repeat": repeat, **judged(name, X, y, seen, unseen, itself)})
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--learners", default="")
    parser.add_argument("--sets", default="")
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
    names = [n for n in args.learners.split(",") if n] or [
        n for n, c in all_learners().items() if "classification" in c.tasks and not n.startswith("Move")
    ]
    sets = [s for s in args.sets.split(";") if s] or [s.name for s in SETS]
    file = CellFile(args.out)
    for number in range(args.first, args.splits):
        for set_name in sets:
            cells = [(name, set_name, number) for name in names]
            before = set(file.done)
            file.measure(cells, cell, args.seconds)
            for key in set(file.done) - before:
                r = file.done[key]
                if "failed" in r:
                    print(*key, r["failed"], r["seconds"], flush=True)
                else:
                    a = np.array(r["accuracy"])[:, 1]
                    print(
                        *key,
                        f"plain {100 * a[0]:.1f} euclid {100 * a[-1]:.1f} itself {100 * r.get('itself', np.nan):.1f} fit {r['fit']} all {r['seconds']}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
