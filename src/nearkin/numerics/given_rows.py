"""Rows as users give them (tensors, half precision, bytes), converted to float32 or float64 and checked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import numpy as np
from scipy import sparse

#: Types whose values float32 represents exactly.
NARROW = ("float16", "bfloat16", "int8", "uint8", "int16", "uint16", "bool")


def widened(X):
    """The same rows with narrow types as float32 and tensors as arrays; anything else is left as it is.

    >>> widened(np.array([[1, -2]], dtype=np.int8))
    array([[ 1., -2.]], dtype=float32)
    """
    if sparse.issparse(X):
        return X.astype(np.float32) if X.dtype.name in NARROW else X
    if not isinstance(X, np.ndarray):
        kind = getattr(X, "dtype", None)
        if kind is None or isinstance(kind, np.dtype) or not hasattr(X, "__array__"):
            return X
        # A tensor. NumPy has no bfloat16, so the tensor has to convert itself.
        X = np.asarray(X.float() if str(kind).endswith("bfloat16") and hasattr(X, "float") else X)
    return X.astype(np.float32) if X.dtype.name in NARROW else X


def checked_rows(X, width: int | None = None, *, what: str = "X"):
    """Rows as a float32 or float64 array, or CSR; raises if one holds NaN or infinity, naming the first.

    Parameters
    ----------
    X : array-like, tensor or sparse matrix of shape (n, d)
    width : int or None
        The expected d, if known.
    what : str
        What messages call the rows.

    Notes
    -----
    One pass over the rows; rows that are already float32 or float64 are not copied.

    Examples
    --------
    >>> checked_rows([[1, 2], [3, float("nan")]])
    Traceback (most recent call last):
    ...
    ValueError: X has a NaN in row 1, column 1; clean the rows first.
    """
    X = widened(X)
    X = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    if X.dtype not in (np.float32, np.float64):
        try:
            X = X.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{what} must hold numbers, but its dtype is {X.dtype}.") from None
    if X.ndim != 2:
        raise ValueError(
            f"{what} has shape {X.shape}; expected rows as a 2-D array, X.reshape(1, -1) for one row."
        )
    if width is not None and X.shape[1] != width:
        raise ValueError(f"{what} has {X.shape[1]} columns, but the distance was learned on {width}.")
    _check_finite(X, what)
    return X


@contextmanager
def naming_rows(X) -> Iterator[None]:
    """Context that adds the row and column to scikit-learn's "contains NaN", if X is an array, table or CSR.

    >>> with naming_rows([[1.0], [float("nan")]]):
    ...     raise ValueError("Input X contains NaN.")
    Traceback (most recent call last):
    ...
    ValueError: X has a NaN in row 1, column 0; clean the rows first.
    """
    try:
        yield
    except ValueError as error:
        if not any(word in str(error) for word in ("NaN", "infinity", "too large")):
            raise
        found = None
        with suppress(Exception):  # if X cannot be converted, the original message stands
            rows = widened(X)
            rows = rows.tocsr() if sparse.issparse(rows) else np.asarray(rows, dtype=np.float64)
            found = _first_unsound(rows, "X")
        if found is None:
            raise
        raise ValueError(found) from error


def _check_finite(X, what: str) -> None:
    found = _first_unsound(X, what)
    if found is not None:
        raise ValueError(found)


def _first_unsound(X, what: str) -> str | None:
    """What is wrong with the first value that is NaN or infinite, and where; None if all are finite."""
    values = X.data if sparse.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        # If the sum is finite, so are all values; otherwise each one is checked.
        if np.isfinite(values.sum(dtype=np.float64)):
            return None
    bad = ~np.isfinite(values)
    if not bad.any():
        return None
    if sparse.issparse(X):
        place = int(np.flatnonzero(bad)[0])
        row, column = int(np.searchsorted(X.indptr, place, side="right")) - 1, int(X.indices[place])
        value = values[place]
    else:
        row, column = (int(number) for number in np.argwhere(bad)[0])
        value = values[row, column]
    named = "a NaN" if np.isnan(value) else "an infinity"
    return f"{what} has {named} in row {row}, column {column}; clean the rows first."
