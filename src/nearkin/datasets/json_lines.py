"""JSON tables: an object per line, or one list of objects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from nearkin.datasets.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


def read_json_lines(text: str, name: str) -> pd.DataFrame:
    """A table with a row per object; keys that an object lacks are missing cells.

    Examples
    --------
    >>> read_json_lines('{"a": 1, "b": "x"}\\n{"a": 2}', "t.jsonl")["a"].tolist()
    [1, 2]
    """
    import pandas as pd

    if text.lstrip().startswith("["):
        records = list(enumerate(_parsed(text, name, "it"), start=1))
        word = "entry"
    else:
        lines = enumerate(text.split("\n"), start=1)
        records = [(at, _parsed(line, name, f"line {at}")) for at, line in lines if line.strip()]
        word = "line"
    for at, record in records:
        if not isinstance(record, dict):
            raise DataError(f'{name}: {word} {at} is not an object such as {{"size": 1.5, "kind": "a"}}.')
        nested = [key for key, value in record.items() if isinstance(value, dict | list)]
        if nested:
            raise DataError(
                f"{name}: {word} {at} holds a list or object under {nested[0]!r}; a table needs plain values."
            )
    return pd.DataFrame([record for _, record in records])


def _parsed(text: str, name: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise DataError(f"{name}: {where} is not JSON (damaged or cut short): {error}.") from error
