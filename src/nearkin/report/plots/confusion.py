"""Which classes are taken for which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from nearkin.report.theme import INK, SEQUENTIAL, name_rows, new_figure
from nearkin.report.views import ConfusionView

MAX_NUMBERS = 20
#: Beyond this many classes a matrix is unreadable, and the pairs confused most often are listed instead.
MAX_MATRIX = 30
MAX_PAIRS = 20


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
    name_rows(figure)
    figure.update_yaxes(title_text="true")
    return figure


def most_confused(views: Sequence[ConfusionView]) -> list[tuple[str, str, list[int]]]:
    """True class, the class it was taken for, and how often under each distance; most frequent first.

    >>> views = [ConfusionView("x", ["a", "b"], [[3, 2], [1, 5]])]
    >>> most_confused(views)
    [('a', 'b', [2]), ('b', 'a', [1])]
    """
    found: dict[tuple[str, str], list[int]] = {}
    for number, view in enumerate(views):
        counts = np.asarray(view.counts)
        for i, j in zip(*np.nonzero(counts)):
            if i != j:
                pair = (view.classes[i], view.classes[j])
                found.setdefault(pair, [0] * len(views))[number] = int(counts[i, j])
    ordered = sorted(found.items(), key=lambda item: (-max(item[1]), -sum(item[1]), item[0]))
    return [(true, taken, counts) for (true, taken), counts in ordered[:MAX_PAIRS]]


def _short(name: str) -> str:
    return name if len(name) <= 16 else name[:15] + "…"
