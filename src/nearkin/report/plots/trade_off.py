"""What accuracy costs in time."""

from __future__ import annotations

from math import log10

import plotly.graph_objects as go

from nearkin.evaluation import Comparison, Metric, Standing
from nearkin.report.theme import MUTED, kind_colour, new_figure
from nearkin.report.words import seconds_text


def time_figure(comparison: Comparison) -> go.Figure:
    """Score against fitting time on a logarithmic axis: the upper left corner is best."""
    metric = comparison.metric
    rows = [row for row in comparison.finished if row.fit_seconds is not None]
    figure = new_figure(400, showlegend=False)
    for row, position in zip(rows, _label_positions(rows, metric)):
        assert row.mean is not None  # finished rows have one
        figure.add_scatter(
            x=[_seconds(row)],
            y=[metric.factor * row.mean],
            mode="markers+text",
            text=[row.label],
            textposition=position,
            textfont={"color": MUTED, "size": 12},
            cliponaxis=False,
            marker={
                "size": 12,
                "color": kind_colour(row.kind),
                "symbol": "diamond" if row.kind == "reference" else "circle",
                "line": {"width": 1, "color": "rgba(255,255,255,0.6)"},
            },
            hovertemplate=f"<b>{row.label}</b><br>{metric.name} {metric.text(row.mean)}"
            f"<br>fit {seconds_text(row.fit_seconds)}<extra></extra>",
        )
    figure.update_xaxes(
        type="log", title_text="seconds per fit (log scale)", dtick=1, exponentformat="none", showgrid=True
    )
    figure.update_yaxes(title_text=metric.name + (" (%)" if metric.percent else ""))
    if not metric.greater_is_better:
        figure.update_yaxes(autorange="reversed")
    figure.update_layout(margin={"l": 8, "r": 40, "t": 28, "b": 8})
    _pad(figure, rows)
    return figure


def _seconds(row: Standing) -> float:
    """Time of a fit, bounded below for the logarithm."""
    return max(row.fit_seconds or 0.0, 1e-4)


def _pad(figure: go.Figure, rows) -> None:
    """Room around the outermost points, so that their names are not cut off."""
    if not rows:
        return
    logs = [log10(_seconds(row)) for row in rows]
    margin = 0.12 * max(1.0, max(logs) - min(logs))
    figure.update_xaxes(range=[min(logs) - margin, max(logs) + margin])


def _label_positions(rows, metric: Metric) -> list[str]:
    """Where each name goes around its point so that it is least crowded by others.

    Closeness is measured in the units of the plot: its share of the logarithmic time axis and of
    the score axis.
    """
    times = [log10(_seconds(row)) for row in rows]
    scores = [row.mean for row in rows]
    width = max(times, default=0) - min(times, default=0) or 1.0
    height = max(scores, default=0) - min(scores, default=0) or 1.0
    boxes: list[tuple[float, float]] = []
    positions = []
    upwards = 1 if metric.greater_is_better else -1
    offsets = {
        "top center": (0.0, 0.06),
        "bottom center": (0.0, -0.06),
        "middle right": (0.12, 0.0),
        "middle left": (-0.12, 0.0),
        "top right": (0.1, 0.05),
        "bottom right": (0.1, -0.05),
        "top left": (-0.1, 0.05),
        "bottom left": (-0.1, -0.05),
    }
    points = [((t - min(times)) / width, upwards * (s - min(scores)) / height) for t, s in zip(times, scores)]
    for i, (x, y) in enumerate(points):
        others = boxes + [point for j, point in enumerate(points) if j != i]

        def crowding(offset, x=x, y=y, others=others):
            at = (x + offset[0], y + offset[1])
            return sum(
                max(0.0, 1 - abs(at[0] - o[0]) / 0.2) * max(0.0, 1 - abs(at[1] - o[1]) / 0.06) for o in others
            )

        best = min(offsets, key=lambda name: crowding(offsets[name]))
        boxes.append((x + offsets[best][0], y + offsets[best][1]))
        positions.append(best)
    return positions
