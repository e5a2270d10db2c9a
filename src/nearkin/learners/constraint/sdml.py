"""Sparse metrics from pairs, by the graphical lasso: SDML."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from nearkin._types import Auto, Prior
from nearkin.learners.constraint.certified import warn_above
from nearkin.learners.constraint.priors import check_prior
from nearkin.learners.constraint.similar_scatter import mean_scatter
from nearkin.learners.settings import check_count, check_number, check_positive, check_share, check_tolerance
from nearkin.learners.weak_supervision import PairLearner
from nearkin.numerics.linear_metric import metric_factor, ridged
from nearkin.numerics.pair_scatter import class_scatters
from nearkin.numerics.sparse_inverse import sparse_inverse
from nearkin.supervision.label_pairs import all_pairs


class SDML(PairLearner):
    """Sparse distance metric learning.

    A metric near a prior under which similar pairs are near and dissimilar ones far, with zeros for pairs of
    features that need not interact.

    Parameters
    ----------
    balance : float in (0, 1), default=0.5
        Weight of the pairs relative to the prior, as a share of the largest for which the problem is well
        posed.
    sparsity : float, default=0.1
        Penalty on off-diagonal entries, as a multiple of the mean size of those in the matrix of the pairs
        and the prior; 0 for none. Large values give a diagonal metric.
    prior : {"identity", "covariance"} or ndarray of shape (n_features, n_features), default="identity"
        Metric to stay near: Euclid, the inverse covariance of the rows (with a ridge of a thousandth of the
        mean variance), or any positive definite matrix.
    n_components : int, optional
        Number of directions to keep, those that the metric stretches most; all by default.
    tol : float, default=1e-6
        Relative duality gap at which to stop.
    max_iter : int, default=200
        Largest number of Newton steps.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Square root of the metric, longest rows first.
    distance_ : EmbeddedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    sparsity_ : float
        Share of the off-diagonal entries that are zero.
    objective_ : float
        The objective of the notes.
    gap_ : float
        Duality gap, as a share of the objective's size (with features of unit variance) or, if that is
        larger, of their number.
    n_iter_ : int
        Newton steps taken.
    classes_, n_features_in_
        As for every learner; `classes_` only if fitted from labels.

    Notes
    -----
    Minimises ``tr((M0^-1 + eta K) M) - log det M + lam sum_{k != l} |M_kl|``, K being the mean scatter of the
    similar pairs minus that of the dissimilar ones: a graphical lasso, which has a solution only if
    ``M0^-1 + eta K`` is positive definite. Here eta is `balance` over the largest absolute eigenvalue of
    ``M0^(1/2) K M0^(1/2)``, which ensures that for any pairs. Labels imply all pairs of rows, but no list of
    them is made.

    Sparsity refers to the original features: unlike most metrics, this one is not equivariant under
    rotations. The result does not depend on a common unit of the features.

    Cost: T d + n d^2 for the scatters (labels: n d^2), then d^3 for each of some tens of
    sweeps over the entries. Memory: n d + d^2.

    References
    ----------
    G.-J. Qi, J. Tang, Z.-J. Zha, T.-S. Chua, H.-J. Zhang (2009). An efficient sparse metric learning in
    high-dimensional space via l1-penalized log-determinant regularization. ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from nearkin.learners.constraint.sdml import SDML
    >>> X, y = load_wine(return_X_y=True)
    >>> learner = SDML(sparsity=1.0).fit(X / X.std(axis=0), y)
    >>> learner.sparsity_ > 0.3, learner.gap_ <= 1e-6
    (True, True)
    """

    summary = (
        "Sparse metric near a prior from similar and dissimilar pairs, by the graphical lasso; certified."
    )
    cost = "n·d² + d³ per sweep"

    def __init__(
        self,
        balance: float = 0.5,
        sparsity: float = 0.1,
        *,
        prior: Prior = "identity",
        n_components: int | None = None,
        tol: float = 1e-6,
        max_iter: int = 200,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.balance = balance
        self.sparsity = sparsity
        self.prior = prior
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"balance": [0.5, 0.9], "sparsity": [0.1, 1.0]}

    def _check_settings(self, n_features: int) -> None:
        check_positive(balance=self.balance)
        check_share(balance=self.balance)
        check_number(sparsity=self.sparsity)
        check_prior(self.prior, n_features)
        check_count(words=(None,), most=n_features, n_components=self.n_components)
        check_tolerance(self.tol, self.max_iter)

    def _constraints_of_labels(self, X, codes):
        """All pairs; `fit` needs no list of them."""
        return all_pairs(codes)

    def _learn_from_labels(self, X, codes):
        similar, dissimilar = class_scatters(X, codes)
        return self._solve(X, similar - dissimilar)

    def _learn(self, X, constraints):
        K = np.zeros((X.shape[1], X.shape[1]))
        similar, dissimilar = constraints.split()
        for sign, pairs in ((1.0, similar), (-1.0, dissimilar)):
            if len(pairs):
                K += sign * mean_scatter(X, pairs)
        return self._solve(X, K)

    def _solve(self, X, K: np.ndarray) -> np.ndarray:
        start = self._inverse_prior(X)
        largest = float(np.abs(linalg.eigvalsh(K, start)).max())
        C = start + (self.balance / largest * K if largest > 0 else 0.0)
        off = ~np.eye(len(C), dtype=bool)
        price = self.sparsity * float(np.abs(C[off]).mean()) if off.any() else 0.0
        found = sparse_inverse(C, price, tol=self.tol, max_iter=self.max_iter)
        self.objective_, self.gap_, self.n_iter_ = found.objective, found.gap, max(1, found.n_iter)
        warn_above("SDML", found.gap, self.tol, found.n_iter)
        self.sparsity_ = float(np.mean(found.matrix[off] == 0)) if off.any() else 0.0
        return metric_factor(found.matrix, self.n_components)

    def _inverse_prior(self, X) -> np.ndarray:
        if isinstance(self.prior, str) and self.prior == "identity":
            return np.eye(X.shape[1])
        if isinstance(self.prior, str):
            rows = np.asarray(X, dtype=np.float64)
            rows = rows - rows.mean(axis=0)
            return ridged(rows.T @ rows / len(rows))
        return np.linalg.inv(np.asarray(self.prior, dtype=np.float64))
