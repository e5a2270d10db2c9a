"""Distances by name, measured by scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import pairwise_distances

from nearkin._types import MatrixLike
from nearkin.distances.base import Distance

#: Names that mean plain Euclid.
EUCLIDEAN = ("euclidean", "l2")
#: Names of other distances; the first four accept CSR rows.
NAMES = (
    *("manhattan", "cityblock", "l1", "cosine"),
    *("minkowski", "chebyshev", "canberra", "braycurtis", "correlation", "hamming"),
)


@dataclass(frozen=True)
class NamedDistance(Distance):
    """One of scikit-learn's named distances; squared, like all distances here.

    Attributes
    ----------
    metric : str
        One of `NAMES`.
    p : float
        The power of "minkowski", which the others ignore.
    n_jobs : int or None
        Threads or processes, as `sklearn.metrics.pairwise_distances` uses them.

    Notes
    -----
    m queries cost m n d operations, without matrix products except for "cosine", so they are slower than
    Euclid.

    Examples
    --------
    >>> import numpy as np
    >>> NamedDistance("manhattan").pairwise(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[49.]])
    """

    metric: str
    p: float = 2.0
    n_jobs: int | None = None

    def bind(self, references: MatrixLike) -> Callable[[np.ndarray], np.ndarray]:
        options = {"p": self.p} if self.metric == "minkowski" else {}

        def to_references(queries) -> np.ndarray:
            found = pairwise_distances(queries, references, metric=self.metric, n_jobs=self.n_jobs, **options)
            # Rounding may make the cosine of a row with itself slightly larger than one.
            return np.square(np.maximum(found, 0), dtype=np.result_type(queries.dtype, np.float32))

        return to_references


def named_distance(metric: str, p: float, n_jobs: int | None) -> NamedDistance | None:
    """The distance of that name, or None for Euclid, which is computed faster elsewhere; raises if unknown.

    >>> named_distance("minkowski", 1, None)
    NamedDistance(metric='minkowski', p=1, n_jobs=None)
    >>> named_distance("minkowski", 2, None) is None
    True
    """
    if metric == "minkowski" and not (isinstance(p, (int, float, np.number)) and p >= 1):
        raise ValueError(f"p={p!r}: expected a number of at least 1 (below, it is no metric).")
    if metric in EUCLIDEAN or (metric == "minkowski" and p == 2):
        return None
    if not (isinstance(metric, str) and metric in NAMES):
        names = ", ".join(repr(name) for name in (*EUCLIDEAN, *NAMES))
        raise ValueError(f"metric={metric!r}: expected one of {names}.")
    return NamedDistance(metric, p, n_jobs)
