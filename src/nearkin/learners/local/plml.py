"""PLML: a smoothly varying metric, mixed from the metrics of a few anchor points."""

from __future__ import annotations

import warnings
from typing import Self

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from nearkin._types import Auto, ColumnLike, MatrixLike, RandomState
from nearkin.distances import EmbeddedDistance
from nearkin.distances.mixed import MixedDistance, NearestRowWeights
from nearkin.learners.base import Learner
from nearkin.learners.euclid_share import keep_euclid
from nearkin.learners.settings import check_count, check_number, check_positive, check_tolerance
from nearkin.numerics.anchor_weights import anchor_weights, heat_laplacian
from nearkin.numerics.linear_metric import Span
from nearkin.numerics.neighbours import other_class_neighbours, same_class_neighbours
from nearkin.numerics.products import row_distances
from nearkin.numerics.psd_mixture import MixtureSolution, solve_psd_mixture
from nearkin.numerics.threads import one_blas_thread
from nearkin.supervision.triplets import nearest_other_rows

# Neighbours in the graph along which weights are smooth.
GRAPH_NEIGHBOURS = 6
# "auto" takes one anchor per ROWS_PER_ANCHOR rows, at most MOST_ANCHORS.
ROWS_PER_ANCHOR = 10
MOST_ANCHORS = 20


class PLML(Learner):
    """Parametric local metric learning: metrics of anchor points, mixed smoothly over the rows.

    Every row is approximated by a mixture of anchor points (k-means centres), with weights that are smooth
    along the graph of nearest neighbours. The metric at a row is the same mixture of the anchors' metrics,
    which are learned together with the large-margin loss. Both problems are convex. A query has the weights
    of its nearest training row.

    Parameters
    ----------
    n_anchors : int or "auto", default="auto"
        Number of anchor points and metrics; "auto" is one per ten rows, at most 20. One gives a single
        global metric.
    smoothness : float, default=100.0
        Penalty on differences of weights between neighbours.
    locality : float, default=1.0
        Penalty on weights of anchors far from a row.
    shrinkage : float, default=1.0
        Penalty on the squared norm of the metrics, relative to the sum of the hinges.
    pull : float, default=1.0
        Weight of the distances to the targets, relative to the hinges. The default is the best of six powers
        of ten by validation within the training rows of 11 sets that the paper does not use; those from 0.01
        to 10 are within 0.3 points.
    n_targets, n_impostors : int, default=3 and 10
        Every row should be nearer to each of its `n_targets` nearest rows of its class than to each of its
        `n_impostors` nearest rows of other classes, by a margin.
    ridge : float, default=0.01
        Share of Euclid, relative to the mean size of the metrics, that is added to each of them, so that rows
        are distinguished even where a metric is zero or ignores a direction.
    tol : float, default=1e-2
        Relative duality gap of the metrics at which to stop.
    max_iter : int, default=500
        Most steps for the metrics.
    random_state : int, RandomState or None
        For k-means.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    anchors_ : ndarray of shape (m, d)
    weights_ : ndarray of shape (n_samples, m)
        Weights of the anchors at the training rows.
    metrics_ : ndarray of shape (m, d, d)
        The metrics, without the share of Euclid.
    distance_ : MixedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    objective_ : float
        Objective of the metrics, divided by the number of triplets.
    gap_ : float
        Relative duality gap of the metrics.
    weights_gap_ : float
        The same for the weights.
    n_iter_ : int
        Steps for the metrics.
    classes_, n_features_in_
        As for every learner.

    Notes
    -----
    Squared distances are measured in units of the mean squared distance to the impostors, so that the
    settings do not depend on the unit of the features. A step costs m (n d (d + K) + d^3) for m anchors and
    K neighbours, and there are some hundred steps: reduce more than about 100 features first. Memory is
    O(T + n d + m d^2) for T = n n_targets n_impostors triplets; a bound distance keeps n m (d + 1) numbers.

    References
    ----------
    Wang, Kalousis, Woznica (2012). Parametric local metric learning for nearest neighbor classification.
    NIPS.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin import KNNClassifier
    >>> from nearkin.learners.local.plml import PLML
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNNClassifier(PLML(n_anchors=3, random_state=0), n_neighbors=1).fit(X[::2], y[::2])
    >>> bool(model.score(X[1::2], y[1::2]) > 0.9)
    True
    """

    summary = "Metrics of anchor points, mixed smoothly over space; two convex problems."
    cost = "P·(n·K·d + n·d² + d³) per step"
    slow = True

    def __init__(
        self,
        n_anchors: int | Auto = "auto",
        smoothness: float = 100.0,
        locality: float = 1.0,
        shrinkage: float = 1.0,
        pull: float = 1.0,
        *,
        n_targets: int = 3,
        n_impostors: int = 10,
        ridge: float = 0.01,
        tol: float = 1e-2,
        max_iter: int = 500,
        random_state: RandomState = None,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.n_anchors = n_anchors
        self.smoothness = smoothness
        self.locality = locality
        self.shrinkage = shrinkage
        self.pull = pull
        self.n_targets = n_targets
        self.n_impostors = n_impostors
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"pull": [0.1, 1.0, 10.0]}

    @one_blas_thread
    def fit(self, X: MatrixLike, y: ColumnLike) -> Self:
        """Learn the weights, then the metrics.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels, at least two different ones.
        """
        X, codes = self._validate_labelled(X, y, min_classes=2)
        self._check_settings()
        span = Span.of(X)
        targets = same_class_neighbours(span.rows, codes, min(self.n_targets, len(X) - 1))
        impostors = other_class_neighbours(span.rows, codes, min(self.n_impostors, len(X) - 1))
        rows, places = np.nonzero(impostors >= 0)
        size = float(np.mean(row_distances(span.rows, span.rows, rows, impostors[rows, places])))
        near, far = _triplets(targets, impostors)
        if len(near) == 0 or size == 0:
            self._fall_back(X, "no row has both a target and an impostor apart from it")
            return self
        unit_rows = span.rows / np.sqrt(size)
        anchors = self._weigh(unit_rows)
        self.anchors_ = span.lifted(anchors * np.sqrt(size)) + X.mean(axis=0, dtype=np.float64)
        solution = self._solve(unit_rows, targets, impostors, near, far)
        self.objective_ = solution.objective / len(near)
        self.gap_, self.n_iter_ = solution.gap, solution.n_iter
        # The solver's rows were scaled by shrinkage and size; see `_solve`.
        factors = solution.factors.transpose(0, 2, 1) / ((2 * self.shrinkage) ** 0.25 * np.sqrt(size))
        if not factors.any():
            self._fall_back(X, "the triplets contradict each other and every metric is zero")
            return self
        self._keep(X, span, factors)
        keep_euclid(self, X, codes)
        if not solution.converged:
            warnings.warn(
                f"PLML stopped at max_iter={self.max_iter} with a relative gap of {solution.gap:.1e}; "
                "raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _check_settings(self) -> None:
        check_count(n_targets=self.n_targets, n_impostors=self.n_impostors)
        check_count(words=("auto",), n_anchors=self.n_anchors)
        check_number(smoothness=self.smoothness, locality=self.locality)
        check_number(pull=self.pull, ridge=self.ridge)
        check_positive(shrinkage=self.shrinkage)
        check_tolerance(self.tol, self.max_iter)

    def _weigh(self, rows: np.ndarray) -> np.ndarray:
        """Set the weights of the training rows; returns the anchors."""
        n = len(rows)
        wanted = self.n_anchors
        if wanted == "auto":
            wanted = min(MOST_ANCHORS, max(1, n // ROWS_PER_ANCHOR))
        # With fewer distinct rows than anchors, some clusters of k-means would be empty.
        wanted = min(int(wanted), len(np.unique(rows, axis=0)))
        rng = check_random_state(self.random_state)
        anchors = KMeans(wanted, n_init=1, random_state=rng).fit(rows).cluster_centers_
        k = min(GRAPH_NEIGHBOURS, n - 1)
        neighbours = nearest_other_rows(rows, k)
        squared = row_distances(rows, rows, np.repeat(np.arange(n), k), neighbours.ravel()).reshape(n, k)
        self.weights_, self.weights_gap_ = anchor_weights(
            rows,
            anchors,
            heat_laplacian(neighbours, np.sort(squared, axis=1)),
            locality=float(self.locality),
            smoothness=float(self.smoothness),
        )
        return anchors

    def _solve(self, rows, targets, impostors, near, far) -> MixtureSolution:
        neighbours = np.concatenate([targets, impostors], axis=1).T
        pull = np.zeros(neighbours.shape)
        pull[: targets.shape[1]] = float(self.pull) * (targets.T >= 0)
        # The solver's penalty is half the squared norm; scaling the rows gives the penalty asked for.
        scaled = rows / (2 * float(self.shrinkage)) ** 0.25
        return solve_psd_mixture(
            scaled,
            neighbours,
            near,
            far,
            self.weights_,
            pull,
            tol=float(self.tol),
            max_iter=int(self.max_iter),
        )

    def _keep(self, X: np.ndarray, span: Span, factors: np.ndarray) -> None:
        """Set the metrics and the distance from factors in the coordinates of the span."""
        inner = np.matmul(factors.transpose(0, 2, 1), factors)
        r = inner.shape[1]
        level = self.ridge * np.trace(inner, axis1=1, axis2=2).mean() / r
        values, vectors = np.linalg.eigh(inner)
        mixed = np.sqrt(np.maximum(values, 0) + level)[:, :, None] * vectors.transpose(0, 2, 1)
        lifted = np.stack([span.lifted(F) for F in mixed])
        self._factors, self._axes = factors, span.axes
        origin = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
        weights = self.weights_.astype(X.dtype, copy=False)
        self.distance_ = MixedDistance(NearestRowWeights(X, weights), lifted.astype(X.dtype), origin)

    @property
    def metrics_(self) -> np.ndarray:
        # Computed on demand: with many features they are far larger than everything else.
        check_is_fitted(self)
        factors = self._factors if self._axes is None else self._factors @ self._axes
        return np.matmul(factors.transpose(0, 2, 1), factors)

    def _fall_back(self, X: np.ndarray, reason: str) -> None:
        warnings.warn(f"PLML falls back to the Euclidean distance: {reason}.", UserWarning, stacklevel=3)
        d = X.shape[1]
        self.anchors_ = X.mean(axis=0, keepdims=True, dtype=np.float64)
        self.weights_, self._factors, self._axes = np.ones((len(X), 1)), np.eye(d)[None], None
        self.objective_, self.gap_, self.weights_gap_, self.n_iter_ = 1.0, 0.0, 0.0, 1
        self.distance_, self.euclid_share_ = EmbeddedDistance(), 1.0


def _triplets(targets: np.ndarray, impostors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pair numbers (rank * n + row, impostors after targets) of every target with every impostor."""
    n, k = targets.shape
    near = np.where(targets >= 0, np.arange(k) * n + np.arange(n)[:, None], -1)
    ranks = k + np.arange(impostors.shape[1])
    far = np.where(impostors >= 0, ranks * n + np.arange(n)[:, None], -1)
    near, far = np.repeat(near, impostors.shape[1], axis=1).ravel(), np.tile(far, (1, k)).ravel()
    whole = (near >= 0) & (far >= 0)
    return near[whole], far[whole]
