"""The statistics of the rows that closed forms need, as sums over blocks.

There are two passes. The first gives the size, sum and range of every class (`ClassSums`) and the rows that
may be targets (`Candidates`). The second uses the class means and the candidates to compute second moments:
`WithinMoments` of rows about their class means, `PairMoments` of rows and their nearest candidates.

Sums are in float64; searches run in the rows' own dtype. All functions are pure, so any process may run them,
and the same block gives the same bits everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from nearkin.numerics.row_hash import lowest_per_class, row_hash

#: Rows of a block multiplied at a time: their float64 copies stay in the cache.
ROWS_AT_ONCE = 2_048
#: Candidates multiplied at a time, once per fit: their float64 copies have a bounded size.
CANDIDATES_AT_ONCE = 2**18


@dataclass(frozen=True)
class Block:
    """Successive rows of the whole, or all rows of some classes.

    Attributes
    ----------
    X : ndarray of shape (b, d)
    codes : int array of shape (b,)
        Class of each row.
    start : int
        Number of the first row.
    picked : int array of shape (b,), optional
        Offsets of the rows from `start`, rising, if they are not successive.
    """

    X: np.ndarray
    codes: np.ndarray
    start: int
    picked: np.ndarray | None = None

    @property
    def numbers(self) -> np.ndarray:
        return self.start + (np.arange(len(self.codes)) if self.picked is None else self.picked)

    def buffer(self, copies: int = 1) -> np.ndarray:
        """A reusable float64 buffer for one of the parts; allocating one for each would fragment memory."""
        return np.empty((copies, min(ROWS_AT_ONCE, len(self.codes)), self.X.shape[1]))

    def parts(self):
        """The block in parts that fit into the cache."""
        for first in range(0, len(self.codes), ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            yield self.X[part], self.codes[part]


def not_finite(X: np.ndarray, start: int) -> ValueError:
    """The error that names the first bad row of a block that begins at row `start`."""
    bad = np.flatnonzero(~np.isfinite(X).all(axis=1))
    where = f"row {start + bad[0]}" if len(bad) else f"the rows from {start} on"
    return ValueError(f"{where} (counted from 0) holds NaN, infinity or a value too large; clean the rows.")


@dataclass(frozen=True)
class ClassSums:
    """Size and sum of every class, and the range of every feature."""

    sizes: np.ndarray
    sums: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray

    @classmethod
    def of(cls, block: Block, n_classes: int) -> ClassSums:
        """Sums of a block; raises if it holds NaN or infinities."""
        sums, buffer = np.zeros((n_classes, block.X.shape[1])), block.buffer()[0]
        for X, codes in block.parts():
            n = len(codes)
            members = sparse.csr_array((np.ones(n), codes, np.arange(n + 1)), shape=(n, n_classes))
            buffer[:n] = X
            sums += members.T @ buffer[:n]
        if not np.isfinite(sums).all():
            raise not_finite(block.X, block.start)
        sizes = np.bincount(block.codes, minlength=n_classes)
        return cls(sizes, sums, block.X.min(axis=0), block.X.max(axis=0))

    def __add__(self, other: ClassSums) -> ClassSums:
        return ClassSums(
            self.sizes + other.sizes,
            self.sums + other.sums,
            np.minimum(self.lowest, other.lowest),
            np.maximum(self.highest, other.highest),
        )

    @property
    def n(self) -> int:
        return int(self.sizes.sum())

    @property
    def mean(self) -> np.ndarray:
        return self.sums.sum(axis=0) / self.n

    @property
    def means(self) -> np.ndarray:
        """Mean of every class; zero for a class without rows."""
        return self.sums / np.maximum(self.sizes, 1)[:, None]

    def between(self, weights: np.ndarray, mean: np.ndarray | None = None) -> np.ndarray:
        """Sum over classes of weight * m m', m being the class mean minus the mean of all rows, or `mean`."""
        M = self.means - (self.mean if mean is None else mean)
        return (M * weights[:, None]).T @ M


@dataclass(frozen=True)
class Candidates:
    """Rows that may be targets: those with the lowest hashes of every class, in the order of the rows."""

    rows: np.ndarray
    codes: np.ndarray
    numbers: np.ndarray

    @classmethod
    def of(cls, block: Block, most: int | np.ndarray | None, bounds: np.ndarray | None = None) -> Candidates:
        """Candidates of a block: at most `most` of each class (None for all), with hashes up to its bound."""
        offered, numbers = np.arange(len(block.codes)), block.numbers
        if bounds is not None:
            offered = offered[row_hash(numbers) <= bounds[block.codes]]
        return cls(block.X[offered], block.codes[offered], numbers[offered])._cut(most)

    def joined(self, other: Candidates, most: int | np.ndarray | None) -> Candidates:
        """The candidates of both parts; the result does not depend on the division into blocks."""
        codes = np.concatenate([self.codes, other.codes])
        numbers = np.concatenate([self.numbers, other.numbers])
        kept = _kept(codes, numbers, most)
        return Candidates(_taken(self.rows, other.rows, kept), codes[kept], numbers[kept])

    @property
    def fields(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.rows, self.codes, self.numbers

    def _cut(self, most: int | np.ndarray | None) -> Candidates:
        kept = _kept(self.codes, self.numbers, most)
        return Candidates(*(np.ascontiguousarray(field[kept]) for field in self.fields))


def _kept(codes: np.ndarray, numbers: np.ndarray, most: int | np.ndarray | None) -> np.ndarray:
    """Places of the lowest hashes of each class, in the order of the row numbers."""
    if isinstance(most, int) and most == 0:
        return np.empty(0, dtype=np.intp)
    if most is None:
        return np.argsort(numbers, kind="stable")
    lowest = lowest_per_class(codes, row_hash(numbers), most)
    return lowest[np.argsort(numbers[lowest], kind="stable")]


def _taken(first: np.ndarray, second: np.ndarray, kept: np.ndarray, at_once: int = 1024) -> np.ndarray:
    """The rows `kept` of two stacked arrays, without stacking them."""
    taken = np.empty((len(kept), first.shape[1]), dtype=np.result_type(first, second))
    in_first = kept < len(first)
    for rows, offset, places in (
        (first, 0, np.flatnonzero(in_first)),
        (second, len(first), np.flatnonzero(~in_first)),
    ):
        for start in range(0, len(places), at_once):
            part = places[start : start + at_once]
            taken[part] = rows[kept[part] - offset]
    return taken


@dataclass(frozen=True)
class WithinMoments:
    """Moments of the deviations d of rows from their class means: sums of w d d' and |d|^4, number of rows.

    Weights w are per class; classes of weight zero are left out.
    """

    scatter: np.ndarray
    fourth: float
    n: int

    @classmethod
    def of(cls, block: Block, means: np.ndarray, weights: np.ndarray) -> WithinMoments:
        d = block.X.shape[1]
        scatter, fourth, n = np.zeros((d, d)), 0.0, 0
        roots, buffer = np.sqrt(weights), block.buffer()[0]
        for X, codes in block.parts():
            D = buffer[: len(codes)]
            np.take(means, codes, axis=0, out=D, mode="clip")
            np.subtract(X, D, out=D)
            D *= roots[codes][:, None]
            scatter += D.T @ D
            fourth += float(np.sum(np.einsum("ij,ij->i", D, D) ** 2))
            n += int(np.count_nonzero(weights[codes]))
        return cls(scatter, fourth, n)

    def __add__(self, other: WithinMoments) -> WithinMoments:
        return WithinMoments(self.scatter + other.scatter, self.fourth + other.fourth, self.n + other.n)


def added_each(a: tuple, b: tuple) -> tuple:
    """Sums of what two blocks gave, one by one."""
    return tuple(one + other for one, other in zip(a, b, strict=True))


@dataclass(frozen=True)
class PairMoments:
    """Second moments of pairs of a row x and a candidate z, both centred at the mean of all rows.

    Attributes
    ----------
    counts : ndarray of shape (m,)
        Number of pairs of each candidate, from which ``sum z z'`` follows.
    own : ndarray of shape (d, d)
        Sum of x x' over the pairs.
    cross : ndarray of shape (d, d)
        Sum of x z' over the pairs.
    """

    counts: np.ndarray
    own: np.ndarray
    cross: np.ndarray

    @classmethod
    def of(cls, block: Block, candidates: Candidates, targets: np.ndarray, mean: np.ndarray) -> PairMoments:
        """Moments of a block whose rows have these targets (numbers of candidates, -1 for none)."""
        d = block.X.shape[1]
        own, cross = np.zeros((d, d)), np.zeros((d, d))
        buffers = block.buffer(3)
        for first in range(0, len(targets), ROWS_AT_ONCE):
            near = targets[first : first + ROWS_AT_ONCE]
            X, Z, of_place = buffers[:, : len(near)]
            np.subtract(block.X[first : first + ROWS_AT_ONCE], mean, out=X)
            Z[:] = 0
            for place in near.T:
                found = place >= 0
                theirs = of_place[: np.count_nonzero(found)]
                Z[found] += np.subtract(candidates.rows[place[found]], mean, out=theirs)
            cross += X.T @ Z
            X *= np.sqrt(np.count_nonzero(near >= 0, axis=1))[:, None]
            own += X.T @ X
        counts = np.bincount(targets[targets >= 0], minlength=len(candidates.numbers))
        return cls(counts, own, cross)

    def __add__(self, other: PairMoments) -> PairMoments:
        return PairMoments(self.counts + other.counts, self.own + other.own, self.cross + other.cross)

    @property
    def n_pairs(self) -> int:
        return int(self.counts.sum())

    def theirs(self, candidates: Candidates, mean: np.ndarray) -> np.ndarray:
        """Sum of z z' over the pairs."""
        total: Any = 0.0
        for first in range(0, len(self.counts), CANDIDATES_AT_ONCE):
            part = slice(first, first + CANDIDATES_AT_ONCE)
            Z = candidates.rows[part] - mean
            Z *= np.sqrt(self.counts[part])[:, None]
            total = Z.T @ Z + total
        return total

    def scatter(self, candidates: Candidates, mean: np.ndarray) -> np.ndarray:
        """Mean of (x - z)(x - z)' over the pairs."""
        total = self.own + self.theirs(candidates, mean) - self.cross - self.cross.T
        return (total + total.T) / (2 * self.n_pairs)
