"""Pairs of rows made from labels: the nearest of either kind, or drawn at random."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.neighbours import other_class_neighbours, same_class_neighbours
from nearkin.supervision.constraints import Pairs


def nearest_pairs(X, codes: np.ndarray, n_similar: int, n_dissimilar: int) -> Pairs:
    """Every row with its nearest rows of the same class and of the others; deterministic.

    A row alone in its class has no similar pair; a class with too few rows gives what it has.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
    codes : integer array of shape (n,)
    n_similar, n_dissimilar : int
        Pairs of either kind for each row.

    Notes
    -----
    One blocked product of n^2 d multiply-adds; memory of the pairs and one block.

    Examples
    --------
    >>> pairs = nearest_pairs(np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1]), 1, 1)
    >>> np.c_[pairs.left, pairs.right, pairs.similar].tolist()
    [[0, 1, 1], [1, 0, 1], [0, 2, 0], [1, 2, 0], [2, 1, 0]]
    """
    largest = int(np.bincount(codes).max())
    same = same_class_neighbours(X, codes, max(1, min(n_similar, largest - 1)))
    others = other_class_neighbours(X, codes, n_dissimilar)
    return _joined(*_listed(same), *_listed(others))


def all_pairs(codes: np.ndarray) -> Pairs:
    """Every pair of rows, n (n - 1) / 2 of them: for small data, and to check code that needs no list.

    >>> len(all_pairs(np.array([0, 0, 1])))
    3
    """
    left, right = np.triu_indices(len(codes), 1)
    return Pairs(left, right, codes[left] == codes[right], np.ones(len(left)))


def random_pairs(codes: np.ndarray, n_pairs: int, rng: np.random.RandomState) -> Pairs:
    """Pairs of different rows drawn uniformly: with many classes nearly all are dissimilar.

    >>> pairs = random_pairs(np.array([0, 0, 1]), 4, np.random.RandomState(0))
    >>> len(pairs), bool((pairs.left != pairs.right).all())
    (4, True)
    """
    left, right = _different_rows(len(codes), n_pairs, rng)
    return Pairs(left, right, codes[left] == codes[right], np.ones(n_pairs))


def balanced_pairs(codes: np.ndarray, n_pairs: int, rng: np.random.RandomState) -> Pairs:
    """About half similar and half dissimilar pairs, drawn at random.

    >>> pairs = balanced_pairs(np.array([0, 0, 0, 1, 1]), 6, np.random.RandomState(0))
    >>> int(pairs.similar.sum()), bool((pairs.left != pairs.right).all())
    (3, True)
    """
    sizes = np.bincount(codes)
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    n_similar = n_pairs // 2 if (sizes >= 2).any() else 0
    n_dissimilar = n_pairs - n_similar if (sizes > 0).sum() >= 2 else 0
    # A similar pair: a row of a class of at least two, then another row of that class.
    eligible = order[sizes[codes[order]] >= 2]
    left = rng.choice(eligible, n_similar) if n_similar else np.empty(0, dtype=np.intp)
    places = np.empty(len(codes), dtype=np.intp)
    places[order] = np.arange(len(codes))
    own = codes[left]
    step = 1 + (rng.random_sample(n_similar) * (sizes[own] - 1)).astype(np.intp)
    right = order[starts[own] + (places[left] - starts[own] + step) % sizes[own]]
    first = rng.randint(len(codes), size=n_dissimilar)
    second = _rows_of_other_classes(codes, first, rng)
    return _joined(left, right, first, second)


def random_others(codes: np.ndarray, n_each: int, rng: np.random.RandomState) -> Pairs:
    """Every row with some rows of other classes drawn at random: dissimilar pairs only.

    >>> pairs = random_others(np.array([0, 0, 1]), 2, np.random.RandomState(0))
    >>> pairs.left.tolist(), pairs.right[:4].tolist(), bool(pairs.similar.any())
    ([0, 0, 1, 1, 2, 2], [2, 2, 2, 2], False)
    """
    rows = np.repeat(np.arange(len(codes)), n_each)
    nobody = np.empty(0, dtype=np.intp)
    return _joined(nobody, nobody, rows, _rows_of_other_classes(codes, rows, rng))


def _rows_of_other_classes(codes: np.ndarray, rows: np.ndarray, rng) -> np.ndarray:
    """For each row a random one of another class, counted from the end of its own class, wrapping around."""
    sizes = np.bincount(codes)
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    own = codes[rows]
    step = (rng.random_sample(len(rows)) * (len(codes) - sizes[own])).astype(np.intp)
    return order[(starts[own] + sizes[own] + step) % len(codes)]


def _different_rows(n: int, count: int, rng) -> tuple[np.ndarray, np.ndarray]:
    left = rng.randint(n, size=count)
    return left, (left + 1 + rng.randint(n - 1, size=count)) % n


def _listed(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and partners of a neighbour table in which -1 stands for none."""
    rows, places = np.nonzero(table >= 0)
    return rows, table[rows, places]


def _joined(left, right, first, second) -> Pairs:
    similar = np.r_[np.ones(len(left), dtype=bool), np.zeros(len(first), dtype=bool)]
    return Pairs(np.r_[left, first], np.r_[right, second], similar, np.ones(len(similar)))
