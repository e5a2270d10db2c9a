"""Hub corrections, which need no labels, with plain Euclid and after Move-labeled.

1,750 stored rows and 750 queries, drawn anew each time; accuracy of 1, 5 and 15 neighbours, and the skewness
of how often a stored row is found among ten. Prints the table of docs/hubness.md::

    NEARKIN_DATA=~/data python -m benchmarks.hub_corrections
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD

from nearkin import KNNClassifier, MoveLabeled
from nearkin.datasets import load_dataset
from nearkin.distances.hub_correction import CORRECTIONS

STORED, ASKED, NEIGHBOURS = 1_750, 750, (1, 5, 15)


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    data = load_dataset(name)
    if not sparse.issparse(data.X):
        return np.asarray(data.X, dtype=np.float32), np.asarray(data.y)
    return TruncatedSVD(300, random_state=0).fit_transform(data.X).astype(np.float32), np.asarray(data.y)


def judged(learner, hubs: str | None, X, y, seed: int) -> list[float]:
    rows = np.random.default_rng(seed).permutation(len(y))
    stored, asked = rows[:STORED], rows[STORED : STORED + ASKED]
    model = KNNClassifier(learner, n_neighbors=1, hubs=hubs).fit(X[stored], y[stored])
    scores = [100 * model.set_params(n_neighbors=k).score(X[asked], y[asked]) for k in NEIGHBOURS]
    return [*scores, model.hubness(X[asked], k=10).skewness]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=["20news-tfidf", "usps", "isolet", "trec-minilm"])
    parser.add_argument("--draws", type=int, default=3)
    chosen = parser.parse_args()
    print(
        "| data | distance | correction | 1-NN | 5-NN | 15-NN | hub skewness |\n" + "|---" * 7 + "|",
        flush=True,
    )
    for name in chosen.datasets:
        X, y = rows_of(name)
        for distance, learner in {"Euclid": None, "Move-labeled": MoveLabeled()}.items():
            for hubs in (None, *CORRECTIONS):
                found = np.mean([judged(learner, hubs, X, y, seed) for seed in range(chosen.draws)], axis=0)
                cells = " | ".join(f"{value:.1f}" for value in found)
                print(f"| {name} | {distance} | {hubs or 'none'} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
