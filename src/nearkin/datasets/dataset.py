"""`Dataset`: features and what is to be predicted from them, ready for a learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from nearkin.datasets.encoding import TableEncoder
from nearkin.datasets.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

CLASSIFICATION = "classification"
REGRESSION = "regression"
TASKS = (CLASSIFICATION, REGRESSION)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features, targets and their names; immutable, its arrays are read-only.

    Parameters
    ----------
    name : str
        Name of the set, or the stem of the file it came from.
    X : ndarray, csr_matrix or DataFrame of shape (n_samples, n_features)
        Finite numbers; float32 and float64 are kept, everything else becomes float64. A data frame
        if categories, booleans or missing cells must be turned into numbers first, which is left to
        `encoder`, fitted on training rows only.
    y : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Labels (numbers, strings or booleans, as they were read) or real targets.
    task : {'classification', 'regression'}
    task_reason : str
        Why that task was chosen, as a text for users; empty if it was never in doubt.
    feature_names, target_names : tuple of str
    class_names : tuple of str
        One readable name per class, in the order of ``np.unique(y)``; empty for regression.
    train_indices, test_indices : ndarray of int or None
        The split published with the set, if there is one.
    source : str
        Where the data came from, as a text for users.
    encoder : TableEncoder or None
        The unfitted first step of every model of a data frame; None where X holds plain numbers.
    extras : mapping of str to ndarray
        Further arrays of the file, such as a second labelling.

    Examples
    --------
    >>> import numpy as np
    >>> data = Dataset("toy", np.eye(3), np.array(["a", "b", "a"]), "classification")
    >>> data.n_samples, data.n_features, data.n_classes, data.class_names
    (3, 3, 2, ('a', 'b'))
    >>> print(data)
    toy: 3 rows, 3 features, 2 classes
    """

    name: str
    X: np.ndarray | sp.csr_matrix | pd.DataFrame
    y: np.ndarray
    task: str
    feature_names: tuple[str, ...] = ()
    target_names: tuple[str, ...] = ()
    class_names: tuple[str, ...] = ()
    train_indices: np.ndarray | None = None
    test_indices: np.ndarray | None = None
    source: str = ""
    encoder: TableEncoder | None = None
    extras: Mapping[str, np.ndarray] = field(default_factory=dict)
    task_reason: str = ""

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise DataError(f"task is {self.task!r}; it must be 'classification' or 'regression'.")
        X = _float_matrix(self.X, self.name) if self.encoder is None else _checked_table(self.X, self.name)
        y = np.asarray(self.y)
        if y.ndim not in (1, 2) or y.shape[0] != X.shape[0]:
            raise DataError(f"{self.name}: X has {X.shape[0]} rows but the target has shape {y.shape}.")
        if self.task == CLASSIFICATION and y.ndim != 1:
            raise DataError(f"{self.name}: classification needs one target column, not {y.shape[1]}.")
        put = lambda key, value: object.__setattr__(self, key, value)  # noqa: E731 - frozen dataclass
        put("X", X)
        put("y", _read_only(y))
        put("feature_names", _names_or_default(self.feature_names, X.shape[1], "x"))
        _refuse_huge(X, self.feature_names, self.name)
        # Several targets that are labels are combined in one column.
        n_names = max(1, len(self.target_names)) if self.task == CLASSIFICATION else y[:1].size
        put("target_names", _names_or_default(self.target_names, n_names, "y"))
        if self.task == CLASSIFICATION and not self.class_names:
            put("class_names", tuple(str(label) for label in np.unique(y)))
        for key in ("train_indices", "test_indices"):
            if getattr(self, key) is not None:
                put(key, _read_only(np.asarray(getattr(self, key))))
        put("extras", MappingProxyType({key: _read_only(value) for key, value in self.extras.items()}))

    def __reduce__(self) -> tuple:
        # Through the constructor, so that copies and unpickled sets are read-only too.
        state = {part.name: getattr(self, part.name) for part in fields(self)}
        return partial(Dataset, **(state | {"extras": dict(self.extras)})), ()

    @property
    def n_samples(self) -> int:
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        return self.X.shape[1]

    @property
    def n_targets(self) -> int:
        return 1 if self.y.ndim == 1 else self.y.shape[1]

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for regression."""
        return len(np.unique(self.y)) if self.task == CLASSIFICATION else 0

    @property
    def is_sparse(self) -> bool:
        return sp.issparse(self.X)

    @property
    def has_split(self) -> bool:
        """Whether a train and test part is published with the set."""
        return self.train_indices is not None and self.test_indices is not None

    def take(self, rows: Any) -> Dataset:
        """The rows given by indices or a mask, in that order, without the published split."""
        return replace(
            self,
            X=take_rows(self.X, rows),
            y=self.y[rows],
            train_indices=None,
            test_indices=None,
            extras={k: v[rows] for k, v in self.extras.items() if v.shape[:1] == (self.n_samples,)},
        )

    def encoded(self) -> Dataset:
        """The set in plain numbers, its encoder fitted on all rows.

        For looking at data, and for protocols that encode a whole table beforehand; a model that is
        to be tested takes `encoder` as its first step instead.
        """
        if self.encoder is None:
            return self
        fitted = clone(self.encoder).fit(self.X)
        return replace(
            self,
            X=fitted.transform(self.X),
            feature_names=tuple(fitted.get_feature_names_out()),
            encoder=None,
        )

    def train(self) -> Dataset:
        """The published training part."""
        return self.take(self._published("train_indices"))

    def test(self) -> Dataset:
        """The published test part."""
        return self.take(self._published("test_indices"))

    def _published(self, key: str) -> np.ndarray:
        if not self.has_split:
            raise DataError(f"{self.name} has no published train/test split; split it yourself.")
        return getattr(self, key)

    def __str__(self) -> str:
        predicts = (
            f"{self.n_classes} classes" if self.task == CLASSIFICATION else f"{self.n_targets} target(s)"
        )
        split = ""
        if self.train_indices is not None and self.test_indices is not None:
            split = f", split {len(self.train_indices)}/{len(self.test_indices)}"
        kind = " (sparse)" if self.is_sparse else ""
        return f"{self.name}: {self.n_samples} rows, {self.n_features} features{kind}, {predicts}{split}"

    def __repr__(self) -> str:
        return f"<Dataset {self}>"


def take_rows(X: Any, rows: Any) -> Any:
    """Some rows of an array, a CSR matrix or a data frame, by indices or a mask."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _checked_table(X: pd.DataFrame, name: str) -> pd.DataFrame:
    """The table with its rows renumbered; its contents are left to the encoder."""
    if not hasattr(X, "iloc"):
        raise DataError(f"{name}: an encoder is for data frames; leave it out for plain numbers.")
    if 0 in X.shape:
        raise DataError(
            f"{name}: there is nothing to learn from {X.shape[0]} rows and {X.shape[1]} features."
        )
    return X.reset_index(drop=True)


def _refuse_huge(X, feature_names, name: str) -> None:
    """Refuse values too large to square and sum, which distances do."""
    if hasattr(X, "select_dtypes"):
        X = X.select_dtypes("number")
        feature_names, X = tuple(X.columns), X.to_numpy(dtype=np.float64, na_value=0.0)
        if X.size == 0:
            return
    ends = X.max(axis=0), X.min(axis=0)
    highest, lowest = (end.toarray().ravel() if sp.issparse(end) else end for end in ends)
    largest = np.maximum(highest, -lowest)
    if largest.max() > np.sqrt(np.finfo(X.dtype).max) / 1e4:
        column = int(np.argmax(largest))
        raise DataError(
            f"{name}: column {feature_names[column]!r} holds values up to {largest[column]:.3g}, too large "
            f"to square in {X.dtype}; give it in a larger unit or drop it."
        )


def _float_matrix(X, name: str):
    """X as read-only floats, dense or CSR in canonical form; anything not finite is refused."""
    if sp.issparse(X):
        X = sp.csr_matrix(X)
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        X.sum_duplicates()
        stored = X.data
    else:
        X = np.asarray(X)
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        stored = X
    if X.ndim != 2:
        raise DataError(f"{name}: X must be a table (2-d), but it has {X.ndim} dimension(s).")
    if 0 in X.shape:
        raise DataError(
            f"{name}: there is nothing to learn from {X.shape[0]} rows and {X.shape[1]} features."
        )
    if not np.isfinite(stored).all():
        raise DataError(f"{name}: X holds missing or infinite values; fill or remove them first.")
    if not sp.issparse(X):
        return _read_only(X)
    for part in (X.data, X.indices, X.indptr):
        part.setflags(write=False)
    return X


def _read_only(array: np.ndarray) -> np.ndarray:
    view = np.asarray(array).view()
    view.setflags(write=False)
    return view


def are_default_names(names: Sequence[str]) -> bool:
    """Whether these are the names that columns without any get.

    >>> are_default_names(["x1", "x2"]), are_default_names(["x1", "size"])
    (True, False)
    """
    return tuple(names) == _names_or_default((), len(names), "x")


def _names_or_default(names, count: int, prefix: str) -> tuple[str, ...]:
    if len(names) == count:
        return tuple(str(name) for name in names)
    if len(names) == 0:
        return (prefix,) if count == 1 and prefix == "y" else tuple(f"{prefix}{i + 1}" for i in range(count))
    raise DataError(f"{len(names)} names were given for {count} columns.")
