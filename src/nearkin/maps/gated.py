"""Gated maps: local projections, softly switched by where a sample lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, softmax

from nearkin.distances.embedded import AffineMap, Embedding
from nearkin.maps.base import Map
from nearkin.maps.starts import linear_start

GATINGS = ("softmax", "sigmoid")


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

    def gate(self, X) -> np.ndarray:
        """How open each region's gate is for each row."""
        return gate_values(self.lift(X), self.gates, self.gating)

    def local(self, X, region: int) -> np.ndarray:
        """Rows under one region's projection, its gate left aside: what a plot of that region shows."""
        F = self.lift(X)
        return F @ self.projections[region].T.astype(F.dtype, copy=False)

    def __call__(self, X, /) -> np.ndarray:
        F = self.lift(X)
        eta = gate_values(F, self.gates, self.gating)
        return _gated(F, eta, self.projections.astype(F.dtype, copy=False))[0].reshape(len(F), -1)


def _gated(F, eta, projections):
    local = (F @ projections.reshape(-1, F.shape[1]).T).reshape(len(F), *projections.shape[:2])
    return eta[:, :, None] * local, local


class GatedMap(Map):
    """z = concat_m eta_m(x) A_m x: the summed distance of P local metrics is squared Euclid on z.

    Parameters
    ----------
    n_regions : int, default=2
        P, the number of local projections.
    gating : {"softmax", "sigmoid"}, default="softmax"
        Softmax gates compete (they sum to one), sigmoid gates cooperate.
    n_components : int or None, default=None
        Rows of each A_m.
    init : default="pca"
        Where every A_m begins, as for `LinearMap`.
    gate_scale : float, default=0.1
        Standard deviation of the random scores that the gates begin with, on the scale of the data.

    References
    ----------
    M. Semerci, E. Alpaydin (2013). Mixtures of Large Margin Nearest Neighbor Classifiers. ECML PKDD.
    """

    def __init__(self, n_regions=2, gating="softmax", n_components=None, init="pca", gate_scale=0.1):
        self.n_regions = n_regions
        self.gating = gating
        self.n_components = n_components
        self.init = init
        self.gate_scale = gate_scale

    def lift(self, X, rng) -> AffineMap:
        # Gates and projections act on positions, not differences: measure them from the mean.
        return AffineMap(origin=X.mean(axis=0, dtype=np.float64).astype(X.dtype))

    def start(self, F, y, rng) -> np.ndarray:
        if self.gating not in GATINGS:
            raise ValueError(f"gating={self.gating!r}: expected one of {list(GATINGS)}.")
        n, d = F.shape
        if not isinstance(self.n_regions, int | np.integer) or not 1 <= self.n_regions <= n:
            raise ValueError(
                f"n_regions={self.n_regions!r}: expected an integer from 1 to the number of samples, {n}."
            )
        init = self.init
        if isinstance(init, str) and init == "pca" and (self.n_components or d) >= min(n, d):
            # All directions are kept: PCA would only rotate them.
            init = "identity"
        A = linear_start(F, y, self.n_components, init, rng)
        spread = F.std(axis=0, dtype=np.float64)
        # Constant features cannot tell regions apart.
        scale = np.divide(self.gate_scale, spread * np.sqrt(d), out=np.zeros(d), where=spread > 0)
        gates = np.zeros((self.n_regions, d + 1))
        gates[:, :-1] = rng.standard_normal((self.n_regions, d)) * scale
        gates[:, -1] = rng.standard_normal(self.n_regions) * self.gate_scale
        return np.concatenate([np.tile(A.ravel(), self.n_regions), gates.ravel()])

    def split(self, theta, n_features: int) -> tuple[np.ndarray, np.ndarray]:
        """Views of the projections (P x e x d) and the gates (P x (d + 1))."""
        n_gates = self.n_regions * (n_features + 1)
        projections = theta[:-n_gates].reshape(self.n_regions, -1, n_features)
        return projections, theta[-n_gates:].reshape(self.n_regions, -1)

    def forward(self, theta, F):
        projections, gates = self.split(theta, F.shape[1])
        eta = gate_values(F, gates, self.gating)
        Z, local = _gated(F, eta, projections.astype(F.dtype, copy=False))
        return Z.reshape(len(F), -1), (F, eta, local)

    def pullback(self, dZ, cache) -> np.ndarray:
        F, eta, local = cache
        dZ = dZ.reshape(local.shape)
        d_projections = (eta[:, :, None] * dZ).reshape(len(F), -1).T @ F
        d_eta = np.einsum("nme,nme->nm", dZ, local)
        if self.gating == "softmax":
            d_scores = eta * (d_eta - np.einsum("nm,nm->n", d_eta, eta)[:, None])
        else:
            d_scores = d_eta * eta * (1 - eta)
        d_gates = np.concatenate([d_scores.T @ F, d_scores.sum(axis=0)[:, None]], axis=1)
        return np.concatenate([d_projections.ravel(), d_gates.ravel()]).astype(np.float64, copy=False)

    def freeze(self, theta, lift, n_features):
        projections, gates = self.split(theta, n_features)
        return GatedEmbedding(projections.copy(), gates.copy(), self.gating, lift or AffineMap())
