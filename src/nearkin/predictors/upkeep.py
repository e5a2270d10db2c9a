"""Maintenance of a fitted predictor: references added and removed, the learned distance checked for drift."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse, stats


@dataclass(frozen=True)
class DriftCheck:
    """Whether the learned distance still helps: accuracy on new labelled queries, learned and raw.

    Parameters
    ----------
    n_queries : int
    learned, raw : float
        Accuracy under the learned distance, and under plain Euclid among the same references.
    only_learned, only_raw : int
        Queries that are right under only one of the two.

    Examples
    --------
    >>> print(DriftCheck(200, 0.9, 0.8, 25, 5))
    learned 90.0 %, raw 80.0 % of 200 queries: the learned distance is worth it (p = 0.00032)
    """

    n_queries: int
    learned: float
    raw: float
    only_learned: int
    only_raw: int

    @classmethod
    def of(cls, learned: np.ndarray, raw: np.ndarray) -> DriftCheck:
        """From which queries each of the two got right."""
        return cls(
            len(learned),
            float(np.mean(learned)),
            float(np.mean(raw)),
            int(np.sum(learned & ~raw)),
            int(np.sum(raw & ~learned)),
        )

    @property
    def p_value(self) -> float:
        """Of the exact test of McNemar: probability of so uneven a result if both are equally good."""
        differing = self.only_learned + self.only_raw
        return float(stats.binomtest(self.only_learned, differing).pvalue) if differing else 1.0

    @property
    def verdict(self) -> str:
        """ "worth it", "no difference shown" or "harmful", at the 5 % level."""
        if self.p_value > 0.05:
            return "no difference shown"
        return "worth it" if self.only_learned > self.only_raw else "harmful"

    def __str__(self) -> str:
        told = {
            "worth it": "the learned distance is worth it",
            "no difference shown": "no difference shown",
            "harmful": "the learned distance is harmful, fit again",
        }[self.verdict]
        return (
            f"learned {100 * self.learned:.1f} %, raw {100 * self.raw:.1f} % of {self.n_queries} queries: "
            f"{told} (p = {self.p_value:.2g})"
        )


def stacked(first: Any, second: Any) -> Any:
    """Rows of both, in the type and precision of the first."""
    if sparse.issparse(first):
        return sparse.vstack([first, sparse.csr_array(second, dtype=first.dtype)]).tocsr()
    if sparse.issparse(second):
        second = second.toarray()
    return np.concatenate([first, second.astype(first.dtype, copy=False)])


def kept_rows(rows: Any, n: int) -> np.ndarray:
    """Mask of the n rows that stay when some are removed, given by number or mask; raises if none would."""
    given = np.asarray(rows)
    if given.dtype == bool:
        if given.shape != (n,):
            raise ValueError(f"a mask of rows must have one entry for each of the {n} references.")
        keep = ~given
    else:
        if given.size and not np.issubdtype(given.dtype, np.integer):
            raise ValueError(f"rows must be row numbers or a mask, but the dtype is {given.dtype}.")
        if given.size and not (given.min() >= 0 and given.max() < n):
            raise ValueError(f"rows names {given.min()} to {given.max()}; there are references 0 to {n - 1}.")
        keep = np.ones(n, dtype=bool)
        keep[given.astype(np.intp).ravel()] = False
    if not keep.any():
        raise ValueError("no reference would be left.")
    return keep
