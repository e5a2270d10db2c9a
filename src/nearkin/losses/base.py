"""The contract every loss keeps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

#: Rows by which a loss judges how many pairs would count.
ROWS_PROBED = 60


class Loss(ABC):
    """A weighted mean over samples of how badly an embedding places them.

    A loss knows nothing of the map that made the embedding or of the solver that improves it.
    Settings live on the object, which `prepare` and `value_and_grad` leave as it is; everything that
    depends on the data lives in the state.
    """

    @abstractmethod
    def prepare(self, X, y, *, start=None, sample_weight=None) -> Any:
        """Everything that stays fixed during the optimisation.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            The input space, for losses that choose neighbours there.
        y : ndarray
            Class codes 0..C-1 (integers), or real targets of shape (n,) or (n, T).
        start : ndarray of shape (n, e), optional
            Where the rows lie before the first step, for losses that take a scale from there; X
            itself if missing.
        sample_weight : ndarray of shape (n,), optional
            Weight of each sample's part of the loss, all positive.
        """

    @abstractmethod
    def value_and_grad(self, Z: np.ndarray, state) -> tuple[float, np.ndarray]:
        """Value at the embedding Z (n x e) and its gradient, of the shape and dtype of Z."""

    #: How far a value may be from the exact one, relative to the larger of that and one.
    negligible: float = 0.0

    def forget(self, state) -> bool:
        """Make the next evaluation exact, dropping what the state remembers of earlier ones.

        Returns whether the last evaluation was less than exact; most losses remember nothing.
        """
        return False

    def pairs_per_row(self, Z: np.ndarray, state) -> float:
        """About how many neighbours of a row have a say at Z; zero for losses that weigh no pairs."""
        return 0.0

    def narrowed(self, state, rows: np.ndarray) -> Any:
        """The state of the same loss on some of the rows, with the scales of the whole."""
        raise NotImplementedError(f"{type(self).__name__} cannot be narrowed to some of its rows.")


def mean_weights(n: int, sample_weight=None) -> np.ndarray:
    """Weights that sum to one.

    >>> mean_weights(2, np.array([1.0, 3.0]))
    array([0.25, 0.75])
    """
    if sample_weight is None:
        return np.full(n, 1 / n)
    return np.asarray(sample_weight, dtype=np.float64) / np.sum(sample_weight, dtype=np.float64)


def class_segments(codes: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """The order that sorts rows by class (None if they are), and where each class starts then.

    >>> class_segments(np.array([1, 0, 1]))
    (array([1, 0, 2]), array([0, 1, 3]))
    """
    segments = np.concatenate([[0], np.cumsum(np.bincount(codes))])
    if np.all(codes[1:] >= codes[:-1]):
        return None, segments
    return np.argsort(codes, kind="stable"), segments


def centred(Z: np.ndarray, order: np.ndarray | None) -> np.ndarray:
    """Rows of Z in the given order, moved to their mean: distances stay, products keep more digits."""
    Z = Z if order is None else Z[order]
    return np.ascontiguousarray(Z - Z.mean(axis=0, dtype=np.float64).astype(Z.dtype))


def unsorted(dZ: np.ndarray, order: np.ndarray | None) -> np.ndarray:
    """Undo the reordering of `centred` on a gradient."""
    if order is None:
        return dZ
    out = np.empty_like(dZ)
    out[order] = dZ
    return out


def probed_rows(n: int) -> np.ndarray:
    """A few rows, evenly spread: where these are sorted by class, each class keeps its share.

    >>> probed_rows(3)
    array([0, 1, 2])
    """
    return np.unique(np.linspace(0, n - 1, ROWS_PROBED).astype(int))
