"""Geometric mean metric learning: a point on the geodesic between two scatters of pairs."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import linalg

from nearkin._types import Auto
from nearkin.learners.closed_form.two_scatters import TwoScatterLearner
from nearkin.learners.settings import check_choice, check_count, check_number
from nearkin.numerics.linear_metric import cholesky_factor, fixed_signs, generalised_eigenpairs, metric_factor

#: Steps along the geodesic to try; the equivariant form may go beyond its end.
STEPS = np.arange(11) / 10
EQUIVARIANT_STEPS = np.arange(9) / 4


class GMML(TwoScatterLearner):
    """Geometric mean metric learning: similar pairs near under M, dissimilar ones near under its inverse.

    With S and D the mean scatters of similar and dissimilar pairs, ``tr(M S) + tr(M^-1 D)`` is smallest
    where ``M S M = D``: at the geometric mean of S^-1 and D. A step t other than one half takes another
    point of the geodesic from S^-1 (t = 0) to D (t = 1).

    Parameters
    ----------
    t : "auto" or float, default="auto"
        Step along the geodesic, 0 to 1 (0 to 2 if equivariant). "auto" takes the best of a grid: by
        nearest neighbours on held-out rows if there are labels, by the ranking of held-out pairs if there
        are pairs of both kinds, and one half otherwise.
    equivariant : bool, default=False
        Whether D is measured in units of S, ``M = U' diag(w^t) U`` with ``D u = w S u``, so that distances
        are invariant under invertible linear maps of the features. t = 0 whitens the scatter of similar
        pairs, as RCA does; t = 1 weights directions as linear discriminants do. Not part of the paper.
    pairs_from : {"all", "nearest"}, default="all"
        Which pairs are derived from labels: all, or each row with its nearest of either kind.
    n_neighbors : int, default=5
        Pairs of either kind for each row with ``pairs_from="nearest"``.
    n_components : int or None, default=None
        Directions kept, those of the largest eigenvalues of M; None keeps all.
    shrinkage : float, default=1e-3
        How far both scatters are shrunk towards a multiple of the identity, 0 to 1.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        L with M = L'L, largest directions first. With more features than rows there are at most as many
        as the rows span; constant features have no weight.
    distance_ : EmbeddedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    t_ : float
        The step taken.
    validation_scores_ : dict or None
        Score of each step tried.
    objective_ : float
        ``(1 - t) delta^2(M, S^-1) + t delta^2(M, D)``, which M minimises, delta being the Riemannian
        distance of positive definite matrices (in the equivariant form, S^-1 D S^-1 replaces D).
    classes_, n_features_in_, n_iter_
        As for every learner; `classes_` only if fitted from labels.

    Notes
    -----
    Cost: n d^2 for the scatters and d^3 for one decomposition, which is used for every t; with
    ``pairs_from="all"`` no pair is listed. "auto" repeats that for up to five folds and searches for the
    neighbours of at most about 2,000 held-out rows among at most 10,000, for each step of the grid.

    The published form depends on the units of the features: standardise them first.

    References
    ----------
    Zadeh, Hosseini, Sra (2016). Geometric mean metric learning. ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin.learners.closed_form.gmml import GMML
    >>> X, y = load_iris(return_X_y=True)
    >>> GMML(n_components=2).fit_transform(X, y).shape
    (150, 2)

    From pairs of rows that are known to be similar or dissimilar:

    >>> GMML(t=0.5).fit(X, pairs=[[0, 1], [50, 51], [0, 50]], similar=[1, 1, 0]).t_
    0.5
    """

    summary = "Geometric mean of the scatters of similar and dissimilar pairs; closed form."
    cost = "n·d² + d³, once"

    def __init__(
        self,
        t: float | Auto = "auto",
        equivariant: bool = False,
        pairs_from: Literal["all", "nearest"] = "all",
        n_neighbors: int = 5,
        n_components: int | None = None,
        shrinkage: float = 1e-3,
        *,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.t = t
        self.equivariant = equivariant
        self.pairs_from = pairs_from
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.shrinkage = shrinkage
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"equivariant": [False, True], "pairs_from": ["all", "nearest"]}

    def _check_settings(self, n_features):
        check_number(high=2 if self.equivariant else 1, words=("auto",), t=self.t)
        check_choice(("all", "nearest"), pairs_from=self.pairs_from)
        check_count(n_neighbors=self.n_neighbors)
        check_count(words=(None,), most=n_features, n_components=self.n_components)
        check_number(high=1, shrinkage=self.shrinkage)

    def _near_pairs(self):
        return None if self.pairs_from == "all" else super()._near_pairs()

    def _candidates(self, n_directions):
        if self.t != "auto":
            return np.array([self.t]), self.t
        return EQUIVARIANT_STEPS if self.equivariant else STEPS, 0.5

    def _directions(self, scatters):
        S, D = scatters
        if self.equivariant:
            return generalised_eigenpairs(D, S)
        # With S = R R' the geodesic is R^-T (R' D R)^t R^-1: its powers share their eigenvectors.
        R = cholesky_factor(S)
        values, vectors = np.linalg.eigh(R.T @ D @ R)
        return values, fixed_signs(linalg.solve_triangular(R, vectors, lower=True, trans="T").T)

    def _weights(self, values, setting):
        return _positive(values) ** setting

    def _finished(self, values, axes, setting):
        self.t_ = float(setting)
        self.objective_ = float(self.t_ * (1 - self.t_) * np.sum(np.log(_positive(values)) ** 2))
        M = (axes.T * self._weights(values, self.t_)) @ axes
        return metric_factor(M, self.n_components)

    def _setting(self):
        return self.t_


def _positive(values: np.ndarray) -> np.ndarray:
    """Eigenvalues with those that rounding has made zero or negative replaced by tiny ones."""
    return np.maximum(values, np.finfo(np.float64).eps * max(values.max(), np.finfo(np.float64).tiny))
