"""The number of prototypes of each class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral

import numpy as np

from nearkin.learners.prototype.training import LabelledRows, Trained

CANDIDATES = (1, 2, 3, 5, 8)
FOLDS = 3


def prototype_counts(n_prototypes, classes, members) -> np.ndarray:
    """Prototypes of each class, from an int (capped at the class's distinct rows) or a dict.

    >>> prototype_counts(5, np.array(["a", "b"]), np.array([3, 40]))
    array([3, 5])
    """
    if isinstance(n_prototypes, Mapping):
        return _counts_from_dict(n_prototypes, classes, members)
    if isinstance(n_prototypes, bool) or not isinstance(n_prototypes, Integral) or n_prototypes < 1:
        raise ValueError(
            f"n_prototypes={n_prototypes!r}: expected a positive whole number, a dict with one for each "
            "class, or 'auto'."
        )
    return np.minimum(int(n_prototypes), members)


def _counts_from_dict(wanted, classes, members) -> np.ndarray:
    missing = [c for c in classes.tolist() if c not in wanted]
    unknown = [c for c in wanted if c not in classes.tolist()]
    if missing or unknown:
        raise ValueError(
            f"n_prototypes must name each class of y once: missing {missing}, not in y {unknown}; "
            f"the classes are {classes.tolist()}."
        )
    counts = []
    for label, available in zip(classes.tolist(), members):
        (count,) = prototype_counts(wanted[label], np.array([label]), np.array([np.iinfo(np.int64).max]))
        if count > available:
            raise ValueError(
                f"n_prototypes asks for {count} prototypes of class {label!r}, which has only "
                f"{available} distinct rows; ask for at most {available}."
            )
        counts.append(count)
    return np.array(counts)


def choose_count(data: LabelledRows, fit: Callable[[LabelledRows, int], Trained], rng) -> int:
    """The candidate with the smallest cross-validated error; ties go to fewer prototypes.

    Every class has at least one row in every training part.
    """
    fold = np.empty(len(data), dtype=int)
    for c in np.unique(data.y):
        members = rng.permutation(np.flatnonzero(data.y == c))
        fold[members] = np.arange(len(members)) % FOLDS
        # The only row of a class is always in the training part.
        if len(members) == 1:
            fold[members] = -1
    largest_class = np.bincount(data.y).max()
    candidates = [count for count in CANDIDATES if count == 1 or 2 * count <= largest_class]
    errors = np.zeros(len(candidates))
    for held_out in range(FOLDS):
        test_rows = np.flatnonzero(fold == held_out)
        if len(test_rows) == 0:
            continue
        train, test = data.take(np.flatnonzero(fold != held_out)), data.take(test_rows)
        for i, count in enumerate(candidates):
            errors[i] += fit(train, count).prototypes.error(test)
    return candidates[int(np.argmin(np.round(errors, 12)))]
