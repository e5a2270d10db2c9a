"""LPD: a weight per feature for every prototype."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from nearkin._types import Auto, RandomState
from nearkin.distances.embeddings import CentredEmbedding
from nearkin.learners.prototype.base import PrototypeLearner
from nearkin.learners.prototype.coordinates import start_coordinates
from nearkin.learners.settings import check_choice


class LPD(PrototypeLearner):
    """Learning prototypes and distances: prototypes, each with its own feature weights.

    The special case of `LMDL` with diagonal factors: ``d_s(x) = sum_j w_sj^2 (x_j - p_sj)^2``. It has far
    fewer parameters, so it suits small samples, and the weights show which features matter where.

    Parameters
    ----------
    n_prototypes : int, dict or "auto", default=5
        Prototypes per class, as for `LMDL`.
    beta : float, default=3.0
        Slope of the sigmoid in the objective.
    init : {"random", "kmeans"}, default="random"
        As for `LMDL`.
    init_metric : {"auto", "standard", "identity"}, default="auto"
        The initial weights: one over the standard deviation ("auto" and "standard"), or one.
    batch_size, max_epochs, tol, early_stopping, validation_fraction, n_init, random_state, verbose
        As for `LMDL`.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in a prediction, as for `LMDL`; 0 is the published method.

    Attributes
    ----------
    prototypes_ : array (P, d)
        Positions, in order of class.
    prototype_labels_ : array (P,)
    metrics_ : array (P, d)
        The weights w_s.
    distance_ : PerPrototypeDistance
        `distance_.to_prototypes(X)` gives the d_s; other references, as inside `KNNClassifier`, have the
        weights of their nearest prototype.
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    classes_, objective_, history_, n_iter_, n_features_in_
        As for `LMDL`.

    Notes
    -----
    An epoch costs about 4 n P d multiply-adds for P prototypes, a prediction 2 P d.

    References
    ----------
    Paredes, R. & Vidal, E. (2006). Learning prototypes and distances: a prototype reduction technique
    based on nearest neighbor error minimization. Pattern Recognition 39(2), 180-188.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LPD(n_prototypes=2, random_state=0).fit(X, y)
    >>> model.prototypes_.shape, model.metrics_.shape
    ((6, 4), (6, 4))
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    summary: ClassVar[str] = "A few prototypes per class, each with its own feature weights."
    cost: ClassVar[str] = "4·n·P·d per epoch"

    def __init__(
        self,
        n_prototypes: int | dict[Any, int] | Auto = 5,
        beta: float = 3.0,
        *,
        init: Literal["random", "kmeans"] = "random",
        init_metric: Literal["auto", "standard", "identity"] = "auto",
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
        self.beta = beta
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
        return {"n_prototypes": [1, 5, 10], "beta": [3.0, 10.0]}

    def _start_embedding(self, X, y, weights, rng) -> CentredEmbedding:
        check_choice(("auto", "standard", "identity"), init_metric=self.init_metric)
        kind = "standard" if self.init_metric == "auto" else self.init_metric
        return start_coordinates(X, y, weights, kind, None)

    def _resolve_rank(self, n_coordinates) -> None:
        return None
