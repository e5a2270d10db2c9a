"""How much of the gain over Euclid is the luck of one training set: measured on disjoint ones.

    python -m benchmarks.training_luck              # some minutes

Learners are trained on samples of one set that share no row, and tested on the same held-out rows; the
standard deviation of their gain over Euclid is what a training set does to it.
docs/results/compare-power.md quotes the table.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nearkin import DMLMJ, LFDA, NCA, RCA, KNNClassifier
from nearkin.datasets import load_dataset

SETS = ("letter", "pendigits", "optdigits", "usps")
LEARNERS = (RCA(), LFDA(), DMLMJ(), NCA(max_iter=20))
MOST_TEST_ROWS = 4_000


def gains(X, y, learner, n_train: int, n_samples: int, seed: int = 0) -> np.ndarray:
    """Accuracy minus Euclid's, in points, for training samples of `n_train` rows that share none."""
    order = np.random.default_rng(seed).permutation(len(y))
    n_test = min(MOST_TEST_ROWS, len(y) // 3)
    test, rest = order[:n_test], order[n_test:]
    found = []
    for sample in range(min(n_samples, len(rest) // n_train)):
        rows = rest[sample * n_train : (sample + 1) * n_train]
        scores = [
            make_pipeline(StandardScaler(), KNNClassifier(model))
            .fit(X[rows], y[rows])
            .score(X[test], y[test])
            for model in (learner, None)
        ]
        found.append(100 * (scores[0] - scores[1]))
    return np.array(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1600, help="of each training sample")
    parser.add_argument("--samples", type=int, default=6, help="training samples, if there are rows for them")
    given = parser.parse_args()
    print("| set | learner | gain | standard deviation | samples |\n|---|---|--:|--:|--:|")
    for name in SETS:
        data = load_dataset(name)
        for learner in LEARNERS:
            found = gains(np.asarray(data.X, np.float32), data.y, learner, given.rows, given.samples)
            line = f"{name} | {type(learner).__name__} | {found.mean():+.2f} | {found.std(ddof=1):.2f}"
            print(f"| {line} | {len(found)} |", flush=True)


if __name__ == "__main__":
    main()
