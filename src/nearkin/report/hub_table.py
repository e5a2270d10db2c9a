"""The largest hubs as a table of text, for the terminal and the page."""

from __future__ import annotations

from nearkin.report.leaderboard import Column
from nearkin.report.words import value_text
from nearkin.search.hubness import Hubness

#: Hubs that are listed.
MAX_HUBS = 8


def hub_table(found: Hubness) -> tuple[list[Column], list[list[str]]]:
    """The columns, and a row of text for each of the largest hubs.

    >>> columns, rows = hub_table(Hubness.of([[0], [0], [1]], 2, list("aab"), list("bb")))
    >>> [column.title for column in columns], rows[0]
    (['row', 'label', 'N1', 'beside another class'], ['0', 'b', '2', '2'])
    """
    shown = {
        "row": Column("row"),
        "label": Column("label", numeric=False),
        "occurrences": Column(f"N{found.k}"),
        "bad_occurrences": Column("beside another class"),
    }
    hubs = found.largest(MAX_HUBS)
    known = [key for key in shown if key in hubs[0]]
    return [shown[key] for key in known], [[value_text(hub[key]) for key in known] for hub in hubs]
