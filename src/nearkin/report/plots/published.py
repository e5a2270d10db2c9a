"""Measured numbers beside published ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from nearkin.report.theme import INK, PANEL, class_style, new_figure


def published_figure(
    rows: Sequence[dict[str, Any]], methods: Sequence[str], metric: str, decimals: int = 2
) -> go.Figure:
    """Ours as filled dots, the published numbers as hollow ones, a line between the two.

    Parameters
    ----------
    rows : sequence of dict
        One per data set: its name under "dataset" and under "cells" one dict per method with
        "ours" and "published", either of which may be None.
    methods : sequence of str
    metric : str
        Names the axis.
    decimals : int
        Of the numbers shown when pointing at a dot.
    """
    figure = new_figure(max(220, 80 + len(rows) * (16 + 11 * len(methods))))
    step = 0.8 / max(1, len(methods))
    for number, method in enumerate(methods):
        colour, _ = class_style(number)
        ours, published, lines = [], [], []
        for position, row in enumerate(rows):
            cell = row["cells"][number]
            at = position - 0.4 + step * (number + 0.5)
            if cell["ours"] is not None:
                ours.append((cell["ours"], at, row["dataset"]))
            if cell["published"] is not None:
                published.append((cell["published"], at, row["dataset"]))
            if cell["ours"] is not None and cell["published"] is not None:
                lines.append((cell["published"], cell["ours"], at))
        _add_lines(figure, lines, method, colour)
        _add_dots(figure, published, method, f"{method}, published", {"color": PANEL, "size": 8,
                  "line": {"color": colour, "width": 1.5}}, decimals, False)  # fmt: skip
        _add_dots(figure, ours, method, method, {"color": colour, "size": 9}, decimals, True)
    figure.update_xaxes(title_text=f"{metric}; filled: here, hollow: published")
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(rows))),
        ticktext=[row["dataset"] for row in rows],
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
        tickfont={"color": INK, "size": 13},
        ticksuffix="  ",
    )
    return figure


def _add_lines(figure: go.Figure, lines, method: str, colour: str) -> None:
    x: list[float | None] = []
    y: list[float | None] = []
    for start, end, at in lines:
        x += [start, end, None]
        y += [at, at, None]
    figure.add_scatter(
        x=x, y=y, mode="lines", line={"color": colour, "width": 1}, opacity=0.6,
        legendgroup=method, showlegend=False, hoverinfo="skip",
    )  # fmt: skip


def _add_dots(figure: go.Figure, dots, method: str, name: str, marker, decimals: int, legend: bool) -> None:
    figure.add_scatter(
        x=[dot[0] for dot in dots],
        y=[dot[1] for dot in dots],
        text=[dot[2] for dot in dots],
        mode="markers",
        marker=marker,
        name=name,
        legendgroup=method,
        showlegend=legend,
        hovertemplate=f"<b>%{{text}}</b><br>{name} %{{x:.{decimals}f}}<extra></extra>",
    )
