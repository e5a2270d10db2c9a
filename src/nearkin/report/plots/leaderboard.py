"""Scores with their intervals, best on top."""

from __future__ import annotations

import plotly.graph_objects as go

from nearkin.report.summary import Summary
from nearkin.report.theme import BASELINE, INK, kind_colour, new_figure


def leaderboard_figure(summary: Summary) -> go.Figure:
    """A dot and its 95 % interval per row, the single folds as faint ticks, Euclid as a line."""
    rows = list(reversed(summary.finished))
    factor = 100 if summary.score.as_percent else 1
    figure = new_figure(74 + 34 * len(rows), showlegend=False)
    for row in rows:
        colour = kind_colour(row.kind)
        figure.add_scatter(
            x=[factor * score for score in row.scores],
            y=[row.name] * len(row.scores),
            mode="markers",
            marker={"symbol": "line-ns-open", "size": 9, "color": colour, "opacity": 0.35},
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=[factor * row.score],
            y=[row.name],
            mode="markers",
            marker={
                "size": 11,
                "color": colour,
                "symbol": "diamond" if row.kind == "reference" else "circle",
            },
            error_x=_interval(row, factor, colour),
            hovertemplate=_hover(summary, row),
        )
    if summary.baseline is not None:
        figure.add_vline(
            x=factor * summary.baseline.score, line={"color": BASELINE, "width": 1, "dash": "dot"}
        )
    unit = " (%)" if summary.score.as_percent else ""
    better = "" if summary.score.higher_is_better else ", smaller is better"
    figure.update_xaxes(title_text=f"{summary.score.name}{unit}{better}")
    figure.update_yaxes(showgrid=False, tickfont={"color": INK, "size": 13}, ticksuffix="  ")
    return figure


def _interval(row, factor: float, colour: str) -> dict | None:
    if row.interval is None:
        return None
    low, high = clipped_interval(row.interval, percent=factor == 100)
    return {
        "type": "data",
        "symmetric": False,
        "array": [factor * (high - row.score)],
        "arrayminus": [factor * (row.score - low)],
        "color": colour,
        "thickness": 2.5,
        "width": 0,
    }


def _hover(summary: Summary, row) -> str:
    lines = [f"<b>{row.name}</b>", f"{summary.score.name} {summary.score.text(row.score)}"]
    if row.interval is not None:
        interval = clipped_interval(row.interval, percent=summary.score.as_percent)
        low, high = (summary.score.text(bound) for bound in interval)
        lines.append(f"95 % interval {low} to {high}")
    if row.p_value is not None:
        lines.append(f"against Euclid {summary.score.text(row.gain, signed=True)}, p = {row.p_value:.3g}")
    return "<br>".join(lines) + "<extra></extra>"


def clipped_interval(interval: tuple[float, float], *, percent: bool) -> tuple[float, float]:
    """The interval inside the values that can occur: a t interval does not know that 100 % is the most.

    >>> clipped_interval((0.95, 1.02), percent=True)
    (0.95, 1.0)
    """
    low, high = interval
    return max(low, 0.0), min(high, 1.0) if percent else high
