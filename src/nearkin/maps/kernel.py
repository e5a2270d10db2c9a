"""Any map after a Mercer kernel: exact features for few samples, Nystroem features for many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from nearkin._types import KernelName, MatrixLike
from nearkin.distances.embeddings import ChainedEmbedding, Embedding, KernelEmbedding
from nearkin.maps.base import Map
from nearkin.maps.linear import LinearMap
from nearkin.numerics.mercer import check_kernel, kernel_eigenpairs, kernel_scale, kernel_slope, mercer_kernel

#: Directions of the kernel space with less than this share of the largest variance are noise.
SMALLEST_EIGENVALUE = 1e-7


# Names of embeddings in model files of version 0.1.
KernelFeatures, LiftedMap = KernelEmbedding, ChainedEmbedding


class KernelMap(Map):
    """Another map, in the feature space of a kernel.

    Parameters
    ----------
    inner : Map or None, default=None
        What comes after the kernel; None is a `LinearMap`.
    kernel : {"rbf", "polynomial", "linear"} or callable, default="rbf"
    gamma : float or "scale", default="scale"
    degree, coef0 : parameters of the polynomial kernel
    n_landmarks : int, default=256
        Samples that span the feature space, drawn at random; all of them if there are no more.

    Notes
    -----
    n * n_landmarks kernel values and one eigendecomposition of n_landmarks^2, once per fit.

    The features of a named kernel are scaled so that small distances (around the origin, for the
    polynomial kernel) are about those of the inputs: losses with a margin or a softmax of fixed scale
    see distances of the same size as without the kernel. Unscaled, no two rows of an rbf kernel are
    farther apart than the square root of two.

    References
    ----------
    C. Williams, M. Seeger (2001). Using the Nystroem method to speed up kernel machines. NIPS 13.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> KernelMap(gamma=0.5).lift(X, np.random.RandomState(0))(X).shape
    (3, 3)
    """

    def __init__(
        self,
        inner: Map | None = None,
        kernel: KernelName | Callable[..., Any] = "rbf",
        gamma: float | Literal["scale"] = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        n_landmarks: int = 256,
    ) -> None:
        self.inner = inner
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks

    @property
    def _inner(self) -> Map:
        return LinearMap() if self.inner is None else self.inner

    @property
    def given_start(self) -> bool:
        return self._inner.given_start

    def lift(self, X: MatrixLike, rng: np.random.RandomState) -> KernelEmbedding:
        check_kernel(self.kernel)
        n = len(X)
        chosen = np.arange(n)
        if n > self.n_landmarks:
            chosen = np.sort(rng.choice(n, self.n_landmarks, replace=False))
        landmarks = X[chosen].astype(np.float64)
        gamma = kernel_scale(X, self.gamma)
        K = mercer_kernel(
            landmarks, landmarks, self.kernel, gamma=gamma, degree=self.degree, coef0=self.coef0
        )
        values, vectors = kernel_eigenpairs(K, relative_cut=SMALLEST_EIGENVALUE)
        slope = kernel_slope(self.kernel, gamma=gamma, degree=self.degree, coef0=self.coef0)
        whitening = vectors / np.sqrt(values * slope)
        shift = K.mean(axis=0) @ whitening
        return KernelEmbedding(
            landmarks.astype(X.dtype), whitening, shift, self.kernel, gamma, self.degree, self.coef0
        )

    def start(self, F: MatrixLike, y: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        return self._inner.start(F, y, rng)

    def forward(self, theta: np.ndarray, F: MatrixLike) -> tuple[np.ndarray, Any]:
        return self._inner.forward(theta, F)

    def pullback(self, dZ: np.ndarray, cache: Any) -> np.ndarray:
        return self._inner.pullback(dZ, cache)

    def rescaled(self, theta: np.ndarray, unit: float, n_features: int) -> np.ndarray:
        return self._inner.rescaled(theta, unit, n_features)

    def freeze(self, theta: np.ndarray, lift: Embedding | None, n_features: int) -> Embedding:
        return self._inner.freeze(theta, lift, n_features)


#: A kernel by name, as a function of two sets of rows, or with its settings.
KernelLike: TypeAlias = KernelName | Callable[..., Any] | KernelMap
