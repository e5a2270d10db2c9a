"""Fingerprints of data and estimators that are the same in every process, now and later."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping
from types import CodeType

import numpy as np
from scipy import sparse


def digest(description) -> str:
    """32 hex digits standing for a JSON-ready description."""
    text = json.dumps(description, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def array_digest(values) -> str:
    """32 hex digits standing for the contents of an array, sparse matrix or data frame.

    Examples
    --------
    >>> array_digest(np.arange(3)) == array_digest(np.array([0, 1, 2]))
    True
    >>> array_digest(np.arange(3)) == array_digest(np.arange(3.0))
    False
    """
    hasher = hashlib.sha256()
    if sparse.issparse(values):
        values = values.tocsr()
        parts = [np.asarray(values.shape), values.data, values.indices, values.indptr]
    elif hasattr(values, "columns"):
        parts = [np.asarray([str(name) for name in values.columns])]
        parts += [np.asarray(values[name]) for name in values.columns]
    else:
        parts = [np.asarray(values)]
    for part in parts:
        # Objects (strings in a data frame) have no bytes of their own that outlive the process.
        part = part.astype(str) if part.dtype == object else part
        hasher.update(f"{part.dtype.str}{part.shape}".encode())
        part = part.view(np.int64) if part.dtype.kind in "mM" else part  # dates have no buffer
        hasher.update(np.ascontiguousarray(part).data)
    return hasher.hexdigest()[:32]


def describe(value):
    """A JSON-ready description of a parameter: equal for equal settings, in any process.

    Estimators are described by class and parameters, arrays by their contents, functions by name and code.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) or sparse.issparse(value):
        return {"array": array_digest(value)}
    if isinstance(value, Mapping):
        return {str(name): describe(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [describe(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((describe(item) for item in value), key=repr)
    if inspect.isfunction(value):
        # Two lambdas have the same name; their code tells them apart.
        return {"name": f"{value.__module__}.{value.__qualname__}", "code": _describe_code(value.__code__)}
    if inspect.isroutine(value) or inspect.isclass(value):
        return {"name": f"{value.__module__}.{value.__qualname__}"}
    return _describe_object(value)


def _describe_object(value) -> dict:
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    if hasattr(value, "get_params"):
        return {"class": name, "params": describe(value.get_params(deep=False))}
    text = repr(value)
    if " at 0x" not in text:
        return {"class": name, "repr": text}
    # A memory address does not outlive the process: describe the attributes instead.
    return {"class": name, "state": describe(dict(sorted(getattr(value, "__dict__", {}).items())))}


def _describe_code(code: CodeType) -> list:
    constants = [
        _describe_code(item) if isinstance(item, CodeType) else repr(item) for item in code.co_consts
    ]
    return [code.co_code.hex(), list(code.co_names), constants]
