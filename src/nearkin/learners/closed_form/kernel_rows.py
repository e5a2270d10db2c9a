"""Linear maps of the rows themselves, or of their features in the space of a kernel."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from nearkin._types import Auto, RandomState
from nearkin.distances import AffineEmbedding, EmbeddedDistance
from nearkin.distances.embeddings import ChainedEmbedding
from nearkin.learners.settings import check_number
from nearkin.maps import KernelMap
from nearkin.maps.kernel import KernelLike

#: Default shrinkage of a scatter without and with a kernel.
USUAL_SHRINKAGE, KERNEL_SHRINKAGE = 1e-3, 1e-2


class KernelRows:
    """Mixin of learners with `kernel`, `shrinkage`, `random_state`: lifts rows and composes the maps."""

    kernel: KernelLike | None
    shrinkage: float | Auto
    random_state: RandomState

    def _check_shrinkage(self) -> None:
        check_number(high=1, words=("auto",), shrinkage=self.shrinkage)

    def _share(self) -> float:
        """How far a scatter is shrunk towards a multiple of the identity."""
        if self.shrinkage == "auto":
            return USUAL_SHRINKAGE if self.kernel is None else KERNEL_SHRINKAGE
        return self.shrinkage

    def _rows(self, X: np.ndarray) -> np.ndarray:
        """The rows to learn from; sets `lift_`, which is None without a kernel."""
        if self.kernel is None:
            self.lift_ = None
            return X
        features = self.kernel if isinstance(self.kernel, KernelMap) else KernelMap(kernel=self.kernel)
        self.lift_ = features.lift(X, check_random_state(self.random_state))
        return self.lift_(X)

    def _keep(self, L: np.ndarray) -> None:
        """Set the fitted attributes of the map L of `_rows`; `components_` only without a kernel."""
        self.n_components_ = len(L)
        if self.lift_ is None:
            self.components_ = L
            self.distance_ = EmbeddedDistance.symmetric(AffineEmbedding(L))
        else:
            self.__dict__.pop("components_", None)
            self.distance_ = EmbeddedDistance.symmetric(ChainedEmbedding(self.lift_, AffineEmbedding(L)))
