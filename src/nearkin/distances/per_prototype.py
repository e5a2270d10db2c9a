"""Distances in which every prototype has its own metric, which references near it share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances.base import Distance
from nearkin.distances.embeddings import CentredEmbedding, KernelValues
from nearkin.numerics.products import squared_distances, squared_norms
from nearkin.numerics.prototypes import prototype_distances

# Names of embeddings in model files of version 0.1.
CentredMap, KernelRows = CentredEmbedding, KernelValues


@dataclass(frozen=True)
class PerPrototypeDistance(Distance):
    """Squared distance under the metric of the prototype a reference belongs to.

    `to_prototypes` gives the learned distances ``d_s(x) = ||L_s (u(x) - c_s)||^2``. For any other
    reference r, `bind` uses the metric of the prototype s(r) nearest to r under the learned distance,
    whatever its class: ``||L_s(r) (u(x) - u(r))||^2``. A reference that equals a prototype has that
    prototype's metric, so binding the prototypes reproduces d_s.

    Parameters
    ----------
    embedding : CentredEmbedding
        From input rows to the e coordinates u in which the metrics are given.
    centres : P x e array
        The prototypes in those coordinates.
    metrics : P x r x e or P x e array
        A factor, or a weight per coordinate, for each prototype.
    prototypes : P x d array or None
        The prototypes as input rows, where they have any (not under a kernel).

    Notes
    -----
    `bind` of n references costs n P r e multiply-adds once; m queries then cost m P r e + m n r.

    Examples
    --------
    >>> plain = CentredEmbedding(np.ones(2), np.zeros(2))
    >>> ends = np.array([[0.0, 0.0], [4.0, 0.0]])
    >>> distance = PerPrototypeDistance(plain, ends, np.array([[1.0, 1.0], [2.0, 0.0]]), ends)
    >>> distance.pairwise(np.array([[1.0, 1.0]]), np.array([[0.5, 0.0], [3.5, 0.0]]))
    array([[ 1.25, 25.  ]])
    """

    embedding: CentredEmbedding
    centres: np.ndarray
    metrics: np.ndarray
    prototypes: np.ndarray | None = None

    #: Projected differences (rows x prototypes x rank) held at a time.
    block_elements: ClassVar[int] = 2**22

    def to_prototypes(self, X: MatrixLike) -> np.ndarray:
        """Squared distances to the prototypes, m x P."""
        return self._embedded_to_prototypes(self.embedding(X))

    def _embedded_to_prototypes(self, U) -> np.ndarray:
        centres = self.centres.astype(U.dtype, copy=False)
        metrics = self.metrics.astype(U.dtype, copy=False)
        D = np.empty((U.shape[0], len(centres)), dtype=U.dtype)
        rows = max(1, self.block_elements // (metrics.size // metrics.shape[-1]))
        for start in range(0, U.shape[0], rows):
            block = slice(start, start + rows)
            D[block] = prototype_distances(U[block], centres, metrics)
        return D

    def owners(self, references: MatrixLike) -> np.ndarray:
        """The prototype whose metric each reference has."""
        nearest = self.to_prototypes(references).argmin(axis=1)
        if self.prototypes is None:
            return nearest
        waiting: dict[bytes, list[int]] = {}
        for s, row in enumerate(self.prototypes.astype(references.dtype, copy=False)):
            waiting.setdefault(row.tobytes(), []).append(s)
        for i, row in enumerate(np.ascontiguousarray(references)):
            equal = waiting.get(row.tobytes())
            if equal:
                nearest[i] = equal[0]
                # Coinciding prototypes take turns, so that binding all of them gives each its own metric.
                equal.append(equal.pop(0))
        return nearest

    def _project(self, U, s) -> np.ndarray:
        metric = self.metrics[s].astype(U.dtype, copy=False)
        return U * metric if metric.ndim == 1 else U @ metric.T

    def bind(self, references: MatrixLike) -> Callable[[np.ndarray], np.ndarray]:
        owners = self.owners(references)
        U = self.embedding(references)
        groups = []
        for s in np.unique(owners):
            columns = np.flatnonzero(owners == s)
            projected = self._project(U[columns], s)
            groups.append((s, columns, projected, squared_norms(projected)))
        n_references = references.shape[0]

        def to_references(queries) -> np.ndarray:
            Q = self.embedding(queries)
            D = np.empty((Q.shape[0], n_references), dtype=Q.dtype)
            for s, columns, projected, norms in groups:
                D[:, columns] = squared_distances(self._project(Q, s), projected, norms_b=norms)
            return D

        return to_references
