"""Every learner by default against plain Euclid on the open classification sets.

    NEARKIN_DATA=folder python -m benchmarks.accuracy              # measure what is missing, then the table
    python -m benchmarks.accuracy --learners LMNN,NCA --splits 4
    python -m benchmarks.accuracy --page docs/results/accuracy.md --only-table

Splits of 70/30 (or so many training rows of each class), 3 neighbours, features standardised by the training
rows, rows of unit length left as they are. Learners have their default settings, so whatever they choose they
choose inside the training rows. A cell is one learner on one split of one set; cells are kept in a file of
JSON lines (by default in the user's cache folder), so a run can be cut and goes on where it was. Delete the
file, or give another, after a change of the learners.
"""

from __future__ import annotations

import argparse
import subprocess
import time
import warnings
from functools import lru_cache
from pathlib import Path

from benchmarks.accuracy_table import written
from benchmarks.cells import CellFile
from benchmarks.open_sets import SETS, load, named, split
from nearkin import KNNClassifier
from nearkin.learners import all_learners

CELLS = Path.home() / ".cache" / "nearkin-benchmarks" / "accuracy.jsonl"
PAGE = Path(__file__).parent.parent / "docs" / "results" / "accuracy.md"
NEIGHBOURS = 3
#: Learners in the order of their cost, so that a run that is cut has measured many.
FIRST = ("Euclid", "RCA", "MoveLabeled", "LFDA", "LMDL", "LPD", "NCA", "LMNN", "MEGM", "ITML", "GMML")

cached_load = lru_cache(4)(load)


def learner_names() -> list[str]:
    """Every learner of classes; Move-query only shows how hubs arise and is not meant to predict."""
    serving = [name for name, kind in all_learners().items() if "classification" in kind.tasks]
    return sorted((name for name in serving if name != "MoveQuery"), key=_cheap_first)


def _cheap_first(name: str) -> tuple[int, str]:
    return (FIRST.index(name) if name in FIRST else len(FIRST), name)


def model_of(name: str, settings: dict | None = None):
    """The classifier that a learner is judged by: itself if it predicts, else its neighbours' vote."""
    learner = all_learners()[name](**(settings or {}))
    if "random_state" in learner.get_params():
        learner.set_params(random_state=0)
    return learner if hasattr(learner, "predict") else KNNClassifier(learner, n_neighbors=NEIGHBOURS)


def measured(name: str, set_name: str, number: int) -> dict:
    """Test rows that a learner and Euclid get right on one split."""
    known = named(set_name)
    rows = split(known, *cached_load(known), number)
    plain = KNNClassifier(n_neighbors=NEIGHBOURS).fit(rows.X_train, rows.y_train)
    euclid = plain.predict(rows.X_test) == rows.y_test
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        model = model_of(name).fit(rows.X_train, rows.y_train)
        seconds = time.process_time() - start
        right = model.predict(rows.X_test) == rows.y_test
    learner = getattr(model, "learner_", model)
    return {
        "n_train": len(rows.y_train),
        "n_test": len(rows.y_test),
        "n_features": rows.X_train.shape[1],
        "right": int(right.sum()),
        "euclid": int(euclid.sum()),
        "gained": int((right & ~euclid).sum()),
        "lost": int((euclid & ~right).sum()),
        "share": getattr(learner, "euclid_share_", None),
        "fit_seconds": round(seconds, 4),
        "commit": commit(),
    }


@lru_cache(1)
def commit() -> str:
    """The commit whose code is measured, or "unknown"."""
    asked = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=Path(__file__).parent
    )
    return asked.stdout.strip() or "unknown"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--learners", default="", help="names, separated by commas; all by default")
    parser.add_argument("--sets", default="", help="names, separated by semicolons; all by default")
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=120, help="CPU time that a cell may take")
    parser.add_argument("--cells", type=Path, default=CELLS)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--only-table", action="store_true")
    args = parser.parse_args()
    names = [name for name in args.learners.split(",") if name] or learner_names()
    sets = [name for name in args.sets.split(";") if name] or [known.name for known in SETS]
    file = CellFile(args.cells)
    if not args.only_table:
        # All learners and sets once before any of them twice.
        cells = [(name, known, number) for number in range(args.splits) for known in sets for name in names]
        file.measure(cells, measured, args.seconds)
    args.page.write_text(written(file.done.values(), names, sets))
    print(f"written: {args.page}")


if __name__ == "__main__":
    main()
