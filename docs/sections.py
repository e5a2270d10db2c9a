"""Generated parts of hand-written pages, between two comments that name them."""

from __future__ import annotations


def renewed(text: str, name: str, body: str, by: str = "docs/build.py") -> str:
    """The page with one part written anew; everything around it stays."""
    begin, end = f"<!-- {name}: written by {by} -->", f"<!-- end of {name} -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"the page has no part between {begin} and {end}.")
    return f"{before}{begin}\n\n{body}\n\n{end}{after}"


def table(columns: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |") for line in lines)
