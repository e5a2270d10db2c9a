"""A reproduction as tables of text, the same for the terminal, for Markdown and for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nearkin.experiments.outcome import Cell, Reproduction, ResultTable, Shortfall

MINUS = "−"


@dataclass(frozen=True)
class TextTable:
    """A titled table whose cells are text; `note` explains it in a sentence."""

    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def cell_text(cell: Cell, decimals: int) -> str:
    """Ours, the published number, and the difference in its deviations where they are known.

    >>> cell_text(Cell("LMDL", 13.2, published=13.7, published_sd=1.25, difference=-0.5, in_sd=-0.4), 1)
    '13.2 / 13.7±1.25 (−0.4 sd)'
    """
    if cell.ours is None:
        return "–" + (f" / {cell.published:.{decimals}f}" if cell.published is not None else "")
    ours = f"{cell.ours:.{decimals}f}" + ("†" if cell.note else "")
    if cell.published is None:
        return ours + (f" ± {cell.ours_sd:.{decimals}f}" if cell.ours_sd is not None else "")
    if cell.difference is None:
        return f"{ours} / {cell.published:.{decimals}f}"
    if cell.in_sd is not None:
        difference = _signed(cell.in_sd, 1) + " sd"
        return f"{ours} / {cell.published:.{decimals}f}±{cell.published_sd:g} ({difference})"
    return f"{ours} / {cell.published:.{decimals}f} ({_signed(cell.difference, decimals)})"


def _signed(value: float, decimals: int) -> str:
    text = f"{value:+.{decimals}f}"
    return text.replace("-", MINUS)


def result_table(table: ResultTable) -> TextTable:
    """Our numbers beside the published ones, a row per data set."""
    cells = [cell for row in table.rows for cell in row.cells]
    note = f"{table.metric}, {'larger' if table.greater_is_better else 'smaller'} is better"
    if any(cell.published is not None for cell in cells):
        note += "; ours / published"
    if any(cell.difference is not None for cell in cells):
        note += " (difference, in published standard deviations where given)"
    if table.without_estimator:
        note += f"; not run: {', '.join(table.without_estimator)}"
    if any(cell.note and cell.ours is not None for cell in cells):
        note += "; † not all folds"
    rows = tuple(
        (row.dataset, *(cell_text(cell, table.decimals) for cell in row.cells)) for row in table.rows
    )
    title = f"{table.name}: {table.remark}" if table.remark else table.name
    return TextTable(title, note, ("data set", *table.methods), rows)


def claims_tables(found: Reproduction) -> list[TextTable]:
    """Each claim with its verdict here and on the paper's own numbers; those beyond the paper separately."""
    columns = ("claim", "here", "published numbers")
    notes = {"Claims": found.headline, "Beyond the paper": "What the paper does not claim itself."}
    tables = []
    for beyond, (title, note) in zip((False, True), notes.items(), strict=True):
        claims = [claim for claim in found.claims if claim.beyond == beyond]
        rows = tuple((claim.text, claim.here.text, claim.published.text) for claim in claims)
        tables.append(TextTable(title, note, columns, rows))
    return tables


def agreement_table(found: Reproduction) -> TextTable:
    """How often published numbers were reached."""
    decimals = {table.name: table.decimals for table in found.tables}
    rows = tuple(
        (
            line.table,
            line.method + ("*" if line.own else ""),
            *(
                str(count)
                for count in (line.total, line.better, line.within, line.within_own, len(line.worse))
            ),
            "; ".join(_shortfall(short, decimals[line.table]) for short in line.worse),
        )
        for line in found.agreement
    )
    note = (
        "Cells that have a published number: at or better than it, worse by at most one published standard "
        "deviation, worse by at most our own over the folds where none is printed, and worse. * is what the "
        "paper proposes."
    )
    columns = (
        "table",
        "method",
        "cells",
        "at or better",
        "within one sd",
        "within our sd",
        "worse",
        "worse on",
    )
    return TextTable("Published numbers reached", note, columns, rows)


def _shortfall(short: Shortfall, decimals: int) -> str:
    reason = f": {short.reason}" if short.reason else ""
    return f"{short.dataset} ({_signed(short.difference, decimals)}{reason})"


def datasets_table(found: Reproduction) -> TextTable:
    """The sets that took part."""
    rows = tuple(
        (used.label, used.name, _rows_text(used.n_rows, used.all_rows), str(used.n_features), used.remark)
        for used in found.used
    )
    return TextTable("Data sets", "", ("data set", "name", "rows", "features", "remark"), rows)


def _rows_text(n_rows: int, all_rows: int) -> str:
    return f"{n_rows} of {all_rows}" if all_rows and n_rows != all_rows else str(n_rows)


def absent_table(found: Reproduction) -> TextTable:
    """The sets that did not take part, and how to get them."""
    rows = tuple((absent.label, absent.name, absent.reason, absent.how) for absent in found.absent)
    note = "Data sets of the paper that this run has no numbers for."
    return TextTable("Absent data sets", note, ("data set", "name", "why", "how to get it"), rows)


def statistics_tables(found: Reproduction) -> list[TextTable]:
    """The paper's tests on the numbers measured here."""
    return [TextTable(one.title, one.text, one.columns, one.rows) for one in found.statistics]


def tables_by_part(found: Reproduction) -> dict[str, list[TextTable]]:
    """Every table that has rows, in reading order, under the part of a page it belongs to."""
    parts = {
        "claims": claims_tables(found),
        "results": [result_table(table) for table in found.tables],
        "agreement": [agreement_table(found)],
        "statistics": statistics_tables(found),
        "datasets": [datasets_table(found), absent_table(found)],
    }
    return {part: [table for table in tables if table.rows] for part, tables in parts.items()}


def all_tables(found: Reproduction) -> list[TextTable]:
    """Every table that has rows, in reading order."""
    return [table for tables in tables_by_part(found).values() for table in tables]


def remarks(found: Reproduction) -> list[str]:
    """What a reader should know before trusting the numbers."""
    return [*found.deviations, *(f"{line}." for line in found.failures)]


def markdown(found: Reproduction) -> str:
    """The whole reproduction as a Markdown page."""
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items() if name != "commit")
    kind = "Quick run" if found.quick else "Full run"
    lines = [
        f"# {found.paper}{' (quick)' if found.quick else ''}",
        "",
        f"{found.citation}.",
        "",
        f"**{found.headline}**",
        "",
        f"{kind} of {found.date}, seed {found.seed}: {found.work_seconds:.0f} s of tuning, fitting and "
        f"predicting, one core each. {commit_text(found)}{versions}.",
        "",
        f"Protocol: {found.protocol}.",
        "",
        "```",
        found.command,
        "```",
    ]
    if remarks(found):
        lines += ["", "How this run differs from the paper, and what did not go well:", ""]
        lines += [f"- {remark}" for remark in remarks(found)]
    for table in all_tables(found):
        lines += ["", f"## {table.title}", ""]
        if table.note and table.title != "Claims":
            lines += [table.note, ""]
        lines += [_line(table.columns), _line(["---"] * len(table.columns))]
        lines += [_line(row) for row in table.rows]
    return "\n".join(lines) + "\n"


def commit_text(found: Reproduction) -> str:
    """The commits that the results are from; empty if they were not run from a checkout."""
    if not found.commits:
        return ""
    if len(found.commits) == 1:
        return f"Commit {found.commits[0]}. "
    return f"Commits {', '.join(found.commits)}; the code that these results depend on is the same in all. "


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
