"""Gated maps: local projections, weighted by soft gates that depend on where a sample lies."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from nearkin._types import MatrixLike, Start
from nearkin.distances.embeddings import AffineEmbedding, Embedding, GatedEmbedding
from nearkin.distances.embeddings.gated import gate_values, gated_rows
from nearkin.maps.base import Map
from nearkin.maps.starts import linear_start
from nearkin.numerics.linear_metric import row_axes

GATINGS = ("softmax", "sigmoid")
#: Starts that are equivariant under rotations of the rows.
IN_THE_SPAN = ("auto", "pca", "lda", "identity")


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
        Where every A_m starts, as for `LinearMap`.
    gate_scale : float, default=0.1
        Standard deviation of the random initial scores of the gates, on the scale of the data.

    References
    ----------
    M. Semerci, E. Alpaydin (2013). Mixtures of Large Margin Nearest Neighbor Classifiers. ECML PKDD.

    Examples
    --------
    >>> gated, F = GatedMap(n_regions=2, gate_scale=0.0), np.array([[1.0, 2.0], [3.0, -2.0]])
    >>> theta = gated.start(F, np.array([0, 1]), np.random.RandomState(0))
    >>> gated.forward(theta, F)[0]  # both gates half open
    array([[ 0.5,  1. ,  0.5,  1. ],
           [ 1.5, -1. ,  1.5, -1. ]])
    """

    def __init__(
        self,
        n_regions: int = 2,
        gating: Literal["softmax", "sigmoid"] = "softmax",
        n_components: int | None = None,
        init: Start = "pca",
        gate_scale: float = 0.1,
    ) -> None:
        self.n_regions = n_regions
        self.gating = gating
        self.n_components = n_components
        self.init = init
        self.gate_scale = gate_scale

    def lift(self, X: MatrixLike, rng: np.random.RandomState) -> AffineEmbedding:
        n, d = X.shape
        centring = self.lasting_lift(X, rng)
        # With fewer rows than features nothing can be learned outside their span.
        few = d > n and not self.given_start and self.init in IN_THE_SPAN and (self.n_components or 0) < n
        return AffineEmbedding(row_axes(X), centring.origin) if few else centring

    def lasting_lift(self, X: MatrixLike, rng: np.random.RandomState) -> AffineEmbedding:
        # Gates and projections act on positions, not differences: measure them from the mean.
        return AffineEmbedding(origin=X.mean(axis=0, dtype=np.float64).astype(X.dtype))

    @property
    def given_start(self) -> bool:
        return not isinstance(self.init, str)

    def start(self, F: MatrixLike, y: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
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
        # Constant features, and axes that rounding alone fills, cannot tell regions apart.
        varies = spread > 1e-12 * spread.max()
        scale = np.divide(self.gate_scale, spread * np.sqrt(d), out=np.zeros(d), where=varies)
        gates = np.zeros((self.n_regions, d + 1))
        gates[:, :-1] = rng.standard_normal((self.n_regions, d)) * scale
        gates[:, -1] = rng.standard_normal(self.n_regions) * self.gate_scale
        return np.concatenate([np.tile(A.ravel(), self.n_regions), gates.ravel()])

    def split(self, theta: np.ndarray, n_features: int) -> tuple[np.ndarray, np.ndarray]:
        """Views of the projections (P x e x d) and the gates (P x (d + 1))."""
        n_gates = self.n_regions * (n_features + 1)
        projections = theta[:-n_gates].reshape(self.n_regions, -1, n_features)
        return projections, theta[-n_gates:].reshape(self.n_regions, -1)

    def rescaled(self, theta: np.ndarray, unit: float, n_features: int) -> np.ndarray:
        theta = theta.copy()
        projections, gates = self.split(theta, n_features)
        projections /= unit
        # Thresholds are scores, not features.
        gates[:, :-1] /= unit
        return theta

    def forward(self, theta: np.ndarray, F: MatrixLike) -> tuple[np.ndarray, Any]:
        projections, gates = self.split(theta, F.shape[1])
        eta = gate_values(F, gates, self.gating)
        Z, local = gated_rows(F, eta, projections.astype(F.dtype, copy=False))
        return Z.reshape(len(F), -1), (F, eta, local)

    def pullback(self, dZ: np.ndarray, cache: Any) -> np.ndarray:
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

    def freeze(self, theta: np.ndarray, lift: Embedding | None, n_features: int) -> Embedding:
        projections, gates = (part.copy() for part in self.split(theta, n_features))
        if isinstance(lift, AffineEmbedding) and lift.matrix is not None:
            projections = projections @ lift.matrix
            gates = np.column_stack([gates[:, :-1] @ lift.matrix, gates[:, -1]])
            lift = AffineEmbedding(origin=lift.origin)
        return GatedEmbedding(projections, gates, self.gating, lift or AffineEmbedding())
