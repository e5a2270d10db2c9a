"""How often each reference is somebody's neighbour, before and after learning."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from nearkin.evaluation import Comparison, Hubness
from nearkin.report.theme import ACCENT, BASELINE, kind_colour, name_rows, new_figure

MAX_BARS = 14
MAX_EVEN_WIDTH = 5


def occurrence_figure(found: Mapping[str, Hubness]) -> go.Figure:
    """Share of the references by how many queries have them among their k nearest, per distance."""
    figure = new_figure(340, hovermode="x unified")
    largest = max((int(hubness.occurrences.max()) for hubness in found.values()), default=0)
    edges = _edges(largest)
    bins = [f"{low}" if high == low + 1 else f"{low}–{high - 1}" for low, high in pairwise(edges)]
    for position, (label, hubness) in enumerate(found.items()):
        share = np.histogram(hubness.occurrences, bins=edges)[0] / hubness.n_references
        figure.add_bar(
            x=bins,
            y=100 * share,
            name=f"{label} (skewness {hubness.skewness:.2f})",
            marker={"color": BASELINE if position == 0 else ACCENT, "opacity": 0.85, "line": {"width": 0}},
            hovertemplate="%{y:.1f} % of the references<extra>" + label + "</extra>",
        )
    k = next((hubness.k for hubness in found.values()), 10)
    figure.update_layout(barmode="group", bargap=0.15, bargroupgap=0.0)
    figure.update_xaxes(
        title_text=f"N<sub>{k}</sub>: times among the {k} nearest of a query",
        type="category",
        showgrid=False,
        tickangle=0,
        tickvals=bins,
        # Where bins are wide, only where each begins: whole ranges would not fit side by side.
        ticktext=[f"{low}" if high == low + 1 else f"{low}–" for low, high in pairwise(edges)],
    )
    figure.update_yaxes(title_text="share of references (%)", rangemode="tozero")
    return figure


def _edges(largest: int) -> np.ndarray:
    """Whole-number bin edges: of equal width if the largest hub allows it, else of growing width."""
    if largest < MAX_BARS * MAX_EVEN_WIDTH:
        width = -(-(largest + 1) // MAX_BARS)
        return np.arange(0, largest + 1 + width, width)
    edges = [0, 1, 2, 4, 7]
    while edges[-1] <= largest:
        edges.append(int(np.ceil(edges[-1] * 1.6)))
    return np.asarray(edges)


def skewness_figure(comparison: Comparison) -> go.Figure:
    """Hub skewness of every row that was measured; smaller means fewer hubs."""
    rows = [row for row in comparison.finished if row.hub_skewness is not None]
    rows.sort(key=lambda row: row.hub_skewness or 0.0, reverse=True)
    figure = new_figure(70 + 30 * len(rows), showlegend=False)
    figure.add_bar(
        x=[row.hub_skewness for row in rows],
        y=[row.label for row in rows],
        orientation="h",
        marker={"color": [kind_colour(row.kind) for row in rows]},
        hovertemplate="<b>%{y}</b><br>skewness %{x:.2f}<extra></extra>",
    )
    figure.update_layout(bargap=0.4)
    figure.update_xaxes(title_text="skewness of N<sub>10</sub>, smaller is better")
    name_rows(figure, from_top=False)
    return figure
