"""The leaderboard as a table of text: for the terminal, for `print` and for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from nearkin.evaluation import Comparison, Metric, Standing
from nearkin.evaluation.metrics import REGRESSION
from nearkin.report.words import p_text, seconds_text, verdict_text

#: Why numbers of repeats differ.
REPEATS = (
    "×2 marks folds that were drawn twice, and so on; repeats end early for a learner whose answer is clear, "
    "or cannot become clear."
)
#: Which settings a learner has if there was no time to tune it.
UNTUNED = (
    "“Untuned” learners keep their default settings; their number of neighbours, unless it was given, is the "
    "one that works best for plain Euclid inside the training folds."
)
#: Learners that could win are listed if there are no more than this.
NAMED = 10


class Column(NamedTuple):
    """A column of the leaderboard; an essential one is shown on narrow screens too."""

    title: str
    numeric: bool = True
    essential: bool = False


def leaderboard_table(comparison: Comparison) -> tuple[list[Column], list[list[str]]]:
    """The columns, and a row of text per candidate, names without their tags."""
    metric, baseline = comparison.metric, comparison.baseline
    columns = [
        Column("learner", numeric=False, essential=True),
        Column(metric.name, essential=True),
        Column(f"vs {baseline}", essential=True),
        Column("better/equiv./worse"),
        Column("p"),
        Column("p adjusted"),
        *([Column("Wilcoxon p")] if metric.task == REGRESSION else []),
        Column(f"beats {baseline}?", numeric=False, essential=True),
        Column("hub skewness"),
        Column("fit"),
    ]
    return columns, [_cells(row, metric, len(columns)) for row in comparison.rows]


def explanations(comparison: Comparison) -> list[str]:
    """How p was adjusted, and what the tags in this table mean, a sentence or two each."""
    able = comparison.could_win
    named = f": {', '.join(able)}" if len(able) <= NAMED else ""
    adjusted = (
        f"p is adjusted for the {len(able)} that could win, being ahead of {comparison.baseline} after the "
        f"first pass{named}."
    )
    repeated = any(row.n_repeats > 1 for row in comparison.rows)
    untuned = any(row.tunable and not row.tuned and row.finished for row in comparison.rows)
    texts = ((adjusted, bool(able)), (REPEATS, repeated), (UNTUNED, untuned))
    return [text for text, needed in texts if needed]


def tags_of(row: Standing) -> list[str]:
    """What a reader must know about a candidate's line, in a word or two each."""
    tags = {
        "not neighbours": row.reference,
        f"{row.n_folds} of {row.n_planned} folds": row.partial,
        f"×{row.n_repeats}": row.n_repeats > 1,
        "untuned": row.tunable and not row.tuned,
    }
    return [tag for tag, holds in tags.items() if holds]


def chances_text(row: Standing) -> str:
    """Chances in percent that a candidate is better than the baseline, practically equivalent, or worse."""
    return "/".join(map(str, row.chances)) + " %" if row.chances else ""


def _cells(row: Standing, metric: Metric, n_columns: int) -> list[str]:
    if not row.finished:
        look = "" if row.scout_score is None else f"first look {metric.text(row.scout_score)}"
        return [row.label, row.status, look, *[""] * (n_columns - 3)]
    sd = "" if row.sd is None else f" ± {metric.text(row.sd).removesuffix(' %')}"
    p_values = [row.p_value, row.p_adjusted] + ([row.wilcoxon_p] if metric.task == REGRESSION else [])
    return [
        row.label,
        metric.text(row.mean) + sd,
        "" if row.difference is None else metric.text(row.difference, signed=True),
        chances_text(row),
        *["" if p is None else p_text(p) for p in p_values],
        verdict_text(row.verdict, practically_equivalent=row.practically_equivalent),
        "–" if row.hub_skewness is None else f"{row.hub_skewness:.2f}",
        seconds_text(row.fit_seconds),
    ]


def plain_table(comparison: Comparison) -> tuple[list[Column], list[list[str]]]:
    """As `leaderboard_table`, with the tags in brackets after the names."""
    columns, rows = leaderboard_table(comparison)
    for row, cells in zip(comparison.rows, rows):
        cells[0] += "".join(f" ({tag})" for tag in tags_of(row))
    return columns, rows


def leaderboard_text(comparison: Comparison) -> str:
    """The table in plain characters."""
    columns, rows = plain_table(comparison)
    titles = [column.title for column in columns]
    widths = [max(len(cell) for cell in cells) for cells in zip(titles, *rows)]
    sides = [">" if column.numeric else "<" for column in columns]
    lines = [
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths))
        for row in (titles, *rows)
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)


def leaderboard_html(comparison: Comparison, title: str = "") -> str:
    """The answer, the table with the winner in bold, and its explanations, for a notebook."""
    columns, rows = plain_table(comparison)
    # Numbers stay on one line; names may break.
    align = ["right; white-space: nowrap" if column.numeric else "left" for column in columns]

    def line(tag: str, cells: Iterable[str], style: str = "") -> str:
        inside = (
            f'<{tag} style="padding: 0.2em 0.5em; text-align: {side}">{escape(cell)}</{tag}>'
            for side, cell in zip(align, cells)
        )
        return f"<tr{style}>{''.join(inside)}</tr>"

    bold = ' style="font-weight: bold"'
    body = (
        line("td", cells, bold if row.label == comparison.winner else "")
        for row, cells in zip(comparison.rows, rows)
    )
    head = line("th", [column.title for column in columns])
    notes = "".join(f"<p>{escape(text)}</p>" for text in explanations(comparison))
    return (
        f'<div style="overflow-x: auto"><p>{escape(title)}<br><b>{escape(comparison.statement)}</b></p>'
        f"<table><thead>{head}</thead><tbody>{''.join(body)}</tbody></table>"
        f"{notes}</div>"
    )
