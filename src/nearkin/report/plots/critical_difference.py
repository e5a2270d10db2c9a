"""Average ranks over several datasets, with bars over methods that cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from nearkin.evaluation.significance import indistinct_groups
from nearkin.report.theme import ACCENT, INK, MUTED, name_rows, new_figure


def critical_difference_figure(
    average_ranks: Mapping[str, float], critical_difference: float, *, highlight: str | None = None
) -> go.Figure:
    """Demsar's diagram, upright: one line per method, best on top.

    Parameters
    ----------
    average_ranks : mapping of str to float
        Mean rank of each method over the datasets; 1 is best.
    critical_difference : float
        Rank difference below which two methods are not told apart.
    highlight : str, optional
        A method drawn in the accent colour.
    """
    ordered = sorted(average_ranks.items(), key=lambda item: item[1])
    names = [name for name, _ in ordered]
    ranks = [rank for _, rank in ordered]
    figure = new_figure(90 + 30 * len(names), showlegend=False)
    for name, rank in ordered:
        colour = ACCENT if name == highlight else INK
        figure.add_scatter(
            x=[rank],
            y=[name],
            mode="markers+text",
            text=[f"{rank:.2f}"],
            textposition="middle right",
            textfont={"color": MUTED, "size": 12},
            marker={"size": 10, "color": colour},
            hovertemplate=f"<b>{name}</b><br>average rank {rank:.2f}<extra></extra>",
        )
    for number, group in enumerate(indistinct_groups(ranks, critical_difference)):
        at = ranks[group[0]] - 0.12 - 0.1 * (number % 3)
        figure.add_scatter(
            x=[at, at],
            y=[names[group[0]], names[group[-1]]],
            mode="lines",
            line={"color": MUTED, "width": 5},
            opacity=0.6,
            hovertemplate=f"not told apart (within {critical_difference:.2f} ranks)<extra></extra>",
        )
    figure.update_xaxes(
        title_text=f"average rank, 1 is best; bars join methods closer than {critical_difference:.2f}",
        range=[0.5, max(ranks, default=1) + 0.7],
    )
    name_rows(figure)
    return figure
