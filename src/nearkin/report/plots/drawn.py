"""Figures of papers redrawn: curves, bars with standard deviations, and maps in two dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nearkin.report.theme import ACCENT, class_style, name_rows, new_figure
from nearkin.report.words import natural_order


def curves_figure(panel: Mapping[str, Any]) -> go.Figure:
    """Lines with the best point of each marked by a ring.

    Parameters
    ----------
    panel : mapping
        "x_title", "y_title" and "lines", each with "name", "x", "y" and "best", a position or None.
    """
    figure = new_figure(300)
    for number, line in enumerate(panel["lines"]):
        colour, _ = class_style(number)
        figure.add_scatter(
            x=line["x"],
            y=line["y"],
            mode="lines+markers",
            name=line["name"],
            line={"color": colour, "width": 1.5},
            marker={"size": 4},
        )
        best = line.get("best")
        if best is not None:
            figure.add_scatter(
                x=[line["x"][best]],
                y=[line["y"][best]],
                mode="markers",
                marker={"size": 12, "symbol": "circle-open", "color": colour, "line": {"width": 2}},
                showlegend=False,
                hoverinfo="skip",
            )
    figure.update_xaxes(title_text=panel["x_title"])
    figure.update_yaxes(title_text=panel["y_title"])
    return figure


def bars_figure(bars: Mapping[str, Sequence[float]], axis: str) -> go.Figure:
    """One bar per method with its standard deviation, the smallest in the accent colour.

    Parameters
    ----------
    bars : mapping of method to (mean, standard deviation)
    axis : str
        What the numbers are.
    """
    names = list(bars)
    means = np.array([bars[name][0] for name in names])
    best = names[int(np.argmin(means))]
    figure = new_figure(110 + 24 * len(names), showlegend=False)
    figure.add_bar(
        x=means,
        y=names,
        orientation="h",
        error_x={"array": [bars[name][1] for name in names], "thickness": 1},
        marker={"color": [ACCENT if name == best else "rgba(120,120,120,0.45)" for name in names]},
        hovertemplate="%{y}: %{x:.2f}<extra></extra>",
    )
    figure.update_xaxes(title_text=axis, rangemode="tozero")
    name_rows(figure)
    return figure


def map_figure(panel: Mapping[str, Any]) -> go.Figure:
    """Rows in two dimensions, a colour and a symbol per label.

    Parameters
    ----------
    panel : mapping
        "x", "y" and "labels", one of each per row.
    """
    figure = new_figure(320, hovermode="closest")
    x, y, labels = (np.asarray(panel[key]) for key in ("x", "y", "labels"))
    names = labels.astype(str)
    for code, name in enumerate(sorted(set(names.tolist()), key=natural_order)):
        colour, symbol = class_style(code)
        here = names == name
        figure.add_scatter(
            x=x[here],
            y=y[here],
            mode="markers",
            name=name,
            marker={"size": 6, "symbol": symbol, "color": colour, "opacity": 0.75},
        )
    figure.update_xaxes(showticklabels=False, zeroline=False)
    figure.update_yaxes(showticklabels=False, zeroline=False)
    return figure
