"""What each region or prototype of a local learner looks at."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from nearkin.report.theme import INK, MUTED, SEQUENTIAL, class_style, name_rows, new_figure
from nearkin.report.views import LocalView, LocalViews

MAX_FEATURES = 25
MAX_PICTURES = 8
MAX_PARTS = 24


def largest_parts(views: LocalViews) -> list[LocalView]:
    """The parts with most points, in their own order."""
    order = sorted(views.parts, key=lambda part: -sum(part.shares.values()))[:MAX_PARTS]
    return [part for part in views.parts if any(part is kept for kept in order)]


def local_weights_figure(views: LocalViews) -> go.Figure:
    """How strongly each part's metric weighs each feature; the features that matter most come first."""
    parts = largest_parts(views)
    names = list(dict.fromkeys(name for part in parts for name in part.weights))
    weights = np.array([[part.weights.get(name, 0.0) for name in names] for part in parts])
    order = np.argsort(-weights.max(axis=0, initial=0.0), kind="stable")[:MAX_FEATURES]
    figure = new_figure(int(np.clip(130 + 30 * len(parts), 200, 860)))
    figure.add_heatmap(
        z=weights[:, order],
        x=[names[i] for i in order],
        y=[part.name for part in parts],
        colorscale=SEQUENTIAL,
        zmin=0,
        zmax=1,
        showscale=False,
        xgap=2,
        ygap=2,
        hovertemplate="%{y}<br>%{x}<br>weight %{z:.2f}<extra></extra>",
    )
    figure.update_xaxes(type="category", showgrid=False, tickfont={"color": INK, "size": 11}, tickangle=-40)
    name_rows(figure)
    return figure


def local_shares_figure(views: LocalViews) -> go.Figure:
    """How many points of each class fall to each part."""
    parts = largest_parts(views)
    labels = [
        label
        for label in dict.fromkeys(label for part in parts for label in part.shares)
        if any(part.shares.get(label) for part in parts)
    ]
    figure = new_figure(int(np.clip(110 + 30 * len(parts), 200, 860)), barmode="stack", bargap=0.4)
    figure.update_layout(legend={"traceorder": "normal"})
    for code, label in enumerate(labels):
        figure.add_bar(
            x=[part.shares.get(label, 0) for part in parts],
            y=[part.name for part in parts],
            orientation="h",
            name=label,
            marker={"color": class_style(code)[0]},
            hovertemplate="%{y}<br>" + label + ": %{x} points<extra></extra>",
        )
    figure.update_xaxes(title_text="points")
    name_rows(figure)
    return figure


def local_points_figure(views: LocalViews) -> go.Figure:
    """Small pictures side by side: the points of each part as its own metric sees them, largest first."""
    drawn = sorted((part for part in views.parts if len(part.x)), key=lambda part: -sum(part.shares.values()))
    drawn = drawn[:MAX_PICTURES]
    n_columns = min(4, max(1, len(drawn)))
    n_rows = max(1, -(-len(drawn) // n_columns))
    grid = make_subplots(
        n_rows,
        n_columns,
        subplot_titles=[part.name for part in drawn],
        horizontal_spacing=0.03,
        vertical_spacing=0.12,
    )
    figure = new_figure(60 + 190 * n_rows, margin={"l": 8, "r": 8, "t": 48, "b": 8})
    there = {label for part in drawn for label in part.labels}
    labels = [
        label for label in dict.fromkeys(label for part in drawn for label in part.shares) if label in there
    ]
    for number, part in enumerate(drawn):
        for code, label in enumerate(labels):
            here = [i for i, other in enumerate(part.labels) if other == label]
            colour, symbol = class_style(code)
            grid.add_scatter(
                x=[part.x[i] for i in here],
                y=[part.y[i] for i in here],
                mode="markers",
                name=label,
                legendgroup=label,
                showlegend=number == 0,
                marker={"size": 6, "color": colour, "symbol": symbol, "opacity": 0.8},
                hovertemplate=f"{label}<extra></extra>",
                row=number // n_columns + 1,
                col=number % n_columns + 1,
            )
    style = figure.layout.to_plotly_json()
    grid.update_layout({key: value for key, value in style.items() if not key.startswith(("xaxis", "yaxis"))})
    grid.update_layout(legend={"y": 1.0, "yanchor": "bottom", "yref": "container"})
    grid.update_annotations(font={"color": MUTED, "size": 12})
    axis = {key: style["xaxis"][key] for key in ("gridcolor", "zerolinecolor", "linecolor")}
    grid.update_xaxes(showticklabels=False, **axis)
    grid.update_yaxes(showticklabels=False, **axis)
    return grid
