"""A squared Euclidean distance in an index that ranks by inner product or cosine.

For one query q, ``|q - m|^2 = |q|^2 - 2 (q . m - |m|^2 / 2)``: the nearest m has the largest
``(q, 1) . (m, -|m|^2 / 2)``. Another coordinate gives all stored vectors the same length R, so that the
largest inner product is the largest cosine too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from nearkin.numerics.products import squared_norms

if TYPE_CHECKING:
    from nearkin.distances.embedded import EmbeddedDistance

METRICS = ("l2", "ip", "cosine")
#: Factor of R^2 that leaves room for longer references to be added later.
ROOM = 1.25


class TooLongError(ValueError):
    """A reference is too long for the radius of an index by cosine; `row` is its number."""

    def __init__(self, row: int):
        super().__init__(
            f"row {row} is longer than the room left for new references; fold again with all references "
            "and store all of them again."
        )
        self.row = row


@dataclass(frozen=True)
class Folding:
    """Vectors to store in and search an index of another metric; made by `EmbeddedDistance.folded`.

    Parameters
    ----------
    distance : EmbeddedDistance
    metric : {"l2", "ip", "cosine"}
    squared_radius : float
        R^2, "cosine" only.

    Notes
    -----
    An embedded reference m becomes m for "l2", (m, -|m|^2/2) for "ip" and
    (m, -|m|^2/2, sqrt(R^2 - |m|^2 - |m|^4/4)) for "cosine"; an embedded query q becomes q, (q, 1) and
    (q, 1, 0). The order of the neighbours is that of the distance, up to rounding: float32 loses more
    digits the longer the vectors are compared with their differences.

    References
    ----------
    Y. Bachrach et al. (2014). Speeding up the Xbox recommender system using a Euclidean transformation for
    inner-product spaces. RecSys.

    Examples
    --------
    >>> from nearkin.distances import EmbeddedDistance
    >>> folding = EmbeddedDistance().folded("ip")
    >>> folding.embed_references([[3.0, 4.0]]), folding.embed_queries([[1.0, 2.0]])
    (array([[  3. ,   4. , -12.5]]), array([[1., 2., 1.]]))
    """

    distance: EmbeddedDistance
    metric: str = "l2"
    squared_radius: float = 0.0

    @classmethod
    def of(cls, distance: EmbeddedDistance, metric: str, references=None) -> Folding:
        """The folding for these references."""
        if metric not in METRICS:
            raise ValueError(f"metric={metric!r}: expected one of {', '.join(METRICS)}.")
        if metric != "cosine":
            return cls(distance, metric)
        if references is None:
            raise ValueError(
                "metric='cosine' gives all stored vectors the length of the longest: pass the references."
            )
        return cls(distance, metric, ROOM * longest_lifted(distance.embed_references(references)) or 1.0)

    @property
    def n_more(self) -> int:
        """Number of extra coordinates."""
        return METRICS.index(self.metric)

    def embed_references(self, X) -> np.ndarray:
        """Vectors to store."""
        Z = self.distance.embed_references(X)
        if self.metric == "l2":
            return Z
        norms = squared_norms(Z).astype(np.float64)
        more = [-norms / 2]
        if self.metric == "cosine":
            rest = self.squared_radius - norms - norms**2 / 4
            if (rest < 0).any():
                raise TooLongError(int(np.flatnonzero(rest < 0)[0]))
            more.append(np.sqrt(rest))
        return _beside(Z, np.stack(more, axis=1))

    def embed_queries(self, X) -> np.ndarray:
        """Vectors to search with."""
        Z = self.distance.embed_queries(X)
        if self.metric == "l2":
            return Z
        return _beside(Z, np.tile([1.0, 0.0][: self.n_more], (Z.shape[0], 1)))

    def query_map(self, n_features: int) -> tuple[np.ndarray, np.ndarray]:
        """Matrix and constant of the affine map from raw queries with `n_features` columns to search vectors.

        Raises
        ------
        TypeError
            If queries are not embedded by an affine map.
        """
        embedding = self.distance.queries
        if not hasattr(embedding, "affine"):
            raise TypeError(
                f"queries are embedded by {type(embedding).__name__}, which is not an affine map of the "
                "rows; embed them before the search, with embed_queries."
            )
        matrix, constant = embedding.affine(n_features)
        more = np.array([1.0, 0.0][: self.n_more])
        return np.vstack([matrix, np.zeros((self.n_more, n_features))]), np.concatenate([constant, more])


def longest_lifted(moved) -> float:
    """The largest |m|^2 + |m|^4/4 of embedded references: the smallest R^2 that all of them fit."""
    norms = squared_norms(moved).astype(np.float64)
    return float((norms + norms**2 / 4).max(initial=0.0))


def _beside(Z, columns: np.ndarray):
    columns = columns.astype(Z.dtype)
    return sparse.hstack([Z, columns]).tocsr() if sparse.issparse(Z) else np.hstack([Z, columns])
