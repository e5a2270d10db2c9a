"""`TableEncoder`: columns of a table into numbers, learnt from training rows only.

It is the first step of a model's pipeline, so that medians and categories never come from rows that
the model is tested on. scikit-learn's ColumnTransformer, SimpleImputer and OneHotEncoder do the work;
this class finds columns by name and explains what cannot be used. skrub's TableVectorizer has the same
idea, but guesses where this refuses (identifiers, faulty cells, missing values), and a dependency of its
size would not be worth the two hundred lines that it saves.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from nearkin._types import ColumnLike, MatrixLike
from nearkin.datasets.columns import (
    CATEGORY,
    DATE,
    NUMBER,
    as_booleans,
    as_categories,
    as_numbers,
    column_kind,
    notice_identifier,
    refuse_identifier,
)
from nearkin.datasets.dates import DateParts, as_dates
from nearkin.datasets.errors import DataError, DataNotice, close_matches, shortened
from nearkin.datasets.filling import IMPUTE_CHOICES, KNN, NearRowsFiller, column_filler

if TYPE_CHECKING:
    import pandas as pd

# Name of the feature that the rare values of a column share.
RARE = "(rare)"


class TableEncoder(TransformerMixin, BaseEstimator):
    """Numbers from the columns of a table: a scikit-learn transformer.

    Numbers pass through; booleans become 0/1; dates become year, month, day, weekday and hour; a
    categorical column with b values becomes b columns ``name=value`` of zeros and ones. Columns are
    found by name, in any order; columns that were not there at fit time are ignored. A category never
    seen in training becomes all zeros (or counts as rare), with a `DataNotice`. A missing cell is an
    error unless `impute` is given.

    Parameters
    ----------
    impute : {None, 'median', 'mean', 'most-frequent', 'knn'}
        What fills missing cells of numbers and dates: a figure of the column's training cells, or
        the mean of the five nearest training rows. Other columns get their most frequent training
        value. A column with no known cell in the training rows becomes constant.
    categorical : sequence of str
        Columns whose values are codes, whatever they look like. Text columns are found without
        being listed; there most rows must share their value with others, else the column is
        refused as an identifier.
    max_categories : int or None
        Features that a categorical column may become: where there are more values, the rarest share
        one, ``name=(rare)``, with a `DataNotice`. None is no limit.

    Attributes
    ----------
    kinds_ : dict of str to {'number', 'boolean', 'date', 'category'}
        What each column of the training table holds.
    columns_ : ColumnTransformer
        The fitted imputers and one-hot encoders, one per run of columns of one kind.
    filler_ : NearRowsFiller or None
        What fills by near rows, for ``impute="knn"``.
    dtype_ : numpy dtype
        float32 if every column of the training table was float32 (or smaller), else float64.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    One pass over the table; memory is the encoded matrix and a copy of the columns.

    Examples
    --------
    >>> import pandas as pd
    >>> train = pd.DataFrame({"size": [1.0, 2.5], "colour": ["red", "blue"]})
    >>> encoder = TableEncoder().fit(train)
    >>> encoder.get_feature_names_out().tolist()
    ['size', 'colour=blue', 'colour=red']
    >>> encoder.transform(pd.DataFrame({"colour": ["red"], "size": [7]}))
    array([[7., 0., 1.]])
    """

    def __init__(
        self,
        impute: str | None = None,
        categorical: Sequence[str] = (),
        max_categories: int | None = 50,
    ) -> None:
        self.impute = impute
        self.categorical = categorical
        self.max_categories = max_categories

    def fit(self, X: MatrixLike, y: ColumnLike | None = None) -> TableEncoder:
        """Learn kinds, categories and fill values from a training table of features."""
        table = as_table(X)
        self._check_parameters(table)
        forced = _listed(self.categorical)
        self.kinds_ = {name: CATEGORY if name in forced else column_kind(table[name]) for name in table}
        self.feature_names_in_ = np.array(list(table.columns), dtype=object)
        self.n_features_in_ = table.shape[1]
        single = all(str(dtype).lower() in ("float32", "float16") for dtype in table.dtypes)
        self.dtype_ = np.dtype(np.float32 if single and set(self.kinds_.values()) == {NUMBER} else np.float64)
        plain = self._plain(table)
        for name, kind in self.kinds_.items():
            _look_for_identifier(name, kind, plain[name], forced=name in forced)
        self.columns_ = self._column_transformer()
        encoded = self.columns_.fit_transform(plain)
        self.filler_ = NearRowsFiller().fit(encoded) if self.impute == KNN else None
        notice_rare(self, [name for name in self.kinds_ if name not in forced])
        return self

    def transform(self, X: MatrixLike) -> np.ndarray:
        """Rows of numbers for a table, one per row, in the order of `get_feature_names_out`."""
        check_is_fitted(self)
        table = as_table(X, list(self.kinds_))
        self._refuse_absent(table)
        plain = self._plain(table)
        self._notice_strange(plain)
        encoded = np.asarray(self.columns_.transform(plain))
        return encoded if self.filler_ is None else self.filler_.transform(encoded)

    def get_feature_names_out(self, input_features: ColumnLike | None = None) -> np.ndarray:
        """Names of the encoded features: the column's own, ``column=category`` or ``column.month``."""
        check_is_fitted(self)
        names: list[str] = []
        for run, step, columns in self.columns_.transformers_:
            if run.startswith(CATEGORY):
                for name, known, rare in _categories(step[-1], columns):
                    own = [f"{name}={category}" for category in known if category not in rare]
                    names += own + ([f"{name}={RARE}"] if rare else [])
            else:
                names += step[0].get_feature_names_out().tolist() if run.startswith(DATE) else columns
        return np.array(names, dtype=object)

    def _check_parameters(self, table: pd.DataFrame) -> None:
        if self.impute is not None and self.impute not in IMPUTE_CHOICES:
            raise DataError(f"impute is {self.impute!r}; it must be None or one of {IMPUTE_CHOICES}.")
        unknown = [name for name in _listed(self.categorical) if name not in table.columns]
        if unknown:
            raise DataError(f"no column named {unknown[0]!r}.{close_matches(str(unknown[0]), table.columns)}")
        if 0 in table.shape:
            raise DataError(f"the table has no data: {table.shape[0]} rows and {table.shape[1]} columns.")

    def _column_transformer(self) -> ColumnTransformer:
        """A step per run of columns of one kind, so that features keep the order of the table."""
        steps: list[tuple] = []
        for kind, run in groupby(self.kinds_, key=self.kinds_.__getitem__):
            steps.append((f"{kind}{len(steps)}", self._step(kind), list(run)))
        return ColumnTransformer(steps)

    def _step(self, kind: str):
        fill = column_filler(self.impute, number=kind in (NUMBER, DATE))
        if kind == DATE:
            return make_pipeline(DateParts(), fill)
        if kind != CATEGORY:
            return fill
        one_hot = OneHotEncoder(
            handle_unknown="infrequent_if_exist", sparse_output=False, max_categories=self.max_categories
        )
        return make_pipeline(fill, one_hot)

    def _plain(self, table: pd.DataFrame) -> pd.DataFrame:
        """The columns of the training table as floats and text; missing cells are NaN, if allowed."""
        import pandas as pd

        if self.impute is None:
            refuse_missing(table[list(self.kinds_)])
        cells = {}
        for name, kind in self.kinds_.items():
            if kind == CATEGORY:
                text = as_categories(table[name])
                cells[name] = pd.Series([np.nan if cell is None else cell for cell in text], dtype=object)
            elif kind == DATE:
                cells[name] = pd.Series(as_dates(table[name]))
            else:
                values = as_numbers(table[name]) if kind == NUMBER else as_booleans(table[name])
                cells[name] = pd.Series(values.astype(self.dtype_, copy=False))
        return pd.DataFrame(cells)

    def _refuse_absent(self, table: pd.DataFrame) -> None:
        present = set(table.columns)
        absent = [name for name in self.kinds_ if name not in present]
        if not absent:
            return
        hint = close_matches(absent[0], present - set(self.kinds_))
        raise DataError(
            f"the table has no column(s) {shortened(absent)}, which the model was fitted with.{hint} "
            f"It has: {shortened(table.columns)}."
        )

    def _notice_strange(self, plain: pd.DataFrame) -> None:
        for run, step, columns in self.columns_.transformers_:
            if not run.startswith(CATEGORY):
                continue
            for name, known, rare in _categories(step[-1], columns):
                strange = sorted(set(plain[name].dropna().unique()) - set(known))
                if strange:
                    warnings.warn(
                        f"column {name!r} holds categories never seen in training ({shortened(strange)}); "
                        f"they are encoded as {'the rare ones are' if rare else 'all zeros'}.",
                        DataNotice,
                        stacklevel=3,
                    )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.input_tags.allow_nan = self.impute is not None
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def number_encoder(names: Sequence[str]) -> TableEncoder:
    """A fitted encoder of plain numeric columns that refuses missing cells.

    Examples
    --------
    >>> import pandas as pd
    >>> number_encoder(["a", "b"]).transform(pd.DataFrame({"b": [1], "c": ["?"], "a": [2]}))
    array([[2., 1.]])
    """
    import pandas as pd

    return TableEncoder().fit(pd.DataFrame(np.zeros((1, len(names))), columns=list(names)))


def as_table(X, names: Sequence[str] | None = None) -> pd.DataFrame:
    """A data frame whose column names are strings, no two alike.

    Arrays get the given names, or x1, x2, ...
    """
    import pandas as pd

    if not isinstance(X, pd.DataFrame):
        X = np.asarray(X)
        if X.ndim != 2:
            raise DataError(f"the features must be a table (2-d), but they have {X.ndim} dimension(s).")
        if names is not None and len(names) != X.shape[1]:
            raise DataError(f"there are {X.shape[1]} features, but the model was fitted with {len(names)}.")
        X = pd.DataFrame(
            X, columns=[f"x{i + 1}" for i in range(X.shape[1])] if names is None else list(names)
        )
    table = X.rename(columns=str)
    twice = table.columns[table.columns.duplicated()]
    if len(twice):
        raise DataError(
            f"the table has more than one column named {shortened(twice)}; give each its own name."
        )
    return table


def refuse_missing(table: pd.DataFrame) -> None:
    """Raise an error that counts the missing cells of each column and names the fix."""
    counts = table.isna().sum()
    holes = [(name, int(count)) for name, count in counts.items() if count]
    if holes:
        listed = ", ".join(f"{name!r} ({count})" for name, count in holes[:8])
        more = f" and {len(holes) - 8} more columns" if len(holes) > 8 else ""
        raise DataError(
            f"missing values in column(s) {listed}{more}. Fill them in with impute='median' "
            "(--impute median on the command line), or remove those rows or columns."
        )


def notice_rare(encoder: TableEncoder, columns: Sequence[str]) -> None:
    """Warn of columns with so many values that the rare ones share a feature.

    `fit` does so only for columns that were not listed as categorical. A `Dataset` lists its text columns
    for its encoder, so that the folds of a comparison do not repeat the warning.
    """
    for run, step, names in encoder.columns_.transformers_:
        for name, known, rare in _categories(step[-1], names) if run.startswith(CATEGORY) else ():
            if rare and name in columns:
                warnings.warn(
                    f"column {name!r} holds {len(known)} different texts; the {len(rare)} rarest are taken "
                    f"for one, {RARE}. To leave the column out, drop it (drop=[{name!r}], on the command "
                    f"line --drop {name}).",
                    DataNotice,
                    stacklevel=3,
                )


def notice_dates(encoder: TableEncoder) -> None:
    """Warn which columns are dates, and what becomes of them."""
    for run, step, _ in encoder.columns_.transformers_:
        for name, parts in step[0].parts_ if run.startswith(DATE) else ():
            warnings.warn(
                f"column {name!r} holds dates; they become {', '.join(parts)}.", DataNotice, stacklevel=3
            )


def _look_for_identifier(name: str, kind: str, column: pd.Series, *, forced: bool) -> None:
    known = column.dropna()
    if kind == NUMBER:
        notice_identifier(name, known.to_numpy())
    elif kind == CATEGORY and not forced:
        refuse_identifier(name, sorted(known.unique()), len(column))


def _categories(one_hot: OneHotEncoder, columns: Sequence[str]):
    """For each column its name, its categories, and the set of those that share a feature."""
    # Without a limit on categories scikit-learn keeps no list of infrequent ones.
    infrequent = getattr(one_hot, "infrequent_categories_", [None] * len(columns))
    for name, known, rare in zip(columns, one_hot.categories_, infrequent):
        yield name, known.tolist(), set() if rare is None else set(rare.tolist())


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
