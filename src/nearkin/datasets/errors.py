"""What goes wrong with data, worded so that the user knows what to do next."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


class DataError(ValueError):
    """A file or data set cannot be used as it is; the message names the problem and the fix."""


class DatasetNotFoundError(DataError, LookupError):
    """No known data set, file or download goes by this name."""


class DataNotice(UserWarning):
    """A choice made for the user while reading data (a target column, a task, a dropped index)."""


def close_matches(word: str, known: Iterable[str]) -> str:
    """`` Did you mean 'a' or 'b'?`` for a misspelt word, or an empty string.

    Examples
    --------
    >>> close_matches("whine", ["wine", "iris"])
    " Did you mean 'wine'?"
    """
    by_folded = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(word.casefold(), by_folded, n=3, cutoff=0.6)
    if not found:
        return ""
    return " Did you mean " + " or ".join(repr(by_folded[name]) for name in found) + "?"


def shortened(names: Iterable[object], limit: int = 8) -> str:
    """Names for a message, cut after `limit` of them.

    Examples
    --------
    >>> shortened(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    words = [repr(str(name)) for name in names]
    if len(words) <= limit:
        return ", ".join(words)
    return ", ".join(words[:limit]) + f" and {len(words) - limit} more"


def refuse_duplicates(names: Iterable[str], file: str) -> None:
    """Raise an error that lists the names which occur more than once."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"{file} has more than one column named {shortened(twice)}; give each its own name.")


def row_number(column: pd.Series, position: int) -> int:
    """The number of a row in its file, from 1: blocks of a large file carry on counting."""
    import pandas as pd

    return int(column.index[position] if isinstance(column.index, pd.RangeIndex) else position) + 1
