"""LMDL: a factor of a Mahalanobis metric for every prototype."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from nearkin._types import Auto, RandomState
from nearkin.distances.embeddings import CentredEmbedding
from nearkin.learners.prototype.base import PrototypeLearner
from nearkin.learners.prototype.coordinates import start_coordinates


class LMDL(PrototypeLearner):
    """Local Mahalanobis distance learning: prototypes, each with its own metric.

    Each class has a few prototypes p_s with factors L_s, and

        d_s(x) = ||L_s (x - p_s)||^2.

    A row is assigned to the class of its nearest prototype. Positions and factors minimise the mean over the
    training rows of ``1 / (1 + exp(beta (1 - R)))``, where R is the distance to the nearest prototype of
    the row's own class divided by that to the nearest other one: a smoothed error rate, in which rows far
    from the boundary, on either side, have no gradient.

    Parameters
    ----------
    n_prototypes : int, dict or "auto", default=5
        Prototypes per class: one number for all (fewer for a class with fewer distinct rows), a number for
        each class, or the number with the smallest cross-validated error on the training rows.
    rank : int, optional
        Rows of each factor. None is all coordinates if there are fewer than 64, else 32. With ``rank=2``,
        `project` shows the whole metric.
    beta : float, default=3.0
        Slope of the sigmoid. With a small one more rows have a gradient, which generalises better on noisy
        data; the original paper used 10.
    init : {"random", "kmeans"}, default="random"
        Prototypes start from random rows of the class or from its k-means centres. Training does not move
        a prototype from one part of a class to another: with few prototypes for multimodal classes choose
        "kmeans", or a larger `n_init`.
    init_metric : {"auto", "standard", "whiten", "pca", "identity"} or array (e, d), default="auto"
        The metric every prototype starts from: standardised features; the within-class covariance whitened;
        the leading principal components; plain Euclid; a given linear map. Training takes place in these
        coordinates, so "pca", "whiten" and an array with fewer rows than features also restrict it to a
        subspace. "auto" is "standard" up to 64 features and "pca" otherwise.
    n_components : int, optional
        Coordinates kept by "pca" and "whiten". None keeps all, at most 64.
    batch_size : int or "auto", default="auto"
        Rows per step; "auto" is 32, growing with the number of rows to at most 256.
    max_epochs : int, default=200
        Most epochs; if they run out, there is a ConvergenceWarning.
    tol : float, default=1e-3
        Training stops when the objective, a smoothed error rate, has not fallen by this much in ten epochs.
    early_stopping : bool, default=False
        Hold out some rows, stop by their objective and keep the parameters that are best for them.
    validation_fraction : float, default=0.1
        Share of the rows held out.
    n_init : int, default=1
        Runs from different starts; the one with the best objective is kept.
    random_state : int, RandomState or None
        Draws starts, batches and held-out rows.
    verbose : int, default=0
        Print every epoch.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of a prediction given to the votes of the three nearest training rows under plain Euclid; if it
        is above zero the model keeps the training rows. "auto" takes what works best on unseen rows, found
        by fitting halves of the samples (below 5,000 samples); 0 is the published method.

    Attributes
    ----------
    prototypes_ : array (P, d)
        Positions, in order of class.
    prototype_labels_ : array (P,)
    metrics_ : array (P, rank, d)
        The factors L_s, with axes that are orthogonal in the initial coordinates, the strongest first.
    distance_ : PerPrototypeDistance
        `distance_.to_prototypes(X)` gives the d_s; other references, as inside `KNNClassifier`, have the
        metric of their nearest prototype.
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    classes_ : array (C,)
    objective_ : float
        Mean smoothed error of the training rows.
    history_ : list of dict
        Objective of each epoch, and of the held-out rows.
    n_iter_ : int
        Epochs.
    n_features_in_ : int

    Notes
    -----
    With P prototypes and e coordinates an epoch costs n P rank e multiply-adds, and a prediction
    d e + P rank e. Equal rows of equal class are trained on as one row of summed weight, so the result
    does not depend on the order of the rows.

    References
    ----------
    Rajabzadeh, H., Jahromi, M. Z., Zare, M. S. & Fakhrahmad, S. M. (2018). Local distance metric learning
    for the nearest neighbor algorithm.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LMDL(n_prototypes=2, random_state=0).fit(X, y)
    >>> model.prototypes_.shape, model.metrics_.shape
    ((6, 4), (6, 4, 4))
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    summary: ClassVar[str] = "A few prototypes per class, each with its own Mahalanobis metric."
    cost: ClassVar[str] = "n·P·rank·e per epoch"

    def __init__(
        self,
        n_prototypes: int | dict[Any, int] | Auto = 5,
        rank: int | None = None,
        beta: float = 3.0,
        *,
        init: Literal["random", "kmeans"] = "random",
        init_metric: Literal["auto", "standard", "whiten", "pca", "identity"] | np.ndarray = "auto",
        n_components: int | None = None,
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
        self.init = init
        self.init_metric = init_metric
        self.n_components = n_components
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
        # A low rank regularises small classes; many prototypes suit many rows.
        return {"n_prototypes": [1, 5, 10], "rank": [None, max(2, min(n_features // 3, 16))]}

    def _start_embedding(self, X, y, weights, rng) -> CentredEmbedding:
        return start_coordinates(X, y, weights, self.init_metric, self.n_components)
