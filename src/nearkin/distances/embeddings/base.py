"""The contract every frozen embedding keeps."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from nearkin._types import MatrixLike


class Embedding(Protocol):
    """A fitted map of rows: n x d in, n x e out, dtype kept.

    A frozen dataclass of plain arrays, so that model files can hold it. What is still being learned is
    a `Map`, whose `freeze` leaves one of these.
    """

    def __call__(self, X: MatrixLike, /) -> np.ndarray: ...
