"""The contract of every frozen embedding."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from nearkin._types import MatrixLike


class Embedding(Protocol):
    """A fitted map of rows: n x d in, n x e out, same dtype.

    A frozen dataclass of plain arrays, so that model files can hold it. While it is still being learned it
    is called a `Map`, whose `freeze` returns an embedding.
    """

    def __call__(self, X: MatrixLike, /) -> np.ndarray: ...
