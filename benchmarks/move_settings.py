"""Move-labeled's own choice of settings against every fixed number of targets and against plain Euclid.

Rows are scaled to unit length, as embeddings are. Some rows of each class are stored, others asked; the
score is the mean accuracy of 1, 5 and 10 neighbours (those that a class has rows for). Prints the table of
docs/methods/move.md::

    NEARKIN_DATA=~/data python -m benchmarks.move_settings trec-minilm semeion
"""

from __future__ import annotations

import argparse

import numpy as np

from nearkin import KNNClassifier, MoveLabeled
from nearkin.datasets import load_dataset

FIXED = (1, 5, 20, "all")
MOST_STORED, MOST_ASKED = 6_000, 1_500


def unit(X) -> np.ndarray:
    rows = np.asarray(X, dtype=np.float32)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def drawn(y: np.ndarray, per_class: int | None, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to store, so many of each class (None: all there are), and rows to ask."""
    shuffled = np.random.default_rng(seed).permutation(len(y))
    asked = shuffled[: min(MOST_ASKED, int(0.3 * len(y)))]
    rest = shuffled[len(asked) :]
    if per_class is None:
        return rest[:MOST_STORED], asked
    return np.concatenate([rest[y[rest] == label][:per_class] for label in np.unique(y)]), asked


def judged(learner, X, y, stored, asked) -> tuple[float, float]:
    """Mean accuracy, and the skewness of how often a stored row is found among ten."""
    usual = int(np.median(np.unique(y[stored], return_counts=True)[1]))
    model = KNNClassifier(learner, n_neighbors=1).fit(X[stored], y[stored])
    scores = [
        model.set_params(n_neighbors=k).score(X[asked], y[asked]) for k in (1, 5, 10) if k <= max(usual, 1)
    ]
    return 100 * float(np.mean(scores)), model.hubness(X[asked], k=10).skewness


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--draws", type=int, default=3)
    chosen = parser.parse_args()
    learners = {"Euclid": None, "auto": MoveLabeled()} | {str(n): MoveLabeled(n) for n in FIXED}
    print("| data | rows of each class | Euclid | auto | 1 target | 5 | 20 | all | auto to the best fixed |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in chosen.datasets:
        data = load_dataset(name)
        X = unit(data.X)
        for per_class in (5, 10, None):
            draws = range(chosen.draws if per_class else 1)
            splits = [drawn(data.y, per_class, seed) for seed in draws]
            found = {
                label: np.mean([judged(learner, X, data.y, *split) for split in splits], axis=0)
                for label, learner in learners.items()
            }
            best = max(found[str(n)][0] for n in FIXED)
            cells = [f"{score:.1f} ({skewness:.1f})" for score, skewness in found.values()]
            behind = f"{found['auto'][0] - best:+.1f}"
            print(f"| {name} | {per_class or 'all'} | {' | '.join(cells)} | {behind} |", flush=True)


if __name__ == "__main__":
    main()
