"""LEGO: a metric learned from a stream of pairs, with one closed-form update each."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.utils.validation import validate_data

from nearkin._types import Auto, ColumnLike, MatrixLike, RandomState
from nearkin.learners.constraint.itml import prior_bounds
from nearkin.learners.euclid_share import blend_with_euclid, check_euclid_share
from nearkin.learners.settings import check_bounds, check_count, check_positive
from nearkin.learners.weak_supervision import PairLearner
from nearkin.numerics.linear_metric import row_axes
from nearkin.numerics.threads import one_blas_thread
from nearkin.rows_in_blocks import refuse_blocks
from nearkin.supervision.constraints import Pairs
from nearkin.supervision.label_pairs import balanced_pairs


class LEGO(PairLearner):
    """Online metric learning with LogDet regularisation, from a stream of pairs.

    Every pair that violates its bound changes the metric to the best compromise between the LogDet
    divergence from the old metric and the violation. The metric stays positive definite, and nothing else
    of the past is stored.

    Parameters
    ----------
    eta : float, default=0.1
        Learning rate: weight of the squared violation of a pair, relative to its bound.
    bounds : (float, float), optional
        Distances (not squared) within which similar pairs should lie, and beyond which dissimilar ones
        should; by default the 5th and 95th percentile of the distances between the first rows seen.
    n_pairs : int or "auto", default="auto"
        Pairs made from labels; "auto" is 40 C (C - 1) for C classes, at least 40 and at most 20 for each row.
    n_passes : int, default=1
        Passes of `fit` over its pairs; `partial_fit` makes one.
    random_state : int, RandomState instance or None, default=None
        Draws pairs from labels; None always draws the same ones.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        A square root of the metric. After a `fit` to fewer rows than features it has as many rows as the
        data, in their span; outside it the data do not differ.
    distance_ : EmbeddedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    bounds_ : (float, float)
        The bounds used, those of the first call.
    n_updates_ : int
        Number of pairs so far that changed the metric.
    objective_ : float
        Mean loss of the last pairs seen, each before it was learned from.
    n_iter_ : int
        Passes over pairs so far.
    classes_, n_features_in_
        As for every learner; `classes_` only if fitted from labels.

    Notes
    -----
    For a pair with difference v, bound y and squared distance p, the next metric minimises
    ``Dld(A, A_t) + eta (v'Av / y - 1)^2``. The squared distance q of the pair under it solves a quadratic
    equation, and the update of A = L'L is ``L <- L - (1 - sqrt(q / p)) / p (Lv)(Lv)'L``. This form of the
    update is stable for streams of any length.

    There is no duality gap: the metric depends on the order of the pairs. `ITML` solves the problem for all
    pairs together.

    Cost: d^2 for each pair, and n d^2 once for each call. Memory: n d + d^2.

    References
    ----------
    P. Jain, B. Kulis, I. S. Dhillon, K. Grauman (2008). Online metric learning and fast similarity search.
    NIPS.

    Examples
    --------
    >>> import numpy as np
    >>> from nearkin.learners.constraint.lego import LEGO
    >>> X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [4.0, 3.0]])
    >>> learner = LEGO(bounds=(1.0, 3.0))
    >>> for _ in range(20):  # rows that differ in the first feature alone belong together
    ...     learner = learner.partial_fit(X, pairs=[[0, 1], [0, 2]], similar=[True, False])
    >>> learner.pair_distances(X, [[2, 3], [1, 3]]).round(1)
    array([1., 3.])
    """

    summary = "Learns from a stream of pairs, one closed-form update each (partial_fit)."
    cost = "d² per pair"

    def __init__(
        self,
        eta: float = 0.1,
        *,
        bounds: tuple[float, float] | None = None,
        n_pairs: int | Auto = "auto",
        n_passes: int = 1,
        random_state: RandomState = None,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.eta = eta
        self.bounds = bounds
        self.n_pairs = n_pairs
        self.n_passes = n_passes
        self.random_state = random_state
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"eta": [0.01, 0.1, 1.0]}

    def _keep(self, L) -> None:
        super()._keep(L)
        # `partial_fit` continues from this map, not from the blend with Euclid.
        self._learned = L

    @one_blas_thread
    def partial_fit(
        self,
        X: MatrixLike,
        y: ColumnLike | None = None,
        *,
        pairs: MatrixLike | None = None,
        similar: ColumnLike | None = None,
        constraint_weight: ColumnLike | None = None,
    ) -> Self:
        """Continue learning from more pairs, in the given order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows that these pairs join.
        y : array-like of shape (n_samples,), optional
            Labels of these rows; not with `pairs`.
        pairs : array-like of int of shape (n_pairs, 2), optional
            Numbers of the rows of this X.
        similar : array-like of shape (n_pairs,), optional
            Whether the rows of each pair belong together. By default all do.
        constraint_weight : array-like of shape (n_pairs,), optional

        Returns
        -------
        self
        """
        refuse_blocks(X, type(self).__name__)
        begun = hasattr(self, "components_")
        if (y is None) == (pairs is None):
            raise ValueError("LEGO learns from labels y or from pairs: give one of them.")
        kinds = {"dtype": [np.float64, np.float32], "ensure_min_samples": 2, "reset": not begun}
        X = validate_data(self, X, **kinds) if y is None else validate_data(self, X, y, **kinds)[0]
        self._check_settings(X.shape[1])
        if y is None:
            given = Pairs.checked(pairs, similar, n_samples=len(X), weight=constraint_weight)
        else:
            given = self._constraints_of_labels(X, np.unique(y, return_inverse=True)[1].ravel())
        if not begun:
            self._begin(X)
        check_euclid_share(self.euclid_share)
        L = _of_all_features(self._learned.astype(np.float64)) if begun else np.eye(X.shape[1])
        share = self.euclid_share_ if begun else 0.0 if self.euclid_share == "auto" else self.euclid_share
        self._keep(self._through(L, X, given).astype(X.dtype))
        blend_with_euclid(self, X, float(share))  # type: ignore[arg-type]
        return self

    def _check_settings(self, n_features: int) -> None:
        check_positive(eta=self.eta)
        check_bounds(self.bounds)
        check_count(words=("auto",), n_pairs=self.n_pairs)
        check_count(n_passes=self.n_passes)

    def _constraints_of_labels(self, X, codes):
        n, n_classes = len(codes), int(codes.max()) + 1
        n_pairs = min(max(40, 40 * n_classes * (n_classes - 1)), 20 * n)
        rng = self._rng()
        pairs = balanced_pairs(codes, n_pairs if self.n_pairs == "auto" else self.n_pairs, rng)
        # Shuffled, because the last pairs seen have the most influence.
        return pairs.take(rng.permutation(len(pairs)))

    def _begin(self, X) -> None:
        rows = np.asarray(X, dtype=np.float64)
        given = self.bounds
        self.bounds_ = (
            prior_bounds(rows, self._rng()) if given is None else (float(given[0]), float(given[1]))
        )
        self.n_updates_ = self.n_iter_ = 0

    def _learn(self, X, constraints):
        self._begin(X)
        # Every update lies in the span of the rows.
        axes = row_axes(X) if len(X) < X.shape[1] else None
        rows = X if axes is None else X @ axes.T
        L = np.eye(rows.shape[1])
        for _ in range(self.n_passes):
            L = self._through(L, rows, constraints)
        return L if axes is None else L @ axes

    def _through(self, L: np.ndarray, X, pairs: Pairs) -> np.ndarray:
        """One pass over the pairs, starting from the map L, which is not modified."""
        rows = np.asarray(X, dtype=np.float64)
        near, far = np.square(self.bounds_)
        loss, L = 0.0, L.copy()
        for i, j, similar, weight in zip(pairs.left, pairs.right, pairs.similar, pairs.weight):
            target = near if similar else far
            image = L @ (rows[i] - rows[j])
            p = float(image @ image) / target
            holds = p <= 1 if similar else p >= 1
            # Nothing can be learned from equal rows marked as dissimilar: no metric separates them.
            if holds or p == 0:
                continue
            loss += weight * (p - 1) ** 2
            q = next_length(p, self.eta * weight)
            L -= ((1 - np.sqrt(q / p)) / (p * target)) * np.outer(image, image @ L)
            self.n_updates_ += 1
        self.objective_ = loss / max(1, len(pairs))
        self.n_iter_ += 1
        return L


def _of_all_features(L: np.ndarray) -> np.ndarray:
    """A map of all features: the metric of L in the span of its rows, plain Euclid in the complement.

    >>> whole = _of_all_features(np.array([[0.0, 2.0]]))
    >>> (whole.T @ whole).round(12)
    array([[1., 0.],
           [0., 4.]])
    """
    if len(L) == L.shape[1]:
        return L
    axes = row_axes(L)
    return np.eye(L.shape[1]) + axes.T @ (L @ axes.T - np.eye(len(L))) @ axes


def next_length(p: float, eta: float) -> float:
    """The squared length q of a pair after its update; both lengths are relative to the bound.

    It solves ``q = p / (1 + 2 eta (q - 1) p)``, and lies between p and 1.

    >>> round(next_length(2.0, 0.5), 4)  # q + 2 q (q - 1) = 2
    1.2808
    """
    e = 2 * eta
    b = 1 - e * p
    root = np.sqrt(b * b + 4 * e * p * p)
    # Of the two forms of the root, the one without cancellation.
    return float(2 * p / (b + root)) if b > 0 else float((root - b) / (2 * e * p))
