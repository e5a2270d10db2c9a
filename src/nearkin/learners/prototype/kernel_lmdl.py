"""Kernel LMDL: prototypes and metrics in the space of a Mercer kernel."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from nearkin._types import Auto, RandomState
from nearkin.distances.embeddings import CentredEmbedding, KernelValues
from nearkin.learners.prototype.base import PrototypeLearner
from nearkin.learners.prototype.coordinates import MANY_COORDINATES
from nearkin.learners.prototype.starts import start_matrix
from nearkin.learners.settings import check_choice, check_count
from nearkin.maps import KernelMap
from nearkin.maps.kernel import KernelLike
from nearkin.numerics.mercer import check_kernel, kernel_basis, kernel_scale

# Most landmarks by default; more rows are represented by random ones (Nystroem).
MAX_LANDMARKS = 1000


class KernelLMDL(PrototypeLearner):
    """`LMDL` on kernel features: nonlinear boundaries from the same training.

    Rows are mapped to their kernel values with the landmarks, orthonormalised (Nystroem features, exact if
    every row is a landmark) and reduced to the leading principal components, in which prototypes and
    factors are learned. With the linear kernel these are the principal components of the rows themselves,
    and the distances are those of ``LMDL(init_metric="pca")``.

    Parameters
    ----------
    n_prototypes : int, dict or "auto", default=5
        Prototypes per class, as for `LMDL`.
    rank : int, optional
        Rows of each factor. None keeps all coordinates below 64, else 32.
    beta : float, default=3.0
        Slope of the sigmoid in the objective.
    kernel : {"rbf", "polynomial", "linear"}, callable or KernelMap, default="rbf"
        A function takes arrays of m and n rows and returns the m x n kernel values. A `KernelMap` has its
        own gamma, degree, coef0 and n_landmarks, which replace those below: these are shortcuts for a kernel
        given by its name, so that a grid search can reach them.
    gamma : float or "scale", default="scale"
        Factor of the squared distance in "rbf" and of the inner product in "polynomial"; "scale" is one
        over the summed variances of the features.
    degree, coef0 : int and float, default=3 and 1.0
        Exponent and constant of "polynomial".
    n_landmarks : int, optional
        Rows that span the feature space; None takes all, at most 1000.
    n_components : int, optional
        Principal components kept; None keeps at most 64.
    init : {"random", "kmeans"}, default="random"
        As for `LMDL`.
    init_metric : {"auto", "pca", "whiten"}, default="auto"
        The metric every prototype starts from: that of the kernel space ("auto" and "pca"), or the one in
        which the within-class covariance is the identity.
    batch_size, max_epochs, tol, early_stopping, validation_fraction, n_init, random_state, verbose
        As for `LMDL`; random_state also draws the landmarks.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in a prediction, as for `LMDL`; 0 is the published method.

    Attributes
    ----------
    prototypes_ : array (P, e)
        Positions in the coordinates of the kernel map, in order of class; they need not be images of rows.
    prototype_labels_ : array (P,)
    metrics_ : array (P, rank, e)
        The factors L_s in these coordinates.
    landmarks_ : array (q, d)
    distance_ : PerPrototypeDistance
        `distance_.embedding(X)` gives the coordinates, `distance_.to_prototypes(X)` the learned distances;
        other references, as inside `KNNClassifier`, have the metric of their nearest prototype.
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    classes_, objective_, history_, n_iter_, n_features_in_
        As for `LMDL`.

    Notes
    -----
    With q landmarks the map costs one eigendecomposition of a q x q matrix and n q (d + q) multiply-adds;
    an epoch costs n P rank e, a prediction q (d + e) + P rank e.

    References
    ----------
    Rajabzadeh, H., Jahromi, M. Z., Zare, M. S. & Fakhrahmad, S. M. (2018). Local distance metric learning
    for the nearest neighbor algorithm.

    Williams, C. K. I. & Seeger, M. (2001). Using the Nystroem method to speed up kernel machines. NIPS 13.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> X, y = make_circles(200, noise=0.05, factor=0.5, random_state=0)
    >>> KernelLMDL(n_prototypes=1, random_state=0).fit(X, y).score(X, y)
    1.0
    """

    summary: ClassVar[str] = "LMDL in the space of a kernel: prototypes with metrics, nonlinear boundaries."
    cost: ClassVar[str] = "n·P·rank·e per epoch"

    def __init__(
        self,
        n_prototypes: int | dict[Any, int] | Auto = 5,
        rank: int | None = None,
        beta: float = 3.0,
        *,
        kernel: KernelLike = "rbf",
        gamma: float | Literal["scale"] = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        n_landmarks: int | None = None,
        n_components: int | None = None,
        init: Literal["random", "kmeans"] = "random",
        init_metric: Literal["auto", "pca", "whiten"] = "auto",
        batch_size: int | Auto = "auto",
        max_epochs: int = 200,
        tol: float = 1e-3,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_init: int = 1,
        random_state: RandomState = None,
        verbose: int = 0,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.n_prototypes = n_prototypes
        self.rank = rank
        self.beta = beta
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.n_components = n_components
        self.init = init
        self.init_metric = init_metric
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        # For standardised features "scale" is one over their number.
        return {"gamma": [0.1 / n_features, "scale", 3.0 / n_features], "n_prototypes": [1, 5]}

    def _check_settings(self) -> None:
        super()._check_settings()
        check_kernel(self._given_kernel().kernel)
        check_count(words=(None,), n_landmarks=self.n_landmarks, n_components=self.n_components)
        check_choice(("auto", "pca", "whiten"), init_metric=self.init_metric)

    def _given_kernel(self) -> KernelMap:
        """The kernel with its parameters, from a `KernelMap` or the separate settings."""
        if isinstance(self.kernel, KernelMap):
            return self.kernel
        n_landmarks = MAX_LANDMARKS if self.n_landmarks is None else self.n_landmarks
        return KernelMap(None, self.kernel, self.gamma, self.degree, self.coef0, n_landmarks)

    def _start_embedding(self, X, y, weights, rng) -> CentredEmbedding:
        given = self._given_kernel()
        n_landmarks = min(len(X), given.n_landmarks)
        chosen = np.arange(len(X))
        if n_landmarks < len(X):
            chosen = np.sort(rng.choice(len(X), n_landmarks, replace=False))
        self.landmarks_ = X[chosen]
        gamma = kernel_scale(X, given.gamma)
        rows = KernelValues(self.landmarks_, given.kernel, gamma, given.degree, given.coef0)
        K = rows(X)
        orthonormal = kernel_basis(rows(self.landmarks_.astype(np.float64)), K.dtype)
        features = K @ orthonormal.T
        kept = min(features.shape[1], MANY_COORDINATES if self.n_components is None else self.n_components)
        kind = "pca" if self.init_metric == "auto" else self.init_metric
        matrix, _ = start_matrix(features, y, weights, kind, kept)
        return CentredEmbedding((matrix @ orthonormal).astype(X.dtype, copy=False), weights @ K, rows)

    def _publish(self, embedding, prototypes):
        return prototypes.centres, prototypes.metrics, False
