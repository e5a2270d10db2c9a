"""Rows shuffled by class, so that each bucket holds all rows of its classes; for very many small classes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from nearkin.numerics.row_hash import row_hash
from nearkin.scale.statistics import Block

MOST_BUCKETS = 1_000


def bucket_count(rows_bytes: int, bucket_bytes: int) -> int:
    """Number of buckets, which does not depend on blocks and workers, so that the result does not either.

    >>> bucket_count(10_000, 3_000)
    4
    """
    return int(min(MOST_BUCKETS, max(1, -(-rows_bytes // max(1, bucket_bytes)))))


def buckets_of(block: Block, n_buckets: int) -> list[Block]:
    """The rows of a block by the bucket of their class."""
    bucket = (row_hash(block.codes) % np.uint64(n_buckets)).astype(np.intp)
    found = []
    for number in range(n_buckets):
        rows = np.flatnonzero(bucket == number)
        found.append(Block(block.X[rows], block.codes[rows], 0, block.numbers[rows]))
    return found


def joined(parts: list[Block]) -> Block:
    """Parts of a bucket as one block, in the order of the row numbers."""
    numbers = np.concatenate([part.numbers for part in parts])
    order = np.argsort(numbers, kind="stable")
    X = np.concatenate([part.X for part in parts])[order]
    return Block(X, np.concatenate([part.codes for part in parts])[order], 0, numbers[order])


class Spill:
    """Buckets in files of a folder.

    Parameters
    ----------
    folder : Path
    n_buckets, n_features : int
    dtype : dtype

    Notes
    -----
    Takes as much disk space as the rows, and memory for one bucket.
    """

    def __init__(self, folder: Path, n_buckets: int, n_features: int, dtype):
        self.folder, self.n_buckets, self.n_features, self.dtype = folder, n_buckets, n_features, dtype
        self._lock = threading.Lock()

    def put(self, block: Block) -> None:
        """Append the rows of a block to the files of their buckets."""
        parts = buckets_of(block, self.n_buckets)
        with self._lock:
            for number, part in enumerate(parts):
                for name, values in (("rows", part.X), ("codes", part.codes), ("numbers", part.numbers)):
                    with open(self.folder / f"{number}.{name}", "ab") as file:
                        file.write(np.ascontiguousarray(values).data)

    def blocks(self) -> Iterator[Block]:
        """The buckets, one after the other."""
        for number in range(self.n_buckets):
            codes, numbers = (
                np.fromfile(self.folder / f"{number}.{name}", dtype=np.intp) for name in ("codes", "numbers")
            )
            X = np.fromfile(self.folder / f"{number}.rows", dtype=self.dtype).reshape(-1, self.n_features)
            if len(codes):
                yield joined([Block(X, codes, 0, numbers)])
