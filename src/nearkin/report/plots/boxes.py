"""Distributions of one number per data set, a box per method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from nearkin.report.theme import ACCENT, BASELINE, name_rows, new_figure


def box_figure(values: Mapping[str, Sequence[float]], labels: Sequence[str], axis: str) -> go.Figure:
    """One box per method with its points, the smallest median on top and in the accent colour.

    Parameters
    ----------
    values : mapping of str to sequence of float
        Each method's numbers in the order of `labels`; infinite ones are left out.
    labels : sequence of str
        Names of the data sets, shown when pointing at a dot.
    axis : str
        What the numbers are.
    """
    order = sorted(values, key=lambda name: float(np.median(values[name])))
    figure = new_figure(90 + 52 * len(order), showlegend=False)
    for name in order:
        kept = [(v, label) for v, label in zip(values[name], labels, strict=True) if np.isfinite(v)]
        colour = ACCENT if name == order[0] else BASELINE
        figure.add_box(
            x=[value for value, _ in kept],
            y=[name] * len(kept),
            text=[label for _, label in kept],
            orientation="h",
            boxpoints="all",
            jitter=0.4,
            pointpos=0,
            marker={"color": colour, "size": 6, "opacity": 0.8},
            line={"color": colour, "width": 1.5},
            fillcolor="rgba(0,0,0,0)",
            hovertemplate="<b>%{text}</b><br>%{x:.2f}<extra></extra>",
            name=name,
        )
    figure.update_xaxes(title_text=axis)
    name_rows(figure)
    return figure
