"""What the thresholds of early stopping and of refreshed targets are worth: each halved and doubled.

::

    python -m benchmarks.fit_policies                    # a table in Markdown: some minutes
    python -m benchmarks.fit_policies patience --splits 10

A cell is CPU time relative to the default and the points of 3-NN accuracy on held-out rows gained over it,
both over random splits; empty where neither changes. Early stopping is that of MEGM and NCMML together, the
refreshing of targets that of LMNN.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import fields, replace

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from benchmarks.labelled import labelled_data

#: Parts of a `FitPolicy`, and the learners that follow them by default.
PARTS = {"early_stopping": ("MEGM", "NCMML"), "refresh": ("LMNN",)}
#: Data and rows to train on: two sets so small that hardly a half is left, six of 140 to 1,500 rows.
CASES = (
    ("sonar", 16),
    ("wine", 30),
    ("sonar", 146),
    ("ionosphere", 246),
    ("pima", 538),
    ("vehicle", 592),
    ("yeast", 1_039),
    ("segment", 1_500),
)


def known_fields() -> dict[str, str]:
    """The part of a `FitPolicy` that each field belongs to."""
    from nearkin.learners.gradient.policy import FitPolicy

    return {field.name: part for part in PARTS for field in fields(getattr(FitPolicy(), part))}


def fit(name: str, data: tuple, policy) -> tuple[float, float]:
    """CPU seconds and held-out accuracy of a learner with another policy."""
    import nearkin

    X, y, X_test, y_test = data
    kind = type(name, (getattr(nearkin, name),), {"fit_policy": policy})
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = kind(euclid_share=0.0, random_state=0).fit(X, y)
    seconds = time.process_time() - start
    voters = KNeighborsClassifier(3).fit(learner.transform(X), y)
    return seconds, voters.score(learner.transform(X_test), y_test)


def splits(name: str, n: int, count: int) -> list[tuple]:
    """Training and test rows drawn anew, features standardised by the training rows."""
    X, y, X_rest, y_rest = labelled_data(name, n, 10**6)
    X, y = np.concatenate([X, X_rest]), np.unique(np.concatenate([y, y_rest]), return_inverse=True)[1]
    found = []
    for seed in range(count):
        order = np.random.RandomState(seed).permutation(len(X))
        train, test = order[:n], order[n:]
        scaler = StandardScaler().fit(X[train])
        found.append((scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]))
    return found


def measured(case: tuple, names: list[str], count: int) -> dict[tuple[str, float], tuple[float, float]]:
    """Ratio of CPU time and difference in points, by field and factor, where anything changes."""
    from nearkin.learners.gradient.policy import FitPolicy

    usual, drawn, found = FitPolicy(), splits(*case, count), {}

    def results(part: str, policy) -> np.ndarray:
        return np.array([[fit(name, data, policy) for data in drawn] for name in PARTS[part]])

    for part in PARTS:
        results(part, usual)  # loads what is compiled
    for name in names:
        part = known_fields()[name]
        own = getattr(usual, part)
        for factor in (0.5, 2.0):
            value = type(getattr(own, name))(factor * getattr(own, name))
            other = replace(usual, **{part: replace(own, **{name: value})})
            changed, default = results(part, other), results(part, usual)
            seconds = changed[..., 0].sum() / default[..., 0].sum()
            points = 100 * float(np.mean(changed[..., 1] - default[..., 1]))
            if points or abs(seconds - 1) > 0.1:
                found[name, factor] = seconds, points
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_policies", description=__doc__)
    parser.add_argument("names", nargs="*", help="fields; all by default")
    parser.add_argument("--splits", type=int, default=5)
    options = parser.parse_args()
    names = options.names or list(known_fields())
    columns = {}
    for case in CASES:
        print(*case, file=sys.stderr, flush=True)
        columns["{} {:,}".format(*case)] = measured(case, names, options.splits)
    print("| field | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name in names:
        for factor in (0.5, 2.0):
            cells = [results.get((name, factor)) for results in columns.values()]
            texts = ["" if cell is None else "{:.2f}, {:+.1f}".format(*cell) for cell in cells]
            print(f"| `{name}` x {factor:g} | " + " | ".join(texts) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
