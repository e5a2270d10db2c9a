"""Move-labeled's own choice of settings against every fixed number of targets and against plain Euclid.

Rows become what an index of embeddings holds (`FORMS`). Some rows of each class are stored, others asked.
Prints the table of docs/methods/move.md and a summary, by three measures: accuracy of the nearest neighbour,
mean accuracy of 1, 5 and 10 neighbours (those that a class has rows for), and MAP@R::

    NEARKIN_DATA=~/data python -m benchmarks.move_settings trec-minilm usps@conv glass@standard sentences.npz
"""

from __future__ import annotations

import argparse

import numpy as np

from nearkin import KNNClassifier, MoveLabeled
from nearkin.datasets import load_dataset
from nearkin.evaluation.retrieval import Relevance, map_at_r

FIXED = (1, 5, 20, "all")
LEARNERS = (
    {"Euclid": None, "auto": MoveLabeled()}
    | {str(n): MoveLabeled(n) for n in FIXED}
    | {"lists": MoveLabeled(aim="lists")}
)
MEASURES = ("1-NN", "1, 5, 10", "MAP@R")
MOST_ROWS, MOST_STORED, MOST_ASKED = 9_000, 3_000, 1_000


def unit(X) -> np.ndarray:
    rows = np.asarray(X, dtype=np.float32)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def reduced_text(X) -> np.ndarray:
    from sklearn.decomposition import TruncatedSVD

    return unit(TruncatedSVD(200, random_state=0).fit_transform(X))


def filtered_images(X, filters: int = 24) -> np.ndarray:
    """Random 5 x 5 filters, rectified, averaged over a 4 x 4 grid: a poor man's image encoder."""
    from scipy.ndimage import convolve

    rng, side = np.random.default_rng(0), round(X.shape[1] ** 0.5)
    images, cell = np.asarray(X, np.float32).reshape(-1, side, side) / max(X.max(), 1), side // 4
    found = []
    for _ in range(filters):
        kernel = rng.normal(size=(5, 5))
        answers = np.maximum(np.stack([convolve(image, kernel - kernel.mean()) for image in images]), 0)
        cells = answers[:, : 4 * cell, : 4 * cell].reshape(len(images), 4, cell, 4, cell)
        found.append(cells.mean(axis=(2, 4)).reshape(len(images), -1))
    features = np.concatenate(found, axis=1)
    return unit(features - features.mean(axis=0))


def standardised(X) -> np.ndarray:
    rows = np.asarray(X, dtype=np.float64)
    spread = rows.std(axis=0)
    return (rows - rows.mean(axis=0)) / np.where(spread > 0, spread, 1)


FORMS = {"": unit, "svd": reduced_text, "conv": filtered_images, "standard": standardised}


def opened(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels of ``name``, ``name@form`` or an npz file of X and y."""
    if name.endswith(".npz"):
        with np.load(name) as arrays:
            return unit(arrays["X"]), arrays["y"]
    base, _, form = name.partition("@")
    data = load_dataset(base)
    some = np.sort(np.random.default_rng(1).permutation(data.X.shape[0])[:MOST_ROWS])
    return FORMS[form](data.X[some]), np.asarray(data.y)[some]


def drawn(y: np.ndarray, per_class: int | None, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to store, so many of each class (None: all there are), and rows to ask."""
    shuffled = np.random.default_rng(seed).permutation(len(y))
    asked = shuffled[: min(MOST_ASKED, int(0.3 * len(y)))]
    rest = shuffled[len(asked) :]
    if per_class is None:
        return rest[:MOST_STORED], asked
    return np.concatenate([rest[y[rest] == label][:per_class] for label in np.unique(y)]), asked


def judged(learner, X, y, stored, asked) -> list[float]:
    """The three measures, and the skewness of how often a stored row is found among ten."""
    sizes = np.unique(y[stored], return_counts=True)[1]
    model = KNNClassifier(learner, n_neighbors=1).fit(X[stored], y[stored])
    scores = [
        100 * model.set_params(n_neighbors=k).score(X[asked], y[asked])
        for k in (1, 5, 10)
        if k <= max(int(np.median(sizes)), 1)
    ]
    found = model.kneighbors(X[asked], int(sizes.max()), return_distance=False)
    precision = 100 * map_at_r(found, Relevance.of_labels(y[asked], y[stored]))
    return [scores[0], float(np.mean(scores)), precision, model.hubness(X[asked], k=10).skewness]


def table_row(name: str, per_class: int | None, found: dict[str, np.ndarray]) -> str:
    """Euclid, auto and the best fixed number of targets by each measure; in the end lists, and hubs."""
    cells = [name, str(per_class or "all")]
    for at in range(len(MEASURES)):
        best = max(FIXED, key=lambda n: found[str(n)][at])
        cells += [f"{found[label][at]:.1f}" for label in ("Euclid", "auto")]
        cells.append(f"{found[str(best)][at]:.1f} ({best})")
    cells += [f"{found['lists'][2]:.1f}", f"{found['Euclid'][3]:.1f} → {found['auto'][3]:.1f}"]
    return f"| {' | '.join(cells)} |"


def summary(tests: list[dict[str, np.ndarray]]) -> str:
    """How often auto and lists are near the best fixed number of targets, and how often behind Euclid."""
    lines = []
    for label in ("auto", "lists"):
        for at, measure in enumerate(MEASURES):
            own = np.array([found[label][at] for found in tests])
            behind = np.array([max(found[str(n)][at] for n in FIXED) for found in tests]) - own
            gain = own - [found["Euclid"][at] for found in tests]
            near, lost = (behind <= 0.5).sum(), (gain < -1).sum()
            lines.append(
                f"{label}, {measure}: within 0.5 of the best fixed in {near} of {len(tests)}, "
                f"{-behind.mean():+.1f} on average; {gain.mean():+.1f} over Euclid, {lost} over 1 below it."
            )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--draws", type=int, default=3)
    chosen = parser.parse_args()
    heads = ["Euclid", "auto", "best fixed"]
    columns = [f"{measure}: {heads[0]} | {' | '.join(heads[1:])}" for measure in MEASURES]
    print(f'| data | rows of each class | {" | ".join(columns)} | `aim="lists"` | hub skewness |')
    print("|---" * 13 + "|", flush=True)
    tests = []
    for name in chosen.datasets:
        X, y = opened(name)
        for per_class in (5, 10, None):
            splits = [drawn(y, per_class, seed) for seed in range(chosen.draws)]
            found = {
                label: np.mean([judged(learner, X, y, *split) for split in splits], axis=0)
                for label, learner in LEARNERS.items()
            }
            tests.append(found)
            print(table_row(name, per_class, found), flush=True)
    print(f"\n{summary(tests)}")


if __name__ == "__main__":
    main()
