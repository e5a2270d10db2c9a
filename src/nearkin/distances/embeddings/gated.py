"""Local projections, weighted by soft gates that depend on where a row lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, softmax

from nearkin._types import MatrixLike
from nearkin.distances.embeddings.base import Embedding


def gate_values(X, gates, gating: str) -> np.ndarray:
    """How open each gate is for each row (n x P); the last column of `gates` is the threshold."""
    scores = X @ gates[:, :-1].T.astype(X.dtype, copy=False) + gates[:, -1].astype(X.dtype, copy=False)
    return softmax(scores, axis=1) if gating == "softmax" else expit(scores)


@dataclass(frozen=True)
class GatedEmbedding:
    """concat over regions m of gate_m(x) * projections[m] @ x, for lifted x."""

    projections: np.ndarray
    gates: np.ndarray
    gating: str
    lift: Embedding

    def gate(self, X: MatrixLike) -> np.ndarray:
        """How open each region's gate is for each row."""
        return gate_values(self.lift(X), self.gates, self.gating)

    def local(self, X: MatrixLike, region: int) -> np.ndarray:
        """Rows under one region's projection without its gate, for plots of that region."""
        F = self.lift(X)
        return F @ self.projections[region].T.astype(F.dtype, copy=False)

    def __call__(self, X: MatrixLike, /) -> np.ndarray:
        F = self.lift(X)
        eta = gate_values(F, self.gates, self.gating)
        return gated_rows(F, eta, self.projections.astype(F.dtype, copy=False))[0].reshape(len(F), -1)


def gated_rows(F, eta, projections) -> tuple[np.ndarray, np.ndarray]:
    """Rows under each projection (n x P x e), with and without their gates."""
    local = (F @ projections.reshape(-1, F.shape[1]).T).reshape(len(F), *projections.shape[:2])
    return eta[:, :, None] * local, local
