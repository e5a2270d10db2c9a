"""What a practitioner would try on stored sentence embeddings, side by side.

Prints the tables of docs/embeddings.md: the index as it is, whitening, linear discriminants, class
centroids, a logistic head, and stored vectors moved by Move-labeled, on

- ``trec-minilm``: questions by the type of their answer, which the encoder was not made for;
- ``banking77-minilm``: customer queries by intent, which is what the encoder does anyway,

each with all stored rows and with ten of each class.

Run it with ``NEARKIN_DATA`` set to a folder that holds these sets as npz files::

    NEARKIN_DATA=~/data python examples/move_index.py
"""

import sys

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid

from nearkin import MoveLabeled
from nearkin.datasets import DatasetNotFoundError, load_dataset


def unit(X: np.ndarray) -> np.ndarray:
    return (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32)


def ranked(queries: np.ndarray, stored: np.ndarray) -> np.ndarray:
    """Stored rows of each query, nearest first by L2."""
    return np.argsort((stored**2).sum(axis=1) - 2 * queries @ stored.T, axis=1, kind="stable")


def majority(labels: np.ndarray) -> np.ndarray:
    """Label that most of the neighbours have; the nearest breaks ties."""
    counts = (labels[:, :, None] == labels[:, None, :]).sum(axis=2)
    return labels[np.arange(len(labels)), counts.argmax(axis=1)]


def scores(queries, stored, truth, labels) -> list[float]:
    """1-NN and 10-NN accuracy and MAP@R: mean precision over the first R, R rows being relevant."""
    found = labels[ranked(queries, stored)]
    relevant = (labels[:, None] == truth).sum(axis=0)
    hits = found == truth[:, None]
    precision = hits.cumsum(axis=1) / np.arange(1, hits.shape[1] + 1)
    counted = np.arange(hits.shape[1]) < relevant[:, None]
    at_r = (hits * precision * counted).sum(axis=1) / np.maximum(relevant, 1)
    return [(found[:, 0] == truth).mean(), (majority(found[:, :10]) == truth).mean(), at_r.mean()]


def methods(stored, labels, queries, truth):
    """(name, what changes in production, scores) of each."""
    yield "index as it is", "nothing", scores(queries, stored, truth, labels)
    for name, learner in {
        "Move-labeled (default)": MoveLabeled(),
        "Move-labeled, `n_targets=1`": MoveLabeled(n_targets=1),
        "Move-labeled, `n_targets=20`": MoveLabeled(n_targets=20),
        "Move-labeled, `n_targets='all'`": MoveLabeled(n_targets="all"),
        "Move-labeled, `aim='lists'`": MoveLabeled(aim="lists"),
    }.items():
        moved = learner.fit(stored, labels).move(stored)
        yield name, "stored vectors only", scores(queries, moved, truth, labels)
    whiten = PCA(min(stored.shape[1], len(stored) // 2), whiten=True).fit(stored)
    both = unit(whiten.transform(queries)), unit(whiten.transform(stored))
    yield "whitening", "stored vectors and every query", scores(*both, truth, labels)
    lda = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(stored, labels)
    both = lda.transform(queries), lda.transform(stored)
    yield "LDA", "stored vectors and every query", scores(*both, truth, labels)
    centroid = NearestCentroid().fit(stored, labels).score(queries, truth)
    yield "class centroids", "no neighbours any more", [centroid, np.nan, np.nan]
    head = LogisticRegression(C=10.0, max_iter=300).fit(stored, labels).score(queries, truth)
    yield "logistic head", "no neighbours any more", [head, np.nan, np.nan]


def few_of_each(labels: np.ndarray, count: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.concatenate(
        [rng.permutation(np.flatnonzero(labels == label))[:count] for label in np.unique(labels)]
    )


def report(title: str, stored, labels, queries, truth) -> None:
    print(f"\n{title}: {len(stored)} stored vectors, {len(queries)} queries\n")
    print("| | changes in production | 1-NN | 10-NN | MAP@R |\n| --- | --- | --- | --- | --- |")
    for name, change, values in methods(stored, labels, queries, truth):
        cells = ["" if np.isnan(value) else f"{100 * value:.1f} %" for value in values]
        print(f"| {name} | {change} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    for name in sys.argv[1:] or ["trec-minilm", "banking77-minilm"]:
        data = load_dataset(name)
        stored, queries = data.train(), data.test()
        X, Q = unit(stored.X), unit(queries.X)
        report(name, X, stored.y, Q, queries.y)
        few = few_of_each(stored.y, 10)
        report(f"{name}, 10 of each class", X[few], stored.y[few], Q, queries.y)


if __name__ == "__main__":
    try:
        main()
    except DatasetNotFoundError as error:
        sys.exit(f"{error}")
