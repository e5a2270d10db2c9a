"""The data in two dimensions under each distance, with the neighbours that decide a prediction."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import plotly.graph_objects as go

from nearkin.report.theme import INK, MUTED, WRONG, class_style, new_figure
from nearkin.report.views import EmbeddingView, PanelView
from nearkin.report.words import natural_order, value_text

#: Names of the traces that the page fills while a point is hovered.
RIGHT_VOTES = "right votes"
WRONG_VOTES = "wrong votes"
#: Neighbours named in the hover text.
MAX_LISTED = 5


def embedding_figure(view: EmbeddingView, panel: PanelView) -> go.Figure:
    """One panel: references small and faint, held-out points large; a cross marks a wrong prediction.

    The hover text names each held-out point's neighbours; in the report, lines are drawn to them as well.
    """
    figure = new_figure(430, hovermode="closest")
    if view.categorical:
        _add_classes(figure, view, panel)
    else:
        _add_values(figure, view, panel)
    if view.categorical:
        _add_mistakes(figure, view, panel)
    # Told apart by dashes as well as by colour.
    for name, colour, dash in ((RIGHT_VOTES, INK, "solid"), (WRONG_VOTES, WRONG, "dash")):
        figure.add_scatter(
            x=[],
            y=[],
            mode="lines+markers",
            name=name,
            line={"color": colour, "width": 2, "dash": dash},
            marker={"size": 13, "symbol": "circle-open", "color": colour, "line": {"width": 2.5}},
            hoverinfo="skip",
            showlegend=False,
        )
    figure.update_layout(legend={"itemsizing": "constant"})
    # The axes of a t-SNE mean nothing.
    figure.update_xaxes(showticklabels=False, showgrid=False, zeroline=False, visible=False)
    figure.update_yaxes(showticklabels=False, showgrid=False, zeroline=False, visible=False)
    return figure


def _add_classes(figure: go.Figure, view: EmbeddingView, panel: PanelView) -> None:
    labels = np.asarray(view.labels).astype(str)
    is_query = np.asarray(view.is_query, dtype=bool)
    text = point_texts(view, panel)
    counts = Counter(labels.tolist())
    codes = {label: code for code, label in enumerate(sorted(counts, key=natural_order))}
    # Rare classes last, on top of the frequent ones.
    for label, _ in counts.most_common():
        colour, symbol = class_style(codes[label])
        for held_out in (False, True):
            here = np.flatnonzero((labels == label) & (is_query == held_out))
            style = {"symbol": symbol, "color": colour}
            scatter = _points(panel, here, text, style, held_out=held_out, name=label, legendgroup=label)
            scatter.update(
                legendrank=codes[label], showlegend=held_out or not ((labels == label) & is_query).any()
            )
            figure.add_scatter(**scatter)


def _add_values(figure: go.Figure, view: EmbeddingView, panel: PanelView) -> None:
    values = np.asarray(view.labels, dtype=float)
    is_query = np.asarray(view.is_query, dtype=bool)
    text = point_texts(view, panel)
    for held_out in (False, True):
        here = np.flatnonzero(is_query == held_out)
        style = {"color": values[here], "coloraxis": "coloraxis"}
        name = "held out" if held_out else "references"
        figure.add_scatter(**_points(panel, here, text, style, held_out=held_out, name=name))
    figure.update_layout(
        showlegend=False,
        coloraxis={
            "colorscale": "Viridis",
            "colorbar": {
                "title": {"text": view.label_name, "font": {"color": MUTED, "size": 12}},
                "thickness": 10,
                "outlinewidth": 0,
                "tickfont": {"color": MUTED},
            },
        },
    )


def _points(panel: PanelView, here, text, style: dict, *, held_out: bool, **names: str) -> dict[str, Any]:
    """Arguments of the dots at some positions: large and full if held out, small and faint if not."""
    shape = {"size": 9, "opacity": 0.95} if held_out else {"size": 6, "opacity": 0.45}
    return {
        "x": np.asarray(panel.x)[here],
        "y": np.asarray(panel.y)[here],
        "mode": "markers",
        "customdata": here.tolist(),
        "text": [text[i] for i in here],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {**style, **shape, "line": {"width": 0}},
        **names,
    }


def _add_mistakes(figure: go.Figure, view: EmbeddingView, panel: PanelView) -> None:
    labels = np.asarray(view.labels).astype(str)
    wrong = [q for q, predicted in zip(view.queries, panel.predicted) if str(predicted) != labels[q]]
    figure.add_scatter(
        x=[panel.x[q] for q in wrong],
        y=[panel.y[q] for q in wrong],
        mode="markers",
        name="predicted wrongly",
        marker={"symbol": "x-thin", "size": 13, "line": {"width": 2, "color": WRONG}, "color": WRONG},
        hoverinfo="skip",
    )


def point_texts(view: EmbeddingView, panel: PanelView) -> list[str]:
    """Hover text of every point; held-out points list their neighbours and how each votes."""
    texts = [f"row {row} · {value_text(label)}<br>reference" for row, label in zip(view.rows, view.labels)]
    for query, neighbours, distances, predicted in zip(
        view.queries, panel.neighbours, panel.distances, panel.predicted
    ):
        lines = [
            f"<b>row {view.rows[query]} · {view.label_name} {value_text(view.labels[query])}</b>",
            f"predicted {value_text(predicted)}",
        ]
        if view.categorical:
            wrong = sum(str(view.labels[n]) != str(view.labels[query]) for n in neighbours)
            lines.append(
                f"{wrong} of {len(neighbours)} neighbours vote wrongly" if wrong else "no wrong votes"
            )
        for neighbour, distance in list(zip(neighbours, distances))[:MAX_LISTED]:
            label = view.labels[neighbour]
            mark = ""
            if view.categorical:
                mark = "✓ " if str(label) == str(view.labels[query]) else "✗ "
            lines.append(f"{mark}row {view.rows[neighbour]} · {value_text(label)} · {distance:.3g}")
        if len(neighbours) > MAX_LISTED:
            lines.append(f"and {len(neighbours) - MAX_LISTED} more")
        texts[query] = "<br>".join(lines)
    return texts
