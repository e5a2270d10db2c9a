"""Distance metric learning through maximisation of the Jeffrey divergence."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nearkin._types import Auto, RandomState
from nearkin.learners.closed_form.direction_choice import counts_to_try
from nearkin.learners.closed_form.kernel_rows import KernelRows
from nearkin.learners.closed_form.two_scatters import TwoScatterLearner
from nearkin.learners.settings import check_choice, check_count
from nearkin.maps.kernel import KernelLike
from nearkin.numerics.linear_metric import generalised_eigenpairs

KERNEL_DIRECTIONS = 60


class DMLMJ(KernelRows, TwoScatterLearner):
    """Directions in which near similar and near dissimilar pairs are distributed most differently.

    The differences of each row to its nearest rows of its own class and of other classes are modelled as
    Gaussians with covariances S and D. The directions of greatest Jeffrey divergence (the symmetrised
    Kullback-Leibler divergence) solve ``D a = w S a`` and have the largest ``w + 1 / w``.

    Parameters
    ----------
    n_components : "auto", int or None, default="auto"
        Directions kept. "auto" takes the best number: by nearest neighbours on held-out rows if there are
        labels, by the ranking of held-out pairs if there are pairs of both kinds, and all otherwise. None
        keeps all; then D has no influence and the metric is S^-1.
    n_neighbors : int, default=5
        Neighbours of either kind for each row; fewer in small classes.
    order : {"jeffrey", "ratio"}, default="jeffrey"
        Which directions come first: those of greatest divergence, or those in which dissimilar pairs
        vary most relative to similar ones (w alone). The former also keeps directions in which *similar*
        pairs vary more, which is right for the divergence but may be bad for neighbours.
    kernel : None, {"rbf", "polynomial", "linear"}, callable or KernelMap, default=None
        Learn in the feature space of a kernel (KDMLMJ); a `KernelMap` has its settings, of which the width
        `gamma` matters most and may be best far below its default.
    shrinkage : "auto" or float, default="auto"
        How far either scatter is pulled towards a multiple of the identity, 0 to 1; "auto" is 1e-3, and
        1e-2 after a kernel.
    random_state : int, RandomState or None, default=None
        Draws the landmarks of a kernel if there are more rows than landmarks.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The directions as rows, with a'Sa = 1; not with a kernel. With more features than rows there are at
        most as many as the rows span; constant features have no weight.
    distance_ : EmbeddedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    n_components_ : int
        Directions kept.
    eigenvalues_ : ndarray of shape (n_components,)
        w of each direction.
    validation_scores_ : dict or None
        Score of each number of directions tried.
    objective_ : float
        Jeffrey divergence of the two Gaussians in the directions kept, ``sum (w + 1 / w) / 2 - 1``.
    lift_
        The feature map of the kernel; None without one.
    classes_, n_features_in_, n_iter_
        As for every learner; `classes_` only if fitted from labels.

    Notes
    -----
    Cost: a blocked search for neighbours (n^2 d), n d^2 for the scatters, d^3 for the decomposition.
    "auto" repeats all but the search for up to five folds, and looks for the neighbours of at most about
    2,000 held-out rows among at most 10,000; distances add up direction by direction, so all numbers of
    directions cost one pass.

    References
    ----------
    Nguyen, Morell, De Baets (2017). Supervised distance metric learning through maximization of the
    Jeffrey divergence. Pattern Recognition 64.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from nearkin.learners.closed_form.dmlmj import DMLMJ
    >>> X, y = load_wine(return_X_y=True)
    >>> DMLMJ(n_components=2).fit_transform(X, y).shape
    (178, 2)
    """

    summary = "Directions in which near similar and dissimilar pairs differ most; closed form, kernels."
    cost = "n²·d + n·d² + d³, once"

    def __init__(
        self,
        n_components: int | Auto | None = "auto",
        n_neighbors: int = 5,
        order: Literal["jeffrey", "ratio"] = "jeffrey",
        kernel: KernelLike | None = None,
        shrinkage: float | Auto = "auto",
        random_state: RandomState = None,
        *,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.order = order
        self.kernel = kernel
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"n_neighbors": [2, 5], "order": ["jeffrey", "ratio"]}

    def _check_settings(self, n_features):
        largest = n_features if self.kernel is None else None
        check_count(words=("auto", None), most=largest, n_components=self.n_components)
        check_count(n_neighbors=self.n_neighbors)
        check_choice(("jeffrey", "ratio"), order=self.order)
        self._check_shrinkage()

    def _candidates(self, n_directions):
        if self.n_components is None:
            return np.array([n_directions]), n_directions
        if self.n_components != "auto":
            count = min(self.n_components, n_directions)
            return np.array([count]), count
        most = n_directions if self.kernel is None else min(n_directions, KERNEL_DIRECTIONS)
        return counts_to_try(most), most

    def _directions(self, scatters):
        values, axes = generalised_eigenpairs(scatters.dissimilar, scatters.similar)
        if self.order == "jeffrey":
            order = np.argsort(-_divergences(values), kind="stable")
            values, axes = values[order], axes[order]
        return values, axes

    def _weights(self, values, setting):
        return (np.arange(len(values)) < setting).astype(float)

    def _finished(self, values, axes, setting):
        self.eigenvalues_ = values[:setting]
        self.objective_ = float(_divergences(self.eigenvalues_).sum())
        return axes[:setting]

    def _setting(self):
        return len(self.eigenvalues_)


def _divergences(values: np.ndarray) -> np.ndarray:
    """Jeffrey divergence along each direction, in which the variances are 1 and w."""
    values = np.maximum(values, np.finfo(np.float64).eps)
    return (values + 1 / values) / 2 - 1
