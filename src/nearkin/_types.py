"""Type aliases that many annotations share.

Data has no static type: arrays, lists, sparse matrices, data frames and rows in blocks are told apart and
checked when a method is called, with a message that names the row and the remedy. Settings and results are
typed, so that a type checker catches a misspelt option or a misused result.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np

#: Rows and columns: what scikit-learn takes for X, and rows in blocks where a docstring says so.
MatrixLike: TypeAlias = Any
#: A label, target or weight for each row or pair: array, list or series.
ColumnLike: TypeAlias = Any
#: Anything that follows scikit-learn's conventions, fitted or not.
Estimator: TypeAlias = Any

Auto: TypeAlias = Literal["auto"]
FilePath: TypeAlias = "str | PathLike[str]"
RandomState: TypeAlias = "int | np.random.RandomState | None"

#: Where the optimisation of a linear map starts.
Start: TypeAlias = "Literal['auto', 'identity', 'pca', 'lda', 'random'] | np.ndarray"
KernelName: TypeAlias = Literal["rbf", "polynomial", "linear"]
#: A prior matrix.
Prior: TypeAlias = "Literal['identity', 'covariance'] | np.ndarray"
