"""Learning a linear map of the rows themselves, or of their features in the space of a kernel."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from nearkin._types import RandomState
from nearkin.distances import AffineEmbedding, EmbeddedDistance
from nearkin.distances.embeddings import ChainedEmbedding
from nearkin.maps import KernelMap
from nearkin.maps.kernel import KernelLike


class KernelRows:
    """Mixin of learners with `kernel` and `random_state`: lifts rows before, and joins the maps after."""

    kernel: KernelLike | None
    random_state: RandomState

    def _rows(self, X: np.ndarray) -> np.ndarray:
        """The rows to learn from; sets `lift_`, which is None without a kernel."""
        if self.kernel is None:
            self.lift_ = None
            return X
        features = self.kernel if isinstance(self.kernel, KernelMap) else KernelMap(kernel=self.kernel)
        self.lift_ = features.lift(X, check_random_state(self.random_state))
        return self.lift_(X)

    def _keep(self, L: np.ndarray) -> None:
        """Set the fitted attributes of the map L of `_rows`; `components_` only where it is a map of X."""
        self.n_components_ = len(L)
        if self.lift_ is None:
            self.components_ = L
            self.distance_ = EmbeddedDistance.symmetric(AffineEmbedding(L))
        else:
            self.__dict__.pop("components_", None)
            self.distance_ = EmbeddedDistance.symmetric(ChainedEmbedding(self.lift_, AffineEmbedding(L)))

    @property
    def _n_features_out(self) -> int:
        return self.n_components_
