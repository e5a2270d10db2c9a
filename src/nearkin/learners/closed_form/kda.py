"""Kernel discriminant analysis: nearest class means under the inverse scatter within classes."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state

from nearkin._types import Auto, ColumnLike, MatrixLike, RandomState
from nearkin.distances import AffineEmbedding, EmbeddedDistance
from nearkin.distances.embeddings import ChainedEmbedding
from nearkin.learners.base import EmbeddingLearner
from nearkin.learners.closed_form.kernel_choice import KernelChoice, KernelPolicy, judged_choice
from nearkin.learners.euclid_share import check_euclid_share
from nearkin.learners.euclid_vote import EuclidVote
from nearkin.learners.settings import check_positive
from nearkin.maps import KernelMap
from nearkin.maps.kernel import KernelLike
from nearkin.numerics.blocks import blocks
from nearkin.numerics.discriminants import Discriminants, calibrated
from nearkin.numerics.linear_metric import fixed_signs
from nearkin.numerics.mercer import check_kernel, kernel_scale
from nearkin.numerics.threads import one_blas_thread
from nearkin.rows_in_blocks import by_blocks


class KDA(EuclidVote, ClassifierMixin, EmbeddingLearner):
    """Kernel discriminant analysis: nearest class mean in a kernel space whitened within classes.

    Rows are mapped to the feature space of a kernel, and the metric there is the inverse of the scatter
    within classes, with a ridge. A row is assigned to the class with the nearest mean, with a small advantage
    for larger classes. Only the subspace of the class means matters, of one dimension less than classes.

    Parameters
    ----------
    kernel : "auto", {"rbf", "polynomial", "linear"}, callable, KernelMap or None, default="auto"
        "auto" chooses among rbf kernels of four widths and the quadratic polynomial. None and "linear" are
        linear discriminant analysis; a `KernelMap` has its own settings.
    shrinkage : "auto" or float, default="auto"
        The ridge, as a share of the largest variance within classes. "auto" chooses from 1e-4 to 0.1.
    temperature : "auto" or float, default="auto"
        Divisor of the squared distances to the means before they become probabilities: unseen rows lie
        farther from the means than the rows that the metric was estimated from. 1 means no correction.
    random_state : int, RandomState or None, default=None
        Draws the landmarks of a kernel if there are more rows than landmarks.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of a prediction given to the votes of the three nearest training rows under plain Euclid; if it
        is above zero the model keeps the training rows. "auto" takes what works best on unseen rows (below
        5,000 samples); 0 is the published method.

    Attributes
    ----------
    kernel_ : KernelMap
    shrinkage_, temperature_, euclid_share_ : float
        The settings in use.
    means_ : ndarray of shape (n_classes, n_components)
        Class means in the learned space.
    distance_ : EmbeddedDistance
        Between rows in the learned space, as inside `KNNClassifier`.
    n_components_ : int
        Dimensions of the learned space: at most one less than there are classes.
    lift_
        The feature map of the kernel.
    classes_, n_features_in_, n_iter_
        As for every learner.

    Notes
    -----
    n q^2 + q^3 multiply-adds for q landmarks, at most 500 of them. Settings that are "auto" are chosen on up
    to 1,000 rows in three folds, with a decomposition of q^3 for each of five kernels and each fold. Rows
    are lifted block by block. A prediction costs q (d + C).

    References
    ----------
    G. Baudat, F. Anouar (2000). Generalized discriminant analysis using a kernel approach. Neural
    Computation 12(10).

    S. Mika, G. Raetsch, J. Weston, B. Schoelkopf, K.-R. Mueller (1999). Fisher discriminant analysis with
    kernels. Neural Networks for Signal Processing IX.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> X, y = make_circles(200, noise=0.05, factor=0.5, random_state=0)
    >>> model = KDA().fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]), model.transform(X).shape
    (1.0, (200, 1))
    """

    summary: ClassVar[str] = "Nearest class means in the space of a kernel, whitened within classes."
    cost: ClassVar[str] = "n·q² + q³, q landmarks"

    #: What "auto" tries.
    kernel_policy: ClassVar[KernelPolicy] = KernelPolicy()

    def __init__(
        self,
        kernel: KernelLike | Auto | None = "auto",
        shrinkage: float | Auto = "auto",
        temperature: float | Auto = "auto",
        random_state: RandomState = None,
        *,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.kernel = kernel
        self.shrinkage = shrinkage
        self.temperature = temperature
        self.random_state = random_state
        self.euclid_share = euclid_share

    @one_blas_thread
    def fit(self, X: MatrixLike, y: ColumnLike) -> Self:
        """Find the class means and the metric around them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels, at least two different ones.
        """
        X, codes = self._validate_labelled(X, y, min_classes=2)
        self._check_settings()
        chosen = self._settled(X, codes)
        self.kernel_, self.shrinkage_, self.temperature_, self.euclid_share_ = chosen
        lift = self.lift_ = self.kernel_.lift(X, check_random_state(self.random_state))
        parts = (
            (lift(X[rows]).astype(np.float64), codes[rows])
            for rows in blocks(len(X), lift.whitening.shape[1])
        )
        self._keep(Discriminants.of(parts, len(self.classes_)), X.dtype)
        self._voting = (X, codes) if self.euclid_share_ else None
        return self

    def _check_settings(self) -> None:
        check_positive(words=("auto",), shrinkage=self.shrinkage, temperature=self.temperature)
        check_euclid_share(self.euclid_share)
        if not (self.kernel is None or self.kernel == "auto" or isinstance(self.kernel, KernelMap)):
            check_kernel(self.kernel)

    def _settled(self, X: np.ndarray, codes: np.ndarray) -> KernelChoice:
        """The settings that were given, with those that are "auto" chosen."""
        policy = self.kernel_policy
        shrinkages = policy.shrinkages if self.shrinkage == "auto" else (float(self.shrinkage),)
        temperatures = policy.temperatures if self.temperature == "auto" else (float(self.temperature),)
        kernels = self._kernels(X)
        share = 0.0 if self.euclid_share == "auto" else float(self.euclid_share)  # type: ignore[arg-type]
        shared = self.euclid_share == "auto" and len(X) < self.share_policy.auto_below
        if not shared and max(map(len, (kernels, shrinkages, temperatures))) == 1:
            return KernelChoice(kernels[0], shrinkages[0], temperatures[0], share)
        sharing = self.share_policy if shared else None
        found = judged_choice(X, codes, kernels, shrinkages, temperatures, sharing, self.kernel_policy)
        return found if shared else found._replace(share=share)

    def _kernels(self, X: np.ndarray) -> list[KernelMap]:
        if isinstance(self.kernel, KernelMap):
            return [self.kernel]
        policy = self.kernel_policy
        most = policy.n_landmarks
        if self.kernel != "auto":
            return [KernelMap(kernel="linear" if self.kernel is None else self.kernel, n_landmarks=most)]
        scale = kernel_scale(X, "scale")
        curved = [KernelMap(gamma=width * scale, n_landmarks=most) for width in policy.widths]
        return [*curved, KernelMap(kernel="polynomial", degree=2, gamma=scale, n_landmarks=most)]

    def _keep(self, found: Discriminants, dtype) -> None:
        """Set the fitted attributes: of the whitened space, the directions in which the class means lie."""
        scales = np.sqrt(found.weights(self.shrinkage_))
        means = found.means * scales
        _, lengths, axes = np.linalg.svd(means, full_matrices=False)
        kept = max(1, int(np.sum(lengths > 1e-9 * lengths[0])))
        axes = fixed_signs(axes[: min(kept, len(means) - 1)])
        L = (axes * scales) @ found.axes.T
        self.means_ = ((means + found.centre * scales) @ axes.T).astype(dtype)
        self.n_components_ = len(L)
        self._log_priors = found.log_priors
        self.n_iter_ = 1
        embedding = ChainedEmbedding(self.lift_, AffineEmbedding(L.astype(dtype)))
        self.distance_ = EmbeddedDistance.symmetric(embedding)

    def _own_proba(self, X: np.ndarray) -> np.ndarray:
        Z = self.distance_.embed_queries(X)
        # The squared length of a row is the same in all its distances, so it is left out.
        scores = Z @ self.means_.T - 0.5 * np.square(self.means_).sum(axis=1)
        return calibrated(scores, self._log_priors, self.temperature_)

    @by_blocks
    def predict(self, X: MatrixLike) -> np.ndarray:
        """The most probable class of each row."""
        P = self._shared_proba(self._validate_new(X))
        return self.classes_[P.argmax(axis=1)]

    @by_blocks
    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Class probabilities, in the order of `classes_`."""
        return self._shared_proba(self._validate_new(X))
