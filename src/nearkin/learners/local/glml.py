"""GLML: at every query, the metric that removes the bias of its nearest neighbour's error."""

from __future__ import annotations

import warnings
from typing import Literal, Self

import numpy as np
from sklearn.covariance import ledoit_wolf_shrinkage

from nearkin._types import Auto, ColumnLike, MatrixLike
from nearkin.distances import EmbeddedDistance
from nearkin.distances.embeddings import CentredEmbedding
from nearkin.distances.per_query import GaussianClasses, PerQueryDistance
from nearkin.learners.base import Learner
from nearkin.learners.euclid_share import SharePolicy, keep_euclid
from nearkin.learners.settings import check_choice, check_count, check_number
from nearkin.numerics.linear_metric import fixed_signs, ridged
from nearkin.numerics.threads import one_blas_thread

# With more features, eigenvectors for each query take too long and covariances are mostly noise.
MOST_COORDINATES = 100
# "auto" measures at least this many candidates, and as many as this many multiply-adds allow.
FEWEST_CANDIDATES = 500
CANDIDATE_MULTIPLY_ADDS = 2_000_000
# Smallest shrinkage of "auto": with less, the tails of the densities have too much influence.
LEAST_SHRINKAGE = 0.1


class GLML(Learner):
    """Generative local metric learning: a metric for each query, from Gaussian densities of the classes.

    With finitely many rows the error of the nearest neighbour exceeds its limit by a bias that depends on
    the curvature of the class densities at the query. With a Gaussian for each class that curvature is known
    everywhere, and each query gets the metric of determinant one for which the bias vanishes.

    Parameters
    ----------
    shrinkage : "auto", "ledoit-wolf" or float, default="auto"
        How far each class's covariance is shrunk towards a multiple of the identity, 0 to 1. "auto" is the
        ratio of features to rows of the class, clipped to 0.1 to 0.5.
    covariance : {"full", "diagonal"}, default="full"
        Whether features of a class may be correlated.
    ridge : float, default=0.1
        Share of the identity in every metric.
    floor : float, default=0.01
        Smallest eigenvalue of a local metric, as a share of its largest, before the identity is mixed in.
    n_components : "auto", int or None, default="auto"
        Number of principal directions to work in; None keeps the whole span of the rows, "auto" at most 100
        directions.
    n_candidates : "auto", int or None, default="auto"
        Number of references, the nearest under a pooled metric, that are measured by the query's own metric;
        None measures all. "auto" is 500, or more if that is cheap.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance. "auto" takes what works best on unseen rows, found by
        fitting halves of the samples, or of 2,000 of them (only if all dimensions are kept); 0 is the
        published method.

    Attributes
    ----------
    distance_ : PerQueryDistance
        `distance_.factors(X)` are the factors of the metrics at the rows of X.
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    shrinkage_ : ndarray of shape (C,)
        The shrinkage of each class.
    objective_ : float
        Mean negative log-likelihood of the training rows and their labels under the densities.
    classes_, n_features_in_, n_iter_
        As for every learner.

    Notes
    -----
    A fit costs n d^2 + C d^3. A query costs C d^2 + d^3 for its metric, n d to find its candidates and d^2
    for each of them; memory is C d^2 and some megabytes for the metrics of a few queries at a time.

    The metric is that of the query, around which the error is expanded. Shrinkage, floor and the share of
    Euclid are not part of the paper. Features should have comparable scales: standardise them first.

    References
    ----------
    Noh, Zhang, Lee (2010). Generative local metric learning for nearest neighbor classification. NIPS;
    IEEE Transactions on Pattern Analysis and Machine Intelligence 40(1), 106-118, 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from nearkin import KNNClassifier
    >>> from nearkin.learners.local.glml import GLML
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), KNNClassifier(GLML(), n_neighbors=1)).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    summary = "A metric for every query, from Gaussian densities of the classes; closed form."
    cost = "C·d³ once; n·d² per query"
    # Classes that are not Gaussian do not become so with more rows, so Euclid competes at any size.
    share_policy = SharePolicy(auto_below=2**62, most_rows=2_000)

    def __init__(
        self,
        shrinkage: float | Literal["auto", "ledoit-wolf"] = "auto",
        covariance: Literal["full", "diagonal"] = "full",
        ridge: float = 0.1,
        *,
        floor: float = 0.01,
        n_components: int | Auto | None = "auto",
        n_candidates: int | Auto | None = "auto",
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.shrinkage = shrinkage
        self.covariance = covariance
        self.ridge = ridge
        self.floor = floor
        self.n_components = n_components
        self.n_candidates = n_candidates
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"shrinkage": ["auto", 0.5], "ridge": [0.1, 0.5]}

    @one_blas_thread
    def fit(self, X: MatrixLike, y: ColumnLike) -> Self:
        """Estimate the densities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels; with a single class the distance is Euclid.
        """
        X, codes = self._validate_labelled(X, y)
        self._check_settings(X.shape[1])
        embedding = self._coordinates(X)
        U = embedding(X).astype(np.float64, copy=False)
        classes = self._densities(U, codes)
        self.objective_ = -float(classes.log_joint_of(U, codes).mean())
        self.n_iter_ = 1
        if len(self.classes_) < 2:
            warnings.warn(
                "GLML: y has only one class, so there is no error to correct: using Euclid.",
                UserWarning,
                stacklevel=2,
            )
            self.distance_, self.euclid_share_ = EmbeddedDistance(), 1.0
            return self
        self.distance_ = PerQueryDistance(
            embedding,
            classes,
            np.linalg.cholesky(np.linalg.inv(self._pooled(U, codes))).T,
            self._resolve_candidates(U),
            float(self.floor),
            float(self.ridge),
        )
        keep_euclid(self, X, codes)
        return self

    def _check_settings(self, n_features: int) -> None:
        check_count(words=("auto", None), most=n_features, n_components=self.n_components)
        check_count(words=("auto", None), n_candidates=self.n_candidates)
        check_number(high=1, words=("auto", "ledoit-wolf"), shrinkage=self.shrinkage)
        check_choice(("full", "diagonal"), covariance=self.covariance)
        check_number(high=1, ridge=self.ridge, floor=self.floor)

    def _coordinates(self, X: np.ndarray) -> CentredEmbedding:
        """The centred features, or their principal directions if there are too many."""
        n, d = X.shape
        origin = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
        kept = min(d, MOST_COORDINATES) if self.n_components == "auto" else self.n_components or d
        if kept == d and d < n:
            return CentredEmbedding(np.ones(d, dtype=X.dtype), origin)
        _, lengths, axes = np.linalg.svd(X.astype(np.float64) - origin, full_matrices=False)
        rank = int(np.sum(lengths > lengths[0] * max(n, d) * np.finfo(np.float64).eps))
        return CentredEmbedding(fixed_signs(axes[: max(1, min(rank, kept))]).astype(X.dtype), origin)

    def _densities(self, U: np.ndarray, codes: np.ndarray) -> GaussianClasses:
        d, counts = U.shape[1], np.bincount(codes)
        pooled, least = self._pooled(U, codes), _rounding(U)
        shrinkages, means, precisions, log_scales = [], [], [], []
        for c, count in enumerate(counts):
            rows = U[codes == c]
            mean = rows.mean(axis=0)
            rows = rows - mean
            if np.einsum("ij,ij->", rows, rows) <= count * least:
                # A single row, or copies of one, say nothing about the covariance of the class.
                covariance, share = pooled, 0.0
            else:
                share = self._shrinkage_of(rows)
                covariance = self._shrunk(rows.T @ rows / count, share)
            shrinkages.append(share)
            means.append(mean)
            precisions.append(np.linalg.inv(covariance))
            log_det = np.linalg.slogdet(covariance)[1]
            log_scales.append(np.log(count / len(U)) - 0.5 * (d * np.log(2 * np.pi) + log_det))
        self.shrinkage_ = np.array(shrinkages)
        return GaussianClasses(np.array(means), np.array(precisions), np.array(log_scales))

    def _pooled(self, U: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Covariance within the classes, or of all rows if there is none."""
        counts = np.bincount(codes)
        means = np.stack([np.bincount(codes, column) / counts for column in U.T], axis=1)
        within = U - means[codes]
        for rows in (within, U):
            if np.einsum("ij,ij->", rows, rows) > len(U) * _rounding(U):
                return self._shrunk(rows.T @ rows / len(U), LEAST_SHRINKAGE)
        return np.eye(U.shape[1])

    def _shrinkage_of(self, rows: np.ndarray) -> float:
        if self.shrinkage == "ledoit-wolf":
            return float(ledoit_wolf_shrinkage(rows, assume_centered=True))
        if self.shrinkage == "auto":
            return float(np.clip(rows.shape[1] / len(rows), LEAST_SHRINKAGE, 0.5))
        return float(self.shrinkage)

    def _shrunk(self, covariance: np.ndarray, share: float) -> np.ndarray:
        if self.covariance == "diagonal":
            covariance = np.diag(np.diag(covariance))
        # Constant or redundant features need a little of the identity, whatever the setting.
        return ridged(covariance, max(share, 1e-6))

    def _resolve_candidates(self, U: np.ndarray) -> int:
        if self.n_candidates is None:
            return np.iinfo(np.int64).max
        if self.n_candidates == "auto":
            return max(FEWEST_CANDIDATES, CANDIDATE_MULTIPLY_ADDS // U.shape[1] ** 2)
        return int(self.n_candidates)


def _rounding(U: np.ndarray) -> float:
    """Squared length of differences that may be due to rounding."""
    return float((np.finfo(np.float32).eps * np.abs(U).max()) ** 2)
