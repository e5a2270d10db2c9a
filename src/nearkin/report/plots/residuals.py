"""Predicted numbers against true ones, and the residuals."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from nearkin._types import ColumnLike
from nearkin.report.theme import ACCENT, INK, new_figure


def prediction_figure(target: str, true: ColumnLike, predicted: ColumnLike) -> go.Figure:
    """Predicted against true values of one regression target, with the line of perfect predictions."""
    true, predicted = np.asarray(true, dtype=float), np.asarray(predicted, dtype=float)
    ends = [float(min(true.min(), predicted.min())), float(max(true.max(), predicted.max()))]
    return _dots_and_line(true, predicted, ends, ends, f"{target}, true", f"{target}, predicted")


def residual_figure(target: str, true: ColumnLike, predicted: ColumnLike) -> go.Figure:
    """True minus predicted against predicted: a slope or a funnel shows what the model misses."""
    true, predicted = np.asarray(true, dtype=float), np.asarray(predicted, dtype=float)
    ends = [float(predicted.min()), float(predicted.max())]
    titles = f"{target}, predicted", "true minus predicted"
    return _dots_and_line(predicted, true - predicted, ends, [0.0, 0.0], *titles)


def _dots_and_line(x, y, line_x: list, line_y: list, x_title: str, y_title: str) -> go.Figure:
    """Held-out rows as dots, and where all of them would be if every prediction were right."""
    figure = new_figure(360, showlegend=False)
    figure.add_scatter(
        x=line_x,
        y=line_y,
        mode="lines",
        line={"color": INK, "width": 1, "dash": "dot"},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=x,
        y=y,
        mode="markers",
        marker={"size": 7, "color": ACCENT, "opacity": 0.6},
        hovertemplate=f"{x_title} %{{x:.4g}}<br>{y_title} %{{y:.4g}}<extra></extra>",
    )
    figure.update_xaxes(title_text=x_title)
    figure.update_yaxes(title_text=y_title)
    return figure
