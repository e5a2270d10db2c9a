"""The leaderboard as a table of texts: for the terminal, for `print` and for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from nearkin.evaluation import Comparison, Metric, Standing
from nearkin.evaluation.comparison import whole_percents
from nearkin.evaluation.metrics import REGRESSION
from nearkin.report.words import p_text, seconds_text, verdict_text


def leaderboard_table(comparison: Comparison) -> tuple[dict[str, bool], list[list[str]]]:
    """Titles of the columns with whether they hold numbers, and a row of texts per candidate."""
    metric = comparison.metric
    with_wilcoxon = metric.task == REGRESSION
    columns = ["learner", metric.name, f"vs {comparison.baseline}", "better/same/worse", "p", "p adjusted"]
    columns += ["Wilcoxon p"] if with_wilcoxon else []
    columns += [f"beats {comparison.baseline}?", "hub skewness", "fit"]
    numeric = {title: title != "learner" and not title.endswith("?") for title in columns}
    return numeric, [
        _cells(row, metric, with_wilcoxon, row.tunable and not row.tuned) for row in comparison.rows
    ]


def chances_text(row: Standing) -> str:
    """Chances in percent that a row is better than the baseline, as good for all that matters, or worse."""
    shares = (row.chance_better, row.chance_equivalent, row.chance_worse)
    known = [share for share in shares if share is not None]
    return "/".join(map(str, whole_percents(known))) + " %" if known else ""


def _cells(row: Standing, metric: Metric, with_wilcoxon: bool, untuned: bool) -> list[str]:
    name = row.label + (" (not neighbours)" if row.reference else "")
    name += f" ({row.n_folds} of {row.n_planned} folds)" if row.partial else ""
    name += f" (×{row.n_repeats})" if row.n_repeats > 1 else ""
    name += " (untuned)" if untuned else ""
    if not row.finished:
        look = "" if row.scout_score is None else f"first look {metric.text(row.scout_score)}"
        return [name, row.status, look, *[""] * (7 if with_wilcoxon else 6)]
    spread = "" if row.sd is None else f" ± {metric.text(row.sd).removesuffix(' %')}"
    p_values = [row.p_value, row.p_adjusted] + ([row.wilcoxon_p] if with_wilcoxon else [])
    return [
        name,
        metric.text(row.mean) + spread,
        "" if row.difference is None else metric.text(row.difference, signed=True),
        chances_text(row),
        *["" if p is None else p_text(p) for p in p_values],
        verdict_text(row.verdict),
        "–" if row.hub_skewness is None else f"{row.hub_skewness:.2f}",
        seconds_text(row.fit_seconds),
    ]


def leaderboard_text(comparison: Comparison) -> str:
    """The table in plain characters."""
    columns, rows = leaderboard_table(comparison)
    widths = [max(len(cell) for cell in column) for column in zip(columns, *rows)]
    sides = [">" if numeric else "<" for numeric in columns.values()]
    lines = [
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths))
        for row in (columns, *rows)
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)


def leaderboard_html(comparison: Comparison, title: str = "") -> str:
    """The answer and the table for a notebook, the winner set off."""
    columns, rows = leaderboard_table(comparison)
    align = ["right" if numeric else "left" for numeric in columns.values()]

    def line(tag: str, cells: Iterable[str], style: str = "") -> str:
        inside = (
            f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>' for side, cell in zip(align, cells)
        )
        return f"<tr{style}>{''.join(inside)}</tr>"

    bold = ' style="font-weight: bold"'
    body = (
        line("td", cells, bold if row.label == comparison.winner else "")
        for row, cells in zip(comparison.rows, rows)
    )
    return (
        f"<div><p>{escape(title)}<br><b>{escape(comparison.statement)}</b></p>"
        f"<table><thead>{line('th', columns)}</thead><tbody>{''.join(body)}</tbody></table></div>"
    )
