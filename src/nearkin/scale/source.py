"""Where blocks come from: rows of a file or an array, with their labels, block by block."""

from __future__ import annotations

import tempfile
import warnings
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from nearkin.datasets.rows import Rows, open_rows
from nearkin.numerics.threads import blas_threads, worker_count
from nearkin.scale.allocation import hand_back
from nearkin.scale.shuffling import Spill
from nearkin.scale.statistics import Block
from nearkin.scale.sums import added_up

#: Blocks after which freed memory is returned to the system.
HAND_BACK_EVERY = 16

Progress = Callable[[int, int, str], object]


class Source(ABC):
    """Labelled rows in blocks, over which statistics are summed.

    Attributes
    ----------
    classes, sizes : ndarray of shape (n_classes,)
        The distinct labels, sorted, and their numbers of rows.
    n_features : int
    dtype : dtype
    names : list of str or None
        Names of the features.
    """

    classes: np.ndarray
    sizes: np.ndarray
    n_features: int
    dtype: np.dtype
    names: list[str] | None = None

    @property
    def n(self) -> int:
        return int(self.sizes.sum())

    @abstractmethod
    def total(self, statistic: Callable[[Block], Any], add: Callable[[Any, Any], Any], stage: str) -> Any:
        """The sum of a statistic over all blocks; both functions must be picklable."""

    @abstractmethod
    def total_by_class(self, statistic, add, n_buckets: int, stage: str) -> Any:
        """The same over blocks that each hold all rows of some classes, for which rows are shuffled."""


class LocalSource(Source):
    """Rows read by this process, block by block, and processed by as many threads as BLAS may use.

    Parameters
    ----------
    rows : Rows, array or path
    labels : array, or path of a .npy file
    rows_per_block : int or None
    progress : callable(rows done, rows in all, name of the pass) or None
    """

    def __init__(self, rows, labels, rows_per_block: int | None = None, progress: Progress | None = None):
        self.rows: Rows = open_rows(rows)
        if isinstance(labels, str) or hasattr(labels, "__fspath__"):
            labels = np.load(labels, mmap_mode="r", allow_pickle=False)
        self.labels = np.asanyarray(labels)
        if self.labels.shape != (len(self.rows),):
            raise ValueError(f"labels have shape {self.labels.shape}, but there are {len(self.rows)} rows.")
        self.rows_per_block = rows_per_block or self.rows.block_rows
        self.progress = progress
        self.n_features, self.dtype = self.rows.shape[1], self.rows.dtype
        starts = range(0, len(self.labels), self.rows_per_block)
        counted = (counted_labels(self.labels[start : start + self.rows_per_block]) for start in starts)
        self.classes, self.sizes = reduce(joined_counts, counted)

    def total(self, statistic, add, stage):
        with blas_threads():
            found = added_up(self._results(statistic, stage), add)
        hand_back()
        return found

    def _results(self, statistic, stage: str) -> Iterator[Any]:
        # Rows that do not fit into memory are always worth several threads.
        workers = worker_count(float("inf"))
        done = 0
        with ThreadPoolExecutor(workers) as pool:
            running: deque = deque()
            for X in self.rows.blocks(self.rows_per_block):
                running.append(pool.submit(self._result, statistic, X, done))
                done += len(X)
                if len(running) > workers:
                    yield running.popleft().result()
                if (done // self.rows_per_block) % HAND_BACK_EVERY == 0:
                    hand_back()
                if self.progress is not None:
                    self.progress(done, len(self.rows), stage)
            while running:
                yield running.popleft().result()

    def total_by_class(self, statistic, add, n_buckets, stage):
        with tempfile.TemporaryDirectory(prefix="nearkin-") as folder:
            spill = Spill(Path(folder), n_buckets, self.n_features, self.dtype)
            self.total(spill.put, lambda a, b: None, "shuffle")
            with blas_threads():
                return added_up((statistic(block) for block in spill.blocks()), add)

    def _result(self, statistic, X, start: int):
        return statistic(block_of(X, self.labels[start : start + len(X)], self.classes, start))


def counted_labels(labels) -> tuple[np.ndarray, np.ndarray]:
    """The labels of a block and how often each occurs; raises if they are not class labels."""
    labels = np.asarray(labels)
    with warnings.catch_warnings():
        # A block may legitimately hold few rows of many classes.
        warnings.filterwarnings("ignore", message="The number of unique classes", category=UserWarning)
        check_classification_targets(labels)
    return np.unique(labels, return_counts=True)


def joined_counts(a, b) -> tuple[np.ndarray, np.ndarray]:
    """The counts of two parts, added.

    >>> joined_counts((np.array(["a", "b"]), np.array([1, 2])), (np.array(["b"]), np.array([5])))
    (array(['a', 'b'], dtype='<U1'), array([1, 7]))
    """
    classes, places = np.unique(np.concatenate([a[0], b[0]]), return_inverse=True)
    sizes = np.zeros(len(classes), dtype=np.int64)
    np.add.at(sizes, places, np.concatenate([a[1], b[1]]))
    return classes, sizes


def block_of(X, labels, classes: np.ndarray, start: int) -> Block:
    """A block of these rows and labels."""
    labels = np.asarray(labels)
    if len(labels) != len(X):
        raise ValueError(f"a block has {len(X)} rows but {len(labels)} labels; cut both in the same way.")
    return Block(X, np.searchsorted(classes, labels), start)
