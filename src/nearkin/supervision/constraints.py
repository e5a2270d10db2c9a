"""What may be known about rows instead of labels: which belong together, and which distance is smaller.

Constraints refer to rows by number, so that each takes the memory of a few integers, and scalers and encoders
in front of a learner need not know about them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Pairs:
    """Pairs of rows that are known to be similar or dissimilar.

    Parameters
    ----------
    left, right : int array of shape (T,)
        Row numbers.
    similar : bool array of shape (T,)
    weight : float array of shape (T,)
        All positive, of mean one.

    Examples
    --------
    >>> pairs = Pairs.checked([[0, 1], [1, 2]], [True, False], n_samples=3)
    >>> len(pairs), pairs.split()[0].left, pairs.split()[1].right
    (2, array([0]), array([2]))
    """

    left: np.ndarray
    right: np.ndarray
    similar: np.ndarray
    weight: np.ndarray

    def __len__(self) -> int:
        return len(self.left)

    @classmethod
    def checked(cls, pairs, similar=None, *, n_samples: int, weight=None) -> Pairs:
        """Pairs as a user gives them; raises with the problem and the fix.

        Parameters
        ----------
        pairs : array-like of int of shape (T, 2)
            Row numbers.
        similar : array-like of shape (T,), optional
            Booleans, 0/1 or -1/+1; all similar if missing.
        n_samples : int
        weight : array-like of shape (T,), optional
            Positive weights; those of weight zero are left out.
        """
        rows = row_numbers("pairs", pairs, 2, n_samples)
        flags = np.ones(len(rows), dtype=bool) if similar is None else _flags(similar, len(rows))
        weights = constraint_weights(weight, len(rows))
        kept = weights > 0
        return cls(rows[kept, 0], rows[kept, 1], flags[kept], _of_mean_one(weights[kept]))

    def take(self, chosen) -> Pairs:
        """Some of the pairs, by number or mask."""
        return Pairs(self.left[chosen], self.right[chosen], self.similar[chosen], self.weight[chosen])

    def among(self, rows: np.ndarray) -> Pairs:
        """The pairs both of whose rows are in a mask of all rows."""
        return self.take(rows[self.left] & rows[self.right])

    def split(self) -> tuple[Pairs, Pairs]:
        """The similar pairs and the dissimilar ones."""
        return self.take(self.similar), self.take(~self.similar)


@dataclass(frozen=True)
class TripletList:
    """Triplets of rows: the anchor is known to lie nearer to `near` than to `far`.

    >>> len(TripletList.checked([[0, 1, 2]], n_samples=3))
    1
    """

    anchor: np.ndarray
    near: np.ndarray
    far: np.ndarray
    weight: np.ndarray

    def __len__(self) -> int:
        return len(self.anchor)

    @classmethod
    def checked(cls, triplets, *, n_samples: int, weight=None) -> TripletList:
        """Triplets (anchor, near, far) of row numbers as a user gives them."""
        return cls(*_weighted_rows("triplets", triplets, 3, n_samples, weight))

    def as_quadruplets(self) -> Quadruplets:
        """The same as comparisons of two distances from one anchor."""
        return Quadruplets(self.anchor, self.near, self.anchor, self.far, self.weight)


@dataclass(frozen=True)
class Quadruplets:
    """Comparisons of two pairs of rows: the near pair is known to lie closer together than the far pair.

    >>> len(Quadruplets.checked([[0, 1, 0, 2]], n_samples=3))
    1
    """

    near_left: np.ndarray
    near_right: np.ndarray
    far_left: np.ndarray
    far_right: np.ndarray
    weight: np.ndarray

    def __len__(self) -> int:
        return len(self.near_left)

    @classmethod
    def checked(cls, quadruplets, *, n_samples: int, weight=None) -> Quadruplets:
        """Quadruplets (a, b, c, d) of row numbers as a user gives them: d(a, b) < d(c, d)."""
        return cls(*_weighted_rows("quadruplets", quadruplets, 4, n_samples, weight))


def row_numbers(name: str, rows, width: int, n_samples: int) -> np.ndarray:
    """A (T, width) array of row numbers, checked.

    >>> row_numbers("pairs", [[0, 7]], 2, 5)
    Traceback (most recent call last):
    ...
    ValueError: pairs[0] names row 7, but X has rows 0 to 4 only; in cross-validation use PairClassifier, ...
    """
    numbers = np.asarray(rows)
    if numbers.ndim != 2 or numbers.shape[1] != width:
        raise ValueError(
            f"{name} has shape {numbers.shape}; expected (n_constraints, {width}) row numbers of X."
        )
    if len(numbers) == 0:
        raise ValueError(f"{name} is empty; give at least one, or labels.")
    whole = numbers
    if not np.issubdtype(numbers.dtype, np.integer):
        with np.errstate(invalid="ignore"):
            try:
                whole = numbers.astype(np.float64).astype(np.intp)
            except (TypeError, ValueError):
                raise ValueError(f"{name} must hold row numbers, but its dtype is {numbers.dtype}.") from None
        if not np.array_equal(whole, numbers):
            raise ValueError(f"{name} must hold whole row numbers of X, not points or fractions.")
    outside = (whole < 0) | (whole >= n_samples)
    if outside.any():
        place = tuple(np.argwhere(outside)[0])
        raise ValueError(
            f"{name}[{place[0]}] names row {whole[place]}, but X has rows 0 to {n_samples - 1} only; "
            "in cross-validation use PairClassifier, whose samples are the pairs themselves."
        )
    return whole.astype(np.intp, copy=False)


def constraint_weights(weight, n: int, name: str = "constraint_weight") -> np.ndarray:
    """Weights of constraints: finite, not negative, not all zero; ones by default."""
    if weight is None:
        return np.ones(n)
    weights = np.asarray(weight, dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"{name} has shape {weights.shape}; expected ({n},).")
    if not np.isfinite(weights).all() or (weights < 0).any() or not (weights > 0).any():
        raise ValueError(f"{name} must be finite and not negative, and some of it positive.")
    return weights


def _weighted_rows(name: str, constraints, width: int, n_samples: int, weight) -> list[np.ndarray]:
    """The columns of row numbers and the weights of those constraints whose weight is not zero."""
    rows = row_numbers(name, constraints, width, n_samples)
    weights = constraint_weights(weight, len(rows))
    kept = weights > 0
    return [*rows[kept].T, _of_mean_one(weights[kept])]


def _of_mean_one(weights: np.ndarray) -> np.ndarray:
    return weights / weights.mean()


def _flags(similar, n: int) -> np.ndarray:
    flags = np.asarray(similar)
    if flags.shape != (n,):
        raise ValueError(f"similar has shape {flags.shape}; expected one flag per pair, ({n},).")
    values = set(np.unique(flags).tolist())
    if not (values <= {0, 1} or values <= {-1, 1}):
        raise ValueError(
            f"similar holds {sorted(values)[:5]}; expected booleans, 0 and 1, or -1 and +1 throughout."
        )
    return flags > 0
