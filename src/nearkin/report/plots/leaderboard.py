"""Scores with their intervals, best on top."""

from __future__ import annotations

import plotly.graph_objects as go

from nearkin.evaluation import Comparison, Metric, Standing
from nearkin.report.theme import BASELINE, kind_colour, name_rows, new_figure


def leaderboard_figure(comparison: Comparison) -> go.Figure:
    """A dot and its 95 % interval per row, the single folds as faint ticks, Euclid as a line."""
    rows, metric = list(reversed(comparison.finished)), comparison.metric
    factor = metric.factor
    figure = new_figure(74 + 34 * len(rows), showlegend=False)
    for row in rows:
        assert row.mean is not None  # finished rows have one
        colour = kind_colour(row.kind)
        figure.add_scatter(
            x=[factor * score for score in row.scores],
            y=[row.label] * len(row.scores),
            mode="markers",
            marker={"symbol": "line-ns-open", "size": 9, "color": colour, "opacity": 0.35},
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=[factor * row.mean],
            y=[row.label],
            mode="markers",
            marker={
                "size": 11,
                "color": colour,
                "symbol": "diamond" if row.kind == "reference" else "circle",
            },
            error_x=_interval(row, metric, colour),
            hovertemplate=_hover(row, metric, comparison.baseline),
        )
    baseline = comparison.row(comparison.baseline).mean
    if baseline is not None:
        figure.add_vline(x=factor * baseline, line={"color": BASELINE, "width": 1, "dash": "dot"})
    unit = " (%)" if metric.percent else ""
    better = "" if metric.greater_is_better else ", smaller is better"
    figure.update_xaxes(title_text=f"{metric.name}{unit}{better}")
    name_rows(figure, from_top=False)
    return figure


def _interval(row: Standing, metric: Metric, colour: str) -> dict | None:
    if row.interval is None or row.mean is None:
        return None
    low, high = clipped_interval(row.interval, percent=metric.percent)
    return {
        "type": "data",
        "symmetric": False,
        "array": [metric.factor * (high - row.mean)],
        "arrayminus": [metric.factor * (row.mean - low)],
        "color": colour,
        "thickness": 2.5,
        "width": 0,
    }


def _hover(row: Standing, metric: Metric, baseline: str) -> str:
    lines = [f"<b>{row.label}</b>", f"{metric.name} {metric.text(row.mean)}"]
    if row.interval is not None:
        low, high = map(metric.text, clipped_interval(row.interval, percent=metric.percent))
        lines.append(f"95 % interval {low} to {high}")
    if row.p_value is not None:
        lines.append(f"against {baseline} {metric.text(row.difference, signed=True)}, p = {row.p_value:.3g}")
    if row.p_adjusted is not None:
        lines.append(f"p adjusted = {row.p_adjusted:.3g}")
    return "<br>".join(lines) + "<extra></extra>"


def clipped_interval(interval: tuple[float, float], *, percent: bool) -> tuple[float, float]:
    """The interval clipped to possible values: a t interval does not know that nothing exceeds 100 %.

    >>> clipped_interval((0.95, 1.02), percent=True)
    (0.95, 1.0)
    """
    low, high = interval
    return max(low, 0.0), min(high, 1.0) if percent else high
