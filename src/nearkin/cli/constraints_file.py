"""Pairs from a file: which rows of a table belong together, by row number or by a key column."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearkin.cli.errors import CommandError
from nearkin.cli.options import as_path, read_data, require_choice

#: Number of the first row of a table, as the other commands count them.
FIRST_ROW = 1
#: Name of the placeholder for the target of a table that has none.
NO_TARGET = "(no target)"
SIMILAR_NAMES = ("similar", "same")
WEIGHT_NAMES = ("weight",)
WORDS = {"true": True, "yes": True, "false": False, "no": False}


def read_items_and_pairs(
    data: str, pairs: str, key: str | None, target, task, impute, drop, categorical, encoding="utf-8"
):
    """A data set, and the arguments for `fit` from its pairs; without a target all columns are features."""
    dropped = [*(drop or ()), *([] if key is None else [key])]
    keys = None if key is None else _keys(data, key, encoding)
    if target:
        dataset = read_data(data, target, task, impute, dropped, categorical, encoding)
    else:
        dataset = _without_target(data, impute, dropped, categorical, encoding)
    return dataset, read_pairs(pairs, dataset.n_samples, keys)


def read_pairs(path: str, n_rows: int, keys=None) -> dict[str, Any]:
    """Arguments `pairs`, `similar` and `constraint_weight` of a learner's fit, from a table.

    Its first two columns name the rows of each pair, by number or by key; columns called similar (or
    same) and weight may follow.

    Parameters
    ----------
    path : str
    n_rows : int
        Rows of the table that the pairs refer to.
    keys : sequence, optional
        Key of each of these rows; without it pairs hold row numbers.
    """
    from nearkin.datasets.readers import read_table

    table = read_table(as_path(path))
    similar, weight = _named(table, SIMILAR_NAMES), _named(table, WEIGHT_NAMES)
    ends = [name for name in table.columns if name not in (similar, weight)]
    if len(ends) != 2:
        raise CommandError(
            f"{path} should have two columns that name the rows of each pair, and optionally one called "
            f"similar and one called weight; it has {', '.join(map(str, table.columns))}."
        )
    rows = np.column_stack([_row_numbers(table[name], keys, path) for name in ends])
    outside = (rows < 0) | (rows >= n_rows)
    if outside.any():
        line, side = np.argwhere(outside)[0]
        raise CommandError(
            f"{path}: pair {line + 1} names row {rows[line, side] + FIRST_ROW}, but rows are numbered from "
            f"{FIRST_ROW} to {n_rows - 1 + FIRST_ROW}; if these are keys, name their column by --key."
        )
    given: dict[str, Any] = {"pairs": rows}
    if similar is not None:
        given["similar"] = _flags(table[similar], path)
    if weight is not None:
        given["constraint_weight"] = table[weight].to_numpy(dtype=np.float64)
    return given


def _named(table, names) -> str | None:
    found = [name for name in table.columns if str(name).strip().lower() in names]
    return found[0] if found else None


def _row_numbers(column, keys, path: str) -> np.ndarray:
    if keys is None:
        if column.dtype.kind not in "iu":
            raise CommandError(
                f"{path}: column {column.name!r} should hold row numbers; if these are keys, name their "
                "column of DATA by --key."
            )
        return column.to_numpy(dtype=np.intp) - FIRST_ROW
    places = {key: row for row, key in enumerate(_as_text(keys))}
    if len(places) < len(keys):
        raise CommandError("the column named by --key holds some keys more than once.")
    wanted = _as_text(column)
    missing = [key for key in wanted if key not in places]
    if missing:
        raise CommandError(
            f"{path}: {len(missing)} keys of column {column.name!r} are not in DATA, for instance "
            f"{missing[0]!r}."
        )
    return np.array([places[key] for key in wanted], dtype=np.intp)


def _as_text(column) -> list[str]:
    """Keys as text, so that 7 in one file is 7 in the other whatever else is in the column."""
    return [str(int(key)) if isinstance(key, float) and key.is_integer() else str(key) for key in column]


def _flags(column, path: str) -> np.ndarray:
    values = column.to_numpy()
    if values.dtype.kind in "biuf":
        return values
    words = [str(value).strip().lower() for value in values]
    if not set(words) <= set(WORDS):
        raise CommandError(
            f"{path}: column {column.name!r} should say which pairs belong together by 1 and 0, true and "
            "false, or yes and no."
        )
    return np.array([WORDS[word] for word in words])


def _table(data: str, why: str, encoding: str):
    from nearkin.datasets.readers import read_table

    path = as_path(data)
    if path.suffix.lower() == ".npz" or not path.exists():
        raise CommandError(f"{why} needs DATA to be a table, such as a CSV or Parquet file.")
    return read_table(path, encoding=encoding)


def _keys(data: str, key: str, encoding: str):
    table = _table(data, "--key", encoding)
    if key not in table.columns:
        raise CommandError(f"--key {key!r}: DATA has no such column.")
    return table[key].tolist()


def _without_target(data: str, impute, drop, categorical, encoding: str):
    from nearkin.datasets import dataset_from_table
    from nearkin.datasets.filling import IMPUTE_CHOICES

    if impute is not None:
        require_choice("--impute", impute, IMPUTE_CHOICES)
    table = _table(data, "--pairs without --target", encoding)
    return dataset_from_table(
        table.assign(**{NO_TARGET: 0}),
        as_path(data).stem,
        target=NO_TARGET,
        task="classification",
        impute=impute,
        drop=drop,
        categorical=categorical or (),
        source=data,
    )
