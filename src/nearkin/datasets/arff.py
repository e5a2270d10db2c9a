"""ARFF files (Weka, OpenML), dense and sparse, and KEEL's dialect of them, as pandas tables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nearkin.datasets.columns import as_numbers
from nearkin.datasets.delimited import parse_delimited
from nearkin.datasets.errors import DataError, shortened

if TYPE_CHECKING:
    import pandas as pd

_NAME = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+?(?=[\s{]|$)))\s*(.*)$""", re.S)
_TOKEN = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|((?:[^,'"\s][^,]*)?))\s*(?:,|$)""")
_NUMERIC = ("numeric", "real", "integer")
# Sparse rows are made dense; beyond this many cells that would not be sensible.
_MAX_CELLS = 200_000_000


@dataclass(frozen=True)
class Attribute:
    """One declared column: `values` is None for numbers and text, else the allowed categories."""

    name: str
    numeric: bool
    values: tuple[str, ...] | None


def read_arff(text: str, name: str) -> pd.DataFrame:
    """A table from ARFF text; nominal attributes become pandas categories, ``?`` is missing.

    ``attrs["targets"]`` names the columns of KEEL's ``@outputs`` line if there is one.

    Examples
    --------
    >>> text = "@relation t\\n@attribute a real\\n@attribute b {x, 'y z'}\\n@data\\n1,x\\n?,'y z'"
    >>> table = read_arff(text, "t.arff")
    >>> table["b"].tolist(), table["a"].isna().tolist()
    (['x', 'y z'], [False, True])
    """
    attributes, targets, body = _split_header(text, name)
    if not body:
        raise DataError(f"{name} has no data: nothing follows @data.")
    if body[0].startswith("{"):
        table = _sparse_rows(body, attributes, name)
    else:
        table = _dense_rows(body, attributes, name)
    for attribute in attributes:
        if attribute.values is not None:
            table[attribute.name] = _as_category(table[attribute.name], attribute, name)
    if targets:
        table.attrs["targets"] = targets
    return table


def _split_header(text: str, name: str) -> tuple[list[Attribute], list[str], list[str]]:
    attributes: list[Attribute] = []
    targets: list[str] = []
    lines = iter(text.split("\n"))
    for line in lines:
        line = line.strip()
        keyword = line.split(None, 1)[0].lower() if line else ""
        if keyword == "@attribute":
            attributes.append(_attribute(line[len("@attribute") :], name))
        elif keyword in ("@output", "@outputs"):
            targets = [part.strip() for part in line.split(None, 1)[1].split(",")]
        elif keyword == "@data":
            body = [row for row in map(str.strip, lines) if row and not row.startswith("%")]
            _refuse_repeated(attributes, name)
            return attributes, targets, body
        elif line and not line.startswith("%") and keyword not in ("@relation", "@input", "@inputs"):
            raise DataError(f"{name} is not an ARFF file: unexpected line {line[:60]!r} before @data.")
    raise DataError(f"{name} is not a whole ARFF file: there is no @data line.")


def _attribute(declaration: str, file: str) -> Attribute:
    match = _NAME.match(declaration)
    if match is None or not match.group(4):
        raise DataError(f"{file}: cannot understand the attribute line {declaration.strip()[:60]!r}.")
    name = next(_unescape(part) for part in match.groups()[:3] if part is not None)
    kind = match.group(4).strip()
    if kind.startswith("{"):
        return Attribute(name, False, tuple(split_fields(kind.strip("{} \t"))))
    word = re.split(r"[\s\[]", kind.lower(), maxsplit=1)[0]
    if word in _NUMERIC:
        return Attribute(name, True, None)
    if word in ("string", "date"):
        return Attribute(name, False, None)
    raise DataError(f"{file}: attribute {name!r} has the unknown type {kind[:40]!r}.")


def _refuse_repeated(attributes: list[Attribute], file: str) -> None:
    names = [attribute.name for attribute in attributes]
    if not names:
        raise DataError(f"{file} declares no attributes.")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(f"{file} has more than one attribute named {shortened(repeated)}.")


def split_fields(line: str) -> list[str]:
    """The fields of one ARFF line, unquoted.

    Examples
    --------
    >>> split_fields("5.1, 'it\\\\'s, so', ?")
    ['5.1', "it's, so", '?']
    """
    if "'" not in line and '"' not in line:
        return [field.strip() for field in line.split(",")]
    fields, at = [], 0
    while at < len(line):
        match = _TOKEN.match(line, at)
        if match is None:
            raise DataError(f"cannot split the line {line[:60]!r} into fields; a quote is not closed.")
        single, double, plain = match.groups()
        quoted = single if single is not None else double
        fields.append(plain.strip() if quoted is None else _unescape(quoted))
        at = match.end()
    return fields


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _dense_rows(body: list[str], attributes: list[Attribute], file: str) -> pd.DataFrame:
    import pandas as pd

    names = [attribute.name for attribute in attributes]
    joined = "\n".join(body)
    if "'" not in joined and '"' not in joined:
        for number, line in enumerate(body, start=1):
            _check_width(line.count(",") + 1, len(names), number, file)
        text_columns = {attribute.name: str for attribute in attributes if not attribute.numeric}
        return parse_delimited(joined, file, names, ",", keep_default_na=False, dtype=text_columns)
    rows = []
    for number, line in enumerate(body, start=1):
        fields = split_fields(line)
        _check_width(len(fields), len(names), number, file)
        rows.append([None if field == "?" else field for field in fields])
    return _with_numbers(pd.DataFrame(rows, columns=names), attributes)


def _check_width(found: int, expected: int, row: int, file: str) -> None:
    if found != expected:
        raise DataError(
            f"{file}: data row {row} has {found} fields, but {expected} are expected. The file may have been "
            "cut short; repair or remove that row."
        )


def _sparse_rows(body: list[str], attributes: list[Attribute], file: str) -> pd.DataFrame:
    """Rows like ``{3 1.5, 7 red}``: what is not listed is 0, or the first value of a nominal."""
    import pandas as pd

    if len(body) * len(attributes) > _MAX_CELLS:
        raise DataError(
            f"{file}: {len(body)} x {len(attributes)} sparse cells; convert it to a sparse npz file."
        )
    start = ["0" if a.values is None else a.values[0] for a in attributes]
    rows = []
    for number, line in enumerate(body, start=1):
        row: list[str | None] = list(start)
        for field in split_fields(line.strip("{} \t")) if line.strip("{} \t") else []:
            index, _, value = field.partition(" ")
            if not index.isdigit() or int(index) >= len(attributes):
                raise DataError(f"{file}: data row {number} has a cell {field!r} outside the table.")
            value = _unescape(value.strip().strip("'\""))
            row[int(index)] = None if value == "?" else value
        rows.append(row)
    return _with_numbers(pd.DataFrame(rows, columns=[a.name for a in attributes]), attributes)


def _with_numbers(table: pd.DataFrame, attributes: list[Attribute]) -> pd.DataFrame:
    for attribute in attributes:
        if attribute.numeric:
            table[attribute.name] = as_numbers(table[attribute.name])
    return table


def _as_category(column: pd.Series, attribute: Attribute, file: str) -> pd.Series:
    import pandas as pd

    cells = [None if missing else str(cell).strip() for cell, missing in zip(column, column.isna())]
    allowed = {None, *(attribute.values or ())}
    strange = np.flatnonzero([cell not in allowed for cell in cells])
    if strange.size:
        row = int(strange[0])
        raise DataError(
            f"{file}: attribute {attribute.name!r} has {cells[row]!r} in data row {row + 1}, which is not "
            f"among its declared values ({shortened(attribute.values or ())})."
        )
    return pd.Series(
        pd.Categorical(cells, categories=list(dict.fromkeys(attribute.values or ()))), index=column.index
    )
