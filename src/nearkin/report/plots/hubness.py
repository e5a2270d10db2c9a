"""How often each reference is somebody's neighbour, before and after learning."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from nearkin.report.summary import Summary
from nearkin.report.theme import ACCENT, BASELINE, INK, kind_colour, new_figure
from nearkin.report.views import HubnessView

MAX_BARS = 14
MAX_EVEN_WIDTH = 5


def occurrence_figure(views: Sequence[HubnessView]) -> go.Figure:
    """Share of the references that are among the k nearest of so many queries, per distance."""
    figure = new_figure(340, hovermode="x unified")
    largest = max((max(view.counts, default=0) for view in views), default=0)
    edges = _edges(largest)
    labels = [f"{low}" if high == low + 1 else f"{low}–{high - 1}" for low, high in pairwise(edges)]
    for position, view in enumerate(views):
        share = np.histogram(np.asarray(view.counts), bins=edges)[0] / max(1, len(view.counts))
        figure.add_bar(
            x=labels,
            y=100 * share,
            name=f"{view.name} (skewness {view.skewness:.2f})",
            marker={"color": BASELINE if position == 0 else ACCENT, "opacity": 0.85, "line": {"width": 0}},
            hovertemplate="%{y:.1f} % of the references<extra>" + view.name + "</extra>",
        )
    k = views[0].k if views else 10
    figure.update_layout(barmode="group", bargap=0.15, bargroupgap=0.0)
    figure.update_xaxes(
        title_text=f"N<sub>{k}</sub>: times among the {k} nearest of a query",
        type="category",
        showgrid=False,
        tickangle=0,
        tickvals=labels,
        # Where bins are wide, only where each begins: whole ranges would not fit side by side.
        ticktext=[f"{low}" if high == low + 1 else f"{low}–" for low, high in pairwise(edges)],
    )
    figure.update_yaxes(title_text="share of references (%)", rangemode="tozero")
    return figure


def _edges(largest: int) -> np.ndarray:
    """Whole-number bin edges: even ones if the largest hub allows it, else growing ones."""
    if largest < MAX_BARS * MAX_EVEN_WIDTH:
        width = -(-(largest + 1) // MAX_BARS)
        return np.arange(0, largest + 1 + width, width)
    edges = [0, 1, 2, 4, 7]
    while edges[-1] <= largest:
        edges.append(int(np.ceil(edges[-1] * 1.6)))
    return np.asarray(edges)


def skewness_figure(summary: Summary) -> go.Figure:
    """Hub skewness of every row that was measured; smaller means fewer hubs."""
    rows = [row for row in summary.finished if row.skewness is not None]
    rows.sort(key=lambda row: row.skewness or 0.0, reverse=True)
    figure = new_figure(70 + 30 * len(rows), showlegend=False)
    figure.add_bar(
        x=[row.skewness for row in rows],
        y=[row.name for row in rows],
        orientation="h",
        marker={"color": [kind_colour(row.kind) for row in rows]},
        hovertemplate="<b>%{y}</b><br>skewness %{x:.2f}<extra></extra>",
    )
    figure.update_layout(bargap=0.4)
    figure.update_xaxes(title_text="skewness of N<sub>10</sub>, smaller is better")
    figure.update_yaxes(showgrid=False, tickfont={"color": INK, "size": 13}, ticksuffix="  ")
    return figure
