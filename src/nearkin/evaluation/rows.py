"""How a record becomes a row of a database table and comes back, without running code."""

from __future__ import annotations

import io
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from nearkin.evaluation.results import Record

ARRAYS = ("test_rows", "predictions", "neighbours")
_JSON = ("setting", "chosen", "figures", "warnings", "protocol", "versions")
COLUMNS = tuple(field.name for field in fields(Record))
#: The same columns as files call them: there a label has been a "learner" since the first release.
FILE_COLUMNS = tuple("learner" if name == "label" else name for name in COLUMNS)
_REALS = (
    "score",
    "validation_score",
    "fit_seconds",
    "predict_seconds",
    "tune_seconds",
    "hub_skewness",
    "objective",
)
_INTEGERS = ("seed", "n_iter", "n_train", "n_test", "reference", "tuned")


def column_type(name: str) -> str:
    """SQLite's type of a column."""
    if name in _REALS:
        return "REAL"
    if name in _INTEGERS:
        return "INTEGER"
    return "BLOB" if name in ARRAYS else "TEXT"


COLUMN_DEFINITIONS = ",\n    ".join(f"{name} {column_type(name)}" for name in FILE_COLUMNS if name != "key")


def pack_array(values) -> bytes | None:
    """An array as compressed bytes that can be read back without running code."""
    if values is None:
        return None
    values = np.asarray(values)
    buffer = io.BytesIO()
    np.save(buffer, values.astype(str) if values.dtype == object else values, allow_pickle=False)
    return zlib.compress(buffer.getvalue(), 1)


def unpack_array(packed: bytes | None) -> np.ndarray | None:
    """The array that `pack_array` packed."""
    return None if packed is None else np.load(io.BytesIO(zlib.decompress(packed)), allow_pickle=False)


def to_row(record: Record) -> list:
    """Values of a record in the order of `COLUMNS`."""
    row = []
    for name in COLUMNS:
        value = getattr(record, name)
        if name in ARRAYS:
            value = pack_array(value)
        elif name in _JSON:
            value = json.dumps(value)
        row.append(value)
    return row


def to_record(row: Mapping) -> Record:
    """The record that `to_row` wrote."""
    values = {**row}
    for name in ARRAYS:
        values[name] = unpack_array(values[name])
    for name in _JSON:
        # Files of earlier versions have no figures.
        values[name] = json.loads(values[name]) if values[name] is not None else {}
    for name in ("reference", "tuned"):
        values[name] = bool(values[name])
    return Record(**values)


def plain(value: Any) -> Any:
    """Only dicts, lists, strings, numbers, booleans and None.

    >>> plain({"a": (1, float("nan"))})
    {'a': [1, None]}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return str(value)
