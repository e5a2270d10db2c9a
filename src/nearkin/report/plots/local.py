"""What each region or prototype of a local learner looks at."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from nearkin.report.theme import INK, SEQUENTIAL, class_style, new_figure
from nearkin.report.views import LocalViews

MAX_FEATURES = 25


def local_weights_figure(views: LocalViews) -> go.Figure:
    """How strongly each part's metric weighs each feature; the features that matter most come first."""
    names = list(dict.fromkeys(name for part in views.parts for name in part.weights))
    weights = np.array([[part.weights.get(name, 0.0) for name in names] for part in views.parts])
    order = np.argsort(-weights.max(axis=0, initial=0.0), kind="stable")[:MAX_FEATURES]
    figure = new_figure(int(np.clip(130 + 30 * len(views.parts), 200, 760)))
    figure.add_heatmap(
        z=weights[:, order],
        x=[names[i] for i in order],
        y=[part.name for part in views.parts],
        colorscale=SEQUENTIAL,
        zmin=0,
        zmax=1,
        showscale=False,
        xgap=2,
        ygap=2,
        hovertemplate="%{y}<br>%{x}<br>weight %{z:.2f}<extra></extra>",
    )
    figure.update_xaxes(type="category", showgrid=False, tickfont={"color": INK, "size": 11}, tickangle=-40)
    figure.update_yaxes(
        type="category", autorange="reversed", showgrid=False, tickfont={"color": INK}, ticksuffix="  "
    )
    return figure


def local_shares_figure(views: LocalViews) -> go.Figure:
    """How many points of each class fall to each part."""
    labels = list(dict.fromkeys(label for part in views.parts for label in part.shares))
    figure = new_figure(int(np.clip(110 + 30 * len(views.parts), 200, 760)), barmode="stack", bargap=0.4)
    for code, label in enumerate(labels):
        figure.add_bar(
            x=[part.shares.get(label, 0) for part in views.parts],
            y=[part.name for part in views.parts],
            orientation="h",
            name=label,
            marker={"color": class_style(code)[0]},
            hovertemplate="%{y}<br>" + label + ": %{x} points<extra></extra>",
        )
    figure.update_xaxes(title_text="points")
    figure.update_yaxes(
        type="category", autorange="reversed", showgrid=False, tickfont={"color": INK}, ticksuffix="  "
    )
    return figure
