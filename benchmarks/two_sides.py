"""MoveItems against what an engineer would write for queries and items of two encoders.

Queries must find their item among all items; the score is the mean reciprocal rank of queries that were held
out. The rivals are the regression from items to queries in five lines of NumPy, with the penalty that is best
*on the test queries*, and scikit-learn's canonical correlations. Prints the table of docs/methods/move.md::

    NEARKIN_DATA=~/data python -m benchmarks.two_sides
"""

from __future__ import annotations

import numpy as np
from sklearn.cross_decomposition import CCA

from nearkin import MoveItems
from nearkin.datasets import load_dataset

PENALTIES = np.logspace(-2, 6, 17)


def towers(seed: int, width: int = 128):
    """Items of 256 values and queries of another width, both of 40 hidden causes with noise."""
    rng = np.random.default_rng(seed)
    causes = rng.normal(size=(4000, 40))
    to_items, to_queries = rng.normal(size=(40, 256)) / 6, rng.normal(size=(40, width)) / 6
    items = causes @ to_items + 0.7 * rng.normal(size=(4000, 256))
    wanted = rng.integers(4000, size=6000)
    return causes[wanted] @ to_queries + 0.5 * rng.normal(size=(6000, width)), items, wanted


def halves(name: str, seed: int):
    """Left halves of images look for their right halves."""
    rows = np.asarray(load_dataset(name).X, dtype=np.float64)
    rows = rows[np.random.default_rng(seed).permutation(len(rows))[:3000]]
    side = round(rows.shape[1] ** 0.5)
    images = rows.reshape(len(rows), side, side) / rows.max()
    left, right = images[:, :, : side // 2], images[:, :, side // 2 :]
    return left.reshape(len(rows), -1), right.reshape(len(rows), -1), np.arange(len(rows))


def views(name: str, seed: int):
    """Two thirds of the columns as items, the others as queries that want the same row."""
    rows = np.asarray(load_dataset(name).X, dtype=np.float64)
    rng = np.random.default_rng(seed)
    rows = rows[rng.permutation(len(rows))[:3000]]
    columns, cut = rng.permutation(rows.shape[1]), rows.shape[1] // 3
    return rows[:, columns[:cut]], rows[:, columns[cut:]], np.arange(len(rows))


DATA = {
    "two towers": towers,
    "two towers, queries of 300": lambda seed: towers(seed, 300),
    "halves of usps": lambda seed: halves("usps", seed),
    "halves of mnist": lambda seed: halves("mnist", seed),
    "columns of isolet": lambda seed: views("isolet", seed),
    "columns of banking77-minilm": lambda seed: views("banking77-minilm", seed),
}


def reciprocal_rank(queries, items, wanted) -> float:
    D = (items**2).sum(axis=1) - 2 * queries @ items.T
    return float(np.mean(1 / (1 + (D[np.arange(len(wanted)), wanted][:, None] > D).sum(axis=1))))


def by_hand(queries, items, wanted, test) -> float:
    known, best = wanted[~test], 0.0
    item_mean, query_mean = items[known].mean(axis=0), queries[~test].mean(axis=0)
    Z, Q = items[known] - item_mean, queries[~test] - query_mean
    for alpha in PENALTIES:
        W = np.linalg.solve(Z.T @ Z + alpha * np.eye(Z.shape[1]), Z.T @ Q)
        moved = (items - item_mean) @ W + query_mean
        best = max(best, reciprocal_rank(queries[test], moved, wanted[test]))
    return best


def by_correlation(queries, items, wanted, test) -> float:
    cca = CCA(min(30, queries.shape[1], items.shape[1]), max_iter=300).fit(
        items[wanted[~test]], queries[~test]
    )
    there = cca.transform(items)
    _, asked = cca.transform(items[: test.sum()], queries[test])
    return reciprocal_rank(asked, there, wanted[test])


def by_nearkin(queries, items, wanted, test) -> float:
    pairs = np.stack([np.arange((~test).sum()), wanted[~test]], axis=1)
    model = MoveItems().fit(queries[~test], items, pairs)
    return reciprocal_rank(queries[test], model.move(items), wanted[test])


def main() -> None:
    print(
        "| data | queries | items | MoveItems | five lines of NumPy | CCA |\n" + "|---" * 6 + "|", flush=True
    )
    for name, make in DATA.items():
        found = []
        for seed in range(3):
            queries, items, wanted = make(seed)
            test = np.arange(len(queries)) >= int(0.7 * len(queries))
            found.append([job(queries, items, wanted, test) for job in (by_nearkin, by_hand, by_correlation)])
        cells = " | ".join(f"{score:.3f}" for score in np.mean(found, axis=0))
        print(f"| {name} | {queries.shape[1]} | {items.shape[1]} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
