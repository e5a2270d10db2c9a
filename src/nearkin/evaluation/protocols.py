"""Evaluation protocols as data: which rows train and which rows test, decided by a seed alone."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from typing import ClassVar
from typing import Protocol as Interface

import numpy as np

from nearkin._types import ColumnLike
from nearkin.datasets.dataset import CLASSIFICATION


@dataclass(frozen=True)
class Split:
    """Rows of one fold.

    `validation` rows, where a protocol has them, choose the settings; `test` rows are scored.
    """

    repeat: int
    fold: int
    train: np.ndarray
    test: np.ndarray
    validation: np.ndarray | None = None


class Protocol(Interface):
    """What every protocol offers; instances are immutable data."""

    def splits(self, y: ColumnLike, seed: int) -> list[Split]: ...

    def describe(self) -> dict: ...

    def identity(self) -> dict: ...


class _Described:
    #: Settings that decide how many splits there are, but not which rows are in each.
    _counts: ClassVar[tuple[str, ...]] = ()

    def identity(self) -> dict:
        """What decides the rows of a split: part of the key of a task, so that repeats can be added."""
        return {name: value for name, value in self.describe().items() if name not in self._counts}

    def describe(self) -> dict:
        """Name and settings; `fingerprints.describe` makes plain values of them."""
        settings = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {"protocol": type(self).__name__, **settings}


def _labels(y) -> np.ndarray:
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(
            f"stratifying needs one label per row, got targets of shape {y.shape}; use Folds instead."
        )
    return np.unique(y, return_inverse=True)[1]


def _check_folds(n_folds: int, n_rows: int) -> int:
    if n_folds < 2:
        raise ValueError(f"n_folds={n_folds}: cross-validation needs at least 2 folds.")
    if n_rows < 2:
        raise ValueError(f"cannot cross-validate {n_rows} row(s).")
    if n_folds > n_rows:
        warnings.warn(f"only {n_rows} rows: using {n_rows} folds instead of {n_folds}.", stacklevel=4)
    return min(n_folds, n_rows)


def stratified_fold_numbers(y, n_folds: int, rng: np.random.Generator) -> np.ndarray:
    """Fold number of each row, every class dealt evenly; fold sizes differ by at most one.

    A class with fewer rows than folds is simply absent from some test folds; a class of one row
    cannot be both learned and tested, which `StratifiedFolds` warns about.
    """
    codes = _labels(y)
    # Shuffle, then group by class: dealing this order like cards spreads each class evenly.
    shuffled = rng.permutation(len(codes))
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]
    numbers = np.empty(len(codes), dtype=np.int64)
    numbers[dealt] = np.arange(len(codes)) % n_folds
    return numbers


def stratified_holdout(y, test_share: float, rng: np.random.Generator) -> np.ndarray:
    """Boolean mask of the test rows, the same share of every class; a class of one row is kept for training.

    Shares are rounded over the classes together, so that the total is right even where every
    class is small.
    """
    codes = _labels(y)
    shuffled = rng.permutation(len(codes))
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]
    quota = np.floor(np.arange(1, len(codes) + 1) * test_share + 0.5)
    mask = np.zeros(len(codes), dtype=bool)
    mask[dealt] = np.diff(quota, prepend=0.0) > 0
    singletons = np.bincount(codes)[codes] == 1
    return mask & ~singletons


def _complement_splits(repeat: int, numbers: np.ndarray, n_folds: int) -> list[Split]:
    return [
        Split(repeat, fold, np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold))
        for fold in range(n_folds)
    ]


def _warn_small_classes(y, n_folds: int) -> None:
    classes, counts = np.unique(np.asarray(y), return_counts=True)
    single = classes[counts == 1]
    small = int(np.sum(counts < n_folds))
    if small:
        alone = (
            f" {len(single)} of them have a single row, which can never be predicted." if len(single) else ""
        )
        warnings.warn(
            f"{small} class(es) have fewer rows than the {n_folds} folds and are missing from some." + alone,
            stacklevel=3,
        )


@dataclass(frozen=True)
class StratifiedFolds(_Described):
    """Repeated stratified k-fold cross-validation: such as 5 x 10-fold or 40 x 2-fold.

    Examples
    --------
    >>> splits = StratifiedFolds(n_folds=2, n_repeats=3).splits(list("aabb"), seed=0)
    >>> len(splits), splits[0].train.size, splits[0].test.size
    (6, 2, 2)
    """

    n_folds: int = 10
    n_repeats: int = 1
    _counts = ("n_repeats",)

    def splits(self, y: ColumnLike, seed: int) -> list[Split]:
        n_folds = _check_folds(self.n_folds, len(y))
        _warn_small_classes(y, n_folds)
        found = []
        for repeat in range(self.n_repeats):
            numbers = stratified_fold_numbers(y, n_folds, np.random.default_rng([seed, repeat]))
            found += _complement_splits(repeat, numbers, n_folds)
        return found


@dataclass(frozen=True)
class Folds(_Described):
    """Repeated k-fold cross-validation without strata, for regression.

    Examples
    --------
    >>> [split.test.size for split in Folds(n_folds=5).splits([0.5] * 11, seed=0)]
    [3, 2, 2, 2, 2]
    """

    n_folds: int = 5
    n_repeats: int = 1
    _counts = ("n_repeats",)

    def splits(self, y: ColumnLike, seed: int) -> list[Split]:
        n_folds = _check_folds(self.n_folds, len(y))
        found = []
        for repeat in range(self.n_repeats):
            order = np.random.default_rng([seed, repeat]).permutation(len(y))
            numbers = np.empty(len(y), dtype=np.int64)
            numbers[order] = np.arange(len(y)) % n_folds
            found += _complement_splits(repeat, numbers, n_folds)
        return found


def folds_for(task: str, n_folds: int, n_repeats: int = 1) -> StratifiedFolds | Folds:
    """Cross-validation as a task needs it: stratified for classification.

    >>> folds_for("regression", 5)
    Folds(n_folds=5, n_repeats=1)
    """
    return (StratifiedFolds if task == CLASSIFICATION else Folds)(n_folds, n_repeats)


@dataclass(frozen=True)
class RandomSplits(_Described):
    """Repeated random hold-out, by default 70/30; stratified for labels.

    `max_rows` subsamples the data first (same shares of every class): a quick look at big data.

    Examples
    --------
    >>> [split.test.size for split in RandomSplits(n_splits=2).splits(list("ab") * 5, seed=0)]
    [3, 3]
    """

    n_splits: int = 10
    test_share: float = 0.3
    stratified: bool = True
    max_rows: int | None = None
    _counts = ("n_splits",)

    def splits(self, y: ColumnLike, seed: int) -> list[Split]:
        if not 0 < self.test_share < 1:
            raise ValueError(f"test_share={self.test_share}: expected a share between 0 and 1.")
        if len(y) < 2:
            raise ValueError(f"cannot split {len(y)} row(s) into training and test rows.")
        strata = np.asarray(y) if self.stratified else np.zeros(len(y), dtype=int)
        return [
            self._split(strata, repeat, np.random.default_rng([seed, repeat]))
            for repeat in range(self.n_splits)
        ]

    def _split(self, strata: np.ndarray, repeat: int, rng: np.random.Generator) -> Split:
        rows = np.arange(len(strata))
        if self.max_rows is not None and len(rows) > self.max_rows:
            rows = rows[stratified_holdout(strata, self.max_rows / len(rows), rng)]
        test = stratified_holdout(strata[rows], self.test_share, rng)
        if not test.any():
            test[rng.integers(len(test))] = True
        return Split(repeat, 0, rows[~test], rows[test])


@dataclass(frozen=True)
class FiveByTwo(_Described):
    """A held-out third for testing, and 5 x 2-fold cross-validation on the rest to choose settings.

    Each of the ten models trains on one half of the rest, is validated on the other half, and is
    tested on the same held-out rows; the setting with the best mean validation score counts.
    """

    n_repeats: int = 5
    test_share: float = 1 / 3

    def splits(self, y: ColumnLike, seed: int) -> list[Split]:
        y = np.asarray(y)
        _warn_small_classes(y, 3)
        held_out = stratified_holdout(y, self.test_share, np.random.default_rng([seed, self.n_repeats]))
        rest, test = np.flatnonzero(~held_out), np.flatnonzero(held_out)
        found = []
        for repeat in range(self.n_repeats):
            numbers = stratified_fold_numbers(y[rest], 2, np.random.default_rng([seed, repeat]))
            for fold in range(2):
                found.append(Split(repeat, fold, rest[numbers != fold], test, rest[numbers == fold]))
        return found


@dataclass(frozen=True, eq=False)
class GivenSplit(_Described):
    """One training and one test part, as published with the data set."""

    train: np.ndarray
    test: np.ndarray

    def splits(self, y: ColumnLike, seed: int) -> list[Split]:
        train, test = np.asarray(self.train), np.asarray(self.test)
        if np.intersect1d(train, test).size:
            raise ValueError("some rows are both in the given training part and in the given test part.")
        if not (train.size and test.size) or max(train.max(), test.max()) >= len(y):
            raise ValueError(f"the given split does not fit data of {len(y)} rows.")
        return [Split(0, 0, train, test)]
