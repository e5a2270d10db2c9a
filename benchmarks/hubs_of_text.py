"""Accuracy and hubs of text before and after Move-labeled: the document experiment of Shigeto et al.

Documents are reduced to 300 dimensions by a truncated SVD fitted on the training part, split 70/30
four times, and classified with plain Euclid, Move-labeled and Move-query; k is chosen among 1, 5, 10
and 20 on held-out training rows. Needs ``20news-tfidf`` and ``tdt2`` in the folder ``NEARKIN_DATA``::

    NEARKIN_DATA=~/data python -m benchmarks.hubs_of_text
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from nearkin import KNNClassifier, MoveLabeled, MoveQuery
from nearkin.datasets import load_dataset

LEARNERS = {"Euclid": None, "Move-labeled": MoveLabeled(n_targets=1), "Move-query": MoveQuery()}
NEIGHBOURS = (1, 5, 10, 20)


def reduced(train, test, is_counts: bool) -> tuple[np.ndarray, np.ndarray]:
    """Both parts in 300 dimensions, float32; raw counts become tf-idf first."""
    svd = TruncatedSVD(300, random_state=0)
    steps = make_pipeline(TfidfTransformer(sublinear_tf=True), svd) if is_counts else svd
    return steps.fit_transform(train).astype(np.float32), steps.transform(test).astype(np.float32)


def best_k(learner, X, y) -> int:
    kept, held_out = train_test_split(np.arange(len(y)), test_size=0.2, random_state=0, stratify=y)
    model = KNNClassifier(learner).fit(X[kept], y[kept])
    scores = [model.set_params(n_neighbors=k).score(X[held_out], y[held_out]) for k in NEIGHBOURS]
    return NEIGHBOURS[int(np.argmax(scores))]


def measure(name: str, n_splits: int) -> dict[str, np.ndarray]:
    """Per learner, an array of (accuracy, skewness) with a row per split."""
    data = load_dataset(name)
    found: dict[str, list] = {label: [] for label in LEARNERS}
    for seed in range(n_splits):
        train, test = train_test_split(
            np.arange(data.X.shape[0]), test_size=0.3, random_state=seed, stratify=data.y
        )
        X, queries = reduced(data.X[train], data.X[test], is_counts=name == "tdt2")
        y, truth = data.y[train], data.y[test]
        for label, learner in LEARNERS.items():
            model = KNNClassifier(learner, n_neighbors=best_k(learner, X, y)).fit(X, y)
            found[label].append((model.score(queries, truth), model.hubness(queries, k=10).skewness))
    return {label: np.array(rows) for label, rows in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=["20news-tfidf", "tdt2"])
    parser.add_argument("--splits", type=int, default=4)
    arguments = parser.parse_args()
    columns = f"{'accuracy %':>12s}{'vs Euclid':>11s}{'skewness':>10s}{'vs Euclid':>11s}"
    print(f"{'data':14s}{'distance':14s}{columns}")
    for name in arguments.datasets:
        found = measure(name, arguments.splits)
        base = found["Euclid"].mean(axis=0)
        for label, rows in found.items():
            accuracy, skewness = rows.mean(axis=0)
            print(
                f"{name:14s}{label:14s}{100 * accuracy:12.1f}{100 * (accuracy - base[0]):+11.1f}"
                f"{skewness:10.2f}{skewness / base[1]:10.2f}x",
                flush=True,
            )


if __name__ == "__main__":
    main()
