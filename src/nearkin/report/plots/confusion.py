"""Which classes are taken for which."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from nearkin.report.theme import INK, SEQUENTIAL, new_figure
from nearkin.report.views import ConfusionView

MAX_NUMBERS = 20


def confusion_figure(view: ConfusionView) -> go.Figure:
    """Rows are true classes, columns predictions; the colour is the share of the true class."""
    counts = np.asarray(view.counts)
    share = 100 * counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    n_classes = len(view.classes)
    names = [_short(name) for name in view.classes]
    figure = new_figure(int(np.clip(96 + 46 * n_classes, 240, 760)))
    figure.add_heatmap(
        z=share,
        x=names,
        y=names,
        customdata=np.dstack([counts, *np.meshgrid(view.classes, view.classes)]),
        colorscale=SEQUENTIAL,
        zmin=0,
        zmax=100,
        showscale=False,
        xgap=2,
        ygap=2,
        text=counts if n_classes <= MAX_NUMBERS else None,
        texttemplate="%{text}" if n_classes <= MAX_NUMBERS else None,
        hovertemplate="true %{customdata[2]}<br>predicted %{customdata[1]}"
        "<br>%{customdata[0]} rows, %{z:.1f} % of the class<extra></extra>",
    )
    figure.update_xaxes(
        title_text="predicted", type="category", showgrid=False, tickfont={"color": INK}, side="bottom"
    )
    figure.update_yaxes(
        title_text="true",
        type="category",
        autorange="reversed",
        showgrid=False,
        tickfont={"color": INK},
        ticksuffix=" ",
    )
    return figure


def _short(name: str, length: int = 16) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"


def prediction_figure(target: str, true, predicted) -> go.Figure:
    """Predicted against true values of one regression target, with the line of perfect predictions."""
    true, predicted = np.asarray(true, dtype=float), np.asarray(predicted, dtype=float)
    low, high = float(min(true.min(), predicted.min())), float(max(true.max(), predicted.max()))
    figure = new_figure(360, showlegend=False)
    figure.add_scatter(
        x=[low, high],
        y=[low, high],
        mode="lines",
        line={"color": INK, "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=true,
        y=predicted,
        mode="markers",
        marker={"size": 7, "color": "#0072b2", "opacity": 0.6},
        hovertemplate="true %{x:.4g}<br>predicted %{y:.4g}<extra></extra>",
    )
    figure.update_xaxes(title_text=f"{target}, true")
    figure.update_yaxes(title_text=f"{target}, predicted")
    return figure
