"""Predictions of numbers against the truth, and what is left."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from nearkin._types import ColumnLike
from nearkin.report.theme import ACCENT, INK, new_figure


def prediction_figure(target: str, true: ColumnLike, predicted: ColumnLike) -> go.Figure:
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
        marker={"size": 7, "color": ACCENT, "opacity": 0.6},
        hovertemplate="true %{x:.4g}<br>predicted %{y:.4g}<extra></extra>",
    )
    figure.update_xaxes(title_text=f"{target}, true")
    figure.update_yaxes(title_text=f"{target}, predicted")
    return figure


def residual_figure(target: str, true: ColumnLike, predicted: ColumnLike) -> go.Figure:
    """True minus predicted against predicted: a slope or a funnel shows what the model misses."""
    true, predicted = np.asarray(true, dtype=float), np.asarray(predicted, dtype=float)
    figure = new_figure(360, showlegend=False)
    figure.add_scatter(
        x=[float(predicted.min()), float(predicted.max())],
        y=[0.0, 0.0],
        mode="lines",
        line={"color": INK, "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=predicted,
        y=true - predicted,
        mode="markers",
        marker={"size": 7, "color": ACCENT, "opacity": 0.6},
        hovertemplate="predicted %{x:.4g}<br>true minus predicted %{y:.4g}<extra></extra>",
    )
    figure.update_xaxes(title_text=f"{target}, predicted")
    figure.update_yaxes(title_text="true minus predicted")
    return figure
