"""Hubness corrections of any distance, so that hubs are no longer neighbours of nearly every query.

For a fixed query the query's own statistic is a constant, so a ranking needs one number for every
*reference*: how near the training rows are to it. The training rows count as queries and the reference as a
reference, which matters if the two sides are embedded differently.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse, special

from nearkin._types import MatrixLike
from nearkin.distances.base import Distance
from nearkin.distances.embedded import EmbeddedDistance
from nearkin.distances.embeddings import AppendedCoordinate
from nearkin.numerics.blocks import blocks
from nearkin.numerics.products import dense
from nearkin.numerics.selection import smallest_per_row

ADDITIVE = ("csls", "dissim-local")
SCALED = ("local-scaling", "nicdm")
CORRECTIONS = (*ADDITIVE, *SCALED, "mutual-proximity")


@dataclass(frozen=True)
class HubCorrection:
    """A kind of correction, and how many nearest rows it uses.

    Parameters
    ----------
    kind : {"csls", "dissim-local", "local-scaling", "nicdm", "mutual-proximity"}
        With D the squared distance and N(r) the training rows nearest to reference r, rank by

        - "csls": D - mean of N(r) / 2 (cross-domain similarity local scaling)
        - "dissim-local": D - squared distance of r to the centroid of N(r)
        - "local-scaling": D / distance of r to the farthest of N(r)
        - "nicdm": D / mean distance of r to N(r)
        - "mutual-proximity": the probability that another row is nearer to the query or to r, both Gaussian
    n_neighbors : int, default=10
        Size of N(r); mutual proximity uses all rows.

    Notes
    -----
    One pass over all n^2 distances of the training rows, block by block. After the first two, an embedded
    distance is still Euclid, with one more coordinate, so that every index can hold it.

    References
    ----------
    G. Lample, A. Conneau, M. Ranzato, L. Denoyer, H. Jegou (2018). Word translation without parallel
    data. ICLR.
    K. Hara, I. Suzuki, K. Kobayashi, K. Fukumizu, M. Radovanovic (2016). Flattening the density gradient
    for eliminating spatial centrality to reduce hubness. AAAI.
    L. Zelnik-Manor, P. Perona (2004). Self-tuning spectral clustering. NIPS 17.
    D. Schnitzer, A. Flexer, M. Schedl, G. Widmer (2012). Local and global scaling reduce hubs in space.
    JMLR 13.

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0], [1.2], [5.0]])
    >>> corrected = HubCorrection("local-scaling", n_neighbors=1).around(EmbeddedDistance(), rows)
    >>> corrected.pairwise(np.array([[3.0]]), rows).round(2)  # the lonely row is the nearest one now
    array([[ 9.  , 20.  , 16.2 ,  1.05]])
    """

    kind: str
    n_neighbors: int = 10

    def around(self, distance: Distance, rows) -> Distance:
        """The distance corrected for hubs among these rows, the training rows.

        The statistic of a reference that is not among them is computed from its distances to them.
        """
        if self.kind not in CORRECTIONS:
            raise ValueError(f"hub correction {self.kind!r}: expected one of {', '.join(CORRECTIONS)}.")
        if self.n_neighbors < 1:
            raise ValueError(f"n_neighbors={self.n_neighbors!r}: expected at least 1.")
        if rows.shape[0] < 2:
            raise ValueError("a correction for hubs needs at least two references.")
        if self.kind == "dissim-local" and not isinstance(distance, EmbeddedDistance):
            raise TypeError(
                f"dissim-local needs centroids, and {type(distance).__name__} has no embedding; take csls."
            )
        k = min(self.n_neighbors, rows.shape[0] - 1)
        known = _statistic(self.kind, distance, rows, rows, np.arange(rows.shape[0]), k)
        statistic = ReferenceStatistic(self.kind, distance, rows, k, known)
        if self.kind == "mutual-proximity":
            return MutualProximity(distance, statistic)
        if self.kind in SCALED:
            return ScaledDistance(distance, statistic)
        if not isinstance(distance, EmbeddedDistance):
            return ShiftedDistance(distance, statistic)
        return EmbeddedDistance(
            AppendedCoordinate(distance.queries), AppendedCoordinate(distance.references, statistic)
        )


@dataclass(frozen=True)
class ReferenceStatistic:
    """One number (two for mutual proximity) for each reference; those of the training rows are stored."""

    kind: str
    distance: Distance
    rows: np.ndarray
    n_neighbors: int
    known: np.ndarray

    def __call__(self, references) -> np.ndarray:
        places = np.array([self._places.get(key, -1) for key in _row_keys(references)], dtype=np.intp)
        found = self.known[places]
        new = np.flatnonzero(places < 0)
        if len(new):
            nowhere = np.full(len(new), -1)
            found[new] = _statistic(
                self.kind, self.distance, references[new], self.rows, nowhere, self.n_neighbors
            )
        return found

    @property
    def largest(self) -> float:
        return float(self.known.max())

    @cached_property
    def _places(self) -> dict[bytes, int]:
        # The first of several equal rows represents them all.
        keys = list(_row_keys(self.rows))
        return dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))

    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if key != "_places"}


@dataclass(frozen=True)
class ShiftedDistance(Distance):
    """D - b(r) + largest b, for distances without an embedding."""

    inner: Distance
    statistic: ReferenceStatistic

    def bind(self, references: MatrixLike) -> Callable[[np.ndarray], np.ndarray]:
        to_references = self.inner.bind(references)
        shift = np.maximum(self.statistic.largest - self.statistic(references), 0)
        return lambda queries: to_references(queries) + shift


@dataclass(frozen=True)
class ScaledDistance(Distance):
    """D / s(r): distances relative to the scale of each reference's neighbourhood."""

    inner: Distance
    statistic: ReferenceStatistic

    def bind(self, references: MatrixLike) -> Callable[[np.ndarray], np.ndarray]:
        to_references = self.inner.bind(references)
        scales = self.statistic(references)
        positive = self.statistic.known[self.statistic.known > 0]
        # A reference among copies of itself would be scaled by zero.
        scales = np.maximum(scales, 1e-6 * np.median(positive) if len(positive) else 1.0)
        return lambda queries: to_references(queries) / scales


@dataclass(frozen=True)
class MutualProximity(Distance):
    """1 - P(farther from the query) P(farther from the reference), both modelled as Gaussian."""

    inner: Distance
    statistic: ReferenceStatistic

    def bind(self, references: MatrixLike) -> Callable[[np.ndarray], np.ndarray]:
        to_references = self.inner.bind(references)
        means, deviations = self.statistic(references).T

        def to_all(queries) -> np.ndarray:
            D = np.sqrt(to_references(queries))
            of_query = _upper_tail(D, D.mean(axis=1)[:, None], D.std(axis=1)[:, None])
            return 1 - of_query * _upper_tail(D, means, deviations)

        return to_all


def _upper_tail(D: np.ndarray, means, deviations) -> np.ndarray:
    return special.ndtr(-(D - means) / np.maximum(deviations, np.finfo(D.dtype).tiny))


def _row_keys(X):
    """Each row as bytes, equal for equal rows."""
    if sparse.issparse(X):
        X = X.tocsr()
        X.sort_indices()
        for first, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            yield X.indices[first:stop].tobytes() + X.data[first:stop].tobytes()
    else:
        for row in np.ascontiguousarray(X):
            yield row.tobytes()


def _statistic(kind: str, distance, references, rows, own: np.ndarray, k: int) -> np.ndarray:
    """The statistic of each reference; `own` is the number of the row that it is itself, or -1."""
    if kind == "mutual-proximity":
        return _moments(distance, references, rows, own)
    nearest, found = _nearest_rows(distance, references, rows, own, k)
    if kind == "csls":
        return nearest.mean(axis=1) / 2
    if kind == "dissim-local":
        shape = references.shape[0], rows.shape[0]
        starts = np.arange(0, found.size + 1, k)
        share = sparse.csr_array((np.full(found.size, 1 / k), found.ravel(), starts), shape=shape)
        centroids = dense(share @ distance.embed_queries(rows))
        apart = dense(distance.embed_references(references)) - centroids
        return np.einsum("ij,ij->i", apart, apart)
    return np.sqrt(nearest[:, -1]) if kind == "local-scaling" else np.sqrt(nearest).mean(axis=1)


def _distance_blocks(distance, references, rows, own):
    """Squared distances of successive rows to all references, and the places of rows with themselves."""
    to_references = distance.bind(references)
    for part in blocks(rows.shape[0], references.shape[0]):
        columns = np.flatnonzero((own >= part.start) & (own < part.stop))
        yield part.start, to_references(rows[part]), (own[columns] - part.start, columns)


def _nearest_rows(distance, references, rows, own, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest squared distances from other rows to each reference, and these rows."""
    nearest = np.empty((references.shape[0], 0))
    found = np.empty((references.shape[0], 0), dtype=np.intp)
    for first, D, selves in _distance_blocks(distance, references, rows, own):
        D[selves] = np.inf
        values, places = smallest_per_row(np.ascontiguousarray(D.T), k)
        values = np.concatenate([nearest, values], axis=1)
        places = np.concatenate([found, places + first], axis=1)
        nearest, order = smallest_per_row(values, k)
        found = np.take_along_axis(places, order, axis=1)
    return nearest, found


def _moments(distance, references, rows, own) -> np.ndarray:
    """Mean and deviation of the distances from all other rows to each reference."""
    sums, squares = np.zeros((2, references.shape[0]))
    for _, D, selves in _distance_blocks(distance, references, rows, own):
        D[selves] = 0
        sums += np.sqrt(D).sum(axis=0)
        squares += D.sum(axis=0)
    count = rows.shape[0] - (own >= 0)
    means = sums / count
    return np.stack([means, np.sqrt(np.maximum(squares / count - means**2, 0))], axis=1)
