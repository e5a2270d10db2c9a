"""The contract of every map."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from nearkin._types import MatrixLike
from nearkin.distances.embeddings import Embedding


class Map(ABC):
    """A family of embeddings, one for each parameter vector theta (flat, float64).

    Settings live on the object, which no method modifies. What a map computes once per data set,
    such as kernel features, is its lift; everything else works on lifted rows F.
    """

    #: Whether distances between embedded rows do not change if all of F is translated.
    ignores_translation: ClassVar[bool] = False

    @property
    def given_start(self) -> bool:
        """Whether `start` returns parameters given by the user, in the unit of the features."""
        return False

    def lift(self, X: MatrixLike, rng: np.random.RandomState) -> Embedding | None:
        """A fixed map that is applied to the inputs first; None if there is none.

        An `AffineEmbedding` may only turn and move the rows of X: their unit is measured before it.
        """
        return None

    def lasting_lift(self, X: MatrixLike, rng: np.random.RandomState) -> Embedding | None:
        """A lift for rows to come, too, which may lie anywhere: not `lift` if that drops dimensions."""
        return self.lift(X, rng)

    @abstractmethod
    def start(self, F: MatrixLike, y: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
        """The parameters to begin with; y are class codes or real targets."""

    @abstractmethod
    def forward(self, theta: np.ndarray, F: MatrixLike) -> tuple[np.ndarray, Any]:
        """The embedding Z (n x e, dtype of F) and whatever `pullback` needs."""

    @abstractmethod
    def pullback(self, dZ: np.ndarray, cache: Any) -> np.ndarray:
        """The gradient in theta of a function whose gradient in Z is dZ."""

    def rescaled(self, theta: np.ndarray, unit: float, n_features: int) -> np.ndarray:
        """Parameters that map F to what theta maps F / unit to; this default is for maps linear in both."""
        return theta / unit

    @abstractmethod
    def freeze(self, theta: np.ndarray, lift: Embedding | None, n_features: int) -> Embedding:
        """The embedding of raw inputs at theta; plain arrays only, so that it can be stored.

        `n_features` is the number of columns of F.
        """
