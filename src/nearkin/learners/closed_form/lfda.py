"""Local Fisher discriminant analysis."""

from __future__ import annotations

import warnings
from typing import Literal, Self

import numpy as np

from nearkin._types import Auto, ColumnLike, MatrixLike, RandomState
from nearkin.learners.base import EmbeddingLearner
from nearkin.learners.closed_form.kernel_rows import KernelRows
from nearkin.learners.euclid_share import keep_euclid
from nearkin.learners.settings import check_choice, check_count, refuse_lone_rows
from nearkin.maps.kernel import KernelLike
from nearkin.numerics.linear_metric import Span, fixed_signs, generalised_eigenpairs, ridged
from nearkin.numerics.local_scatter import local_scatters
from nearkin.numerics.threads import one_blas_thread

#: Number of rows from which affinities are float32: with shrinkage the difference is negligible.
FLOAT32_FROM = 1_000


class LFDA(KernelRows, EmbeddingLearner):
    """Local Fisher discriminant analysis: discriminants for multimodal classes.

    Linear discriminant analysis in which only near rows of a class are drawn together, so that separate
    parts of a class may stay apart. Unlike linear discriminant analysis it gives as many directions as
    there are features.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions kept, those of the largest eigenvalues; None keeps all.
    n_neighbors : int, default=7
        The distance to this neighbour of the same class is the local scale of a row; in smaller classes,
        the distance to the farthest row.
    scaling : {"weighted", "plain", "orthonormal"}, default="weighted"
        Length of the directions: multiplied by the square root of their eigenvalues, as the eigenproblem
        gives them (scatter within classes one), or orthonormal.
    kernel : None, {"rbf", "polynomial", "linear"}, callable or KernelMap, default=None
        Learn in the feature space of a kernel; a `KernelMap` has its own settings.
    shrinkage : "auto" or float, default="auto"
        How far the scatter within classes is shrunk towards a multiple of the identity, 0 to 1; "auto" is
        1e-3, and 1e-2 after a kernel.
    random_state : int, RandomState or None, default=None
        Draws the landmarks of a kernel if there are more rows than landmarks.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Not with a kernel. With more features than rows there are at most as many rows as the data span;
        constant features have no weight.
    distance_ : EmbeddedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    n_components_ : int
        Directions kept.
    eigenvalues_ : ndarray of shape (n_components,)
        Ratio of the scatter between classes to that within, along each direction.
    objective_ : float
        The sum of the eigenvalues kept, which is ``tr((L S_w L')^-1 L S_b L')``.
    lift_
        The feature map of the kernel; None without one.
    classes_, n_features_in_, n_iter_
        As for every learner.

    Notes
    -----
    Cost: sum n_c^2 d for the affinities inside classes of n_c rows, n d^2 for the scatters, d^3 for the
    decomposition. Affinities are used block by block and never held for a whole class.

    References
    ----------
    Sugiyama (2007). Dimensionality reduction of multimodal labeled data by local Fisher discriminant
    analysis. Journal of Machine Learning Research 8.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from nearkin.learners.closed_form.lfda import LFDA
    >>> X, y = load_wine(return_X_y=True)
    >>> LFDA(n_components=2).fit_transform(X, y).shape
    (178, 2)
    """

    summary = "Discriminant analysis for multimodal classes; closed form, kernels."
    cost = "n²·d/C + n·d² + d³, once"

    def __init__(
        self,
        n_components: int | None = None,
        n_neighbors: int = 7,
        scaling: Literal["weighted", "plain", "orthonormal"] = "weighted",
        kernel: KernelLike | None = None,
        shrinkage: float | Auto = "auto",
        random_state: RandomState = None,
        *,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.scaling = scaling
        self.kernel = kernel
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"scaling": ["weighted", "plain"], "n_neighbors": [3, 7]}

    @one_blas_thread
    def fit(self, X: MatrixLike, y: ColumnLike) -> Self:
        """Learn from labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        X, codes = self._validate_labelled(X, y, min_classes=2)
        self._check_settings(X.shape[1])
        refuse_lone_rows(self, codes)
        span = Span.of_varying(self._rows(X))
        rows = span.rows
        unit = float(max(rows.max(), -rows.min())) or 1.0
        rows /= unit
        within, between = self._scatters(rows, codes)
        values, axes = generalised_eigenpairs(between, ridged(within, self._share()))
        # A slice to None keeps all.
        self.eigenvalues_ = values[: self.n_components]
        self.objective_ = float(self.eigenvalues_.sum())
        self.n_iter_ = 1
        L = self._scaled(axes[: self.n_components] / unit, self.eigenvalues_)
        self._keep(np.ascontiguousarray(span.lifted(L), dtype=X.dtype))
        keep_euclid(self, X, codes)
        return self

    def _scatters(self, rows: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scatter within and between classes, of rows of moderate size."""
        precision = np.float64 if len(rows) < FLOAT32_FROM else np.float32
        return local_scatters(rows, codes, self.n_neighbors, precision=precision)

    def _check_settings(self, n_features):
        most = n_features if self.kernel is None else None
        check_count(words=(None,), most=most, n_components=self.n_components)
        check_count(n_neighbors=self.n_neighbors)
        check_choice(("weighted", "plain", "orthonormal"), scaling=self.scaling)
        self._check_shrinkage()

    def _scaled(self, axes: np.ndarray, values: np.ndarray) -> np.ndarray:
        if self.scaling == "orthonormal":
            return fixed_signs(np.linalg.qr(axes.T)[0].T)
        if self.scaling == "plain":
            return axes
        if values[0] <= 0:
            warnings.warn(
                "LFDA: nothing sets the classes apart; its directions are not weighted.", stacklevel=3
            )
            return axes
        # Scatter between classes is a difference and may be negative along some directions.
        return np.sqrt(np.maximum(values, 0))[:, None] * axes
