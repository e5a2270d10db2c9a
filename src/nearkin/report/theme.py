"""Colours and figure layout, the same in notebooks and in the report.

The inks below are distinct hex values on purpose: the HTML page swaps each of them for a CSS
variable, so that one figure works on the light and on the dark page.
"""

from __future__ import annotations

import plotly.graph_objects as go

INK = "#1d2733"
MUTED = "#5f6b7a"
GRID = "#e3e7ec"
PANEL = "#fefefe"

ACCENT = "#0b7fab"
WRONG = "#d1412f"
BASELINE = "#7d8896"
REFERENCE = "#b07aa1"

#: Hex values that the page replaces by its own variables.
PAGE_INKS = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    GRID: "var(--grid)",
    PANEL: "var(--panel)",
    ACCENT: "var(--accent)",
    BASELINE: "var(--baseline)",
    WRONG: "var(--wrong)",
}

# After Okabe and Ito; the blue is lighter, yellow and black are replaced, to show on white and on dark grey.
CLASS_COLOURS = ("#1f83c4", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a6fd1", "#8c7a3d")
CLASS_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon", "hexagon", "star")

SEQUENTIAL = [[0.0, "rgba(11,127,171,0.0)"], [0.5, "rgba(11,127,171,0.45)"], [1.0, "rgba(11,127,171,1.0)"]]

FONT = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def class_style(code: int) -> tuple[str, str]:
    """Colour and marker symbol of the class with that code; a colour returns only with another symbol.

    >>> class_style(0) == class_style(8)
    False
    """
    colour = CLASS_COLOURS[code % len(CLASS_COLOURS)]
    symbol = CLASS_SYMBOLS[(code // len(CLASS_COLOURS)) % len(CLASS_SYMBOLS)]
    return colour, symbol


def kind_colour(kind: str) -> str:
    """Colour of a leaderboard row: learner, baseline or reference model."""
    return {"baseline": BASELINE, "reference": REFERENCE}.get(kind, ACCENT)


def new_figure(height: int, *traces, **layout) -> go.Figure:
    """An empty figure in the house style, `height` pixels tall and as wide as its place."""
    axis = {
        "gridcolor": GRID,
        "zerolinecolor": GRID,
        "linecolor": GRID,
        "tickfont": {"color": MUTED, "size": 12},
        "title": {"font": {"color": MUTED, "size": 13}, "standoff": 12},
        "automargin": True,
    }
    figure = go.Figure(data=list(traces))
    figure.update_layout(
        template="none",
        height=height,
        autosize=True,
        font={"family": FONT, "size": 13, "color": INK},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 8, "r": 16, "t": 16, "b": 8},
        hoverlabel={
            "bgcolor": PANEL,
            "bordercolor": GRID,
            "font": {"color": INK, "size": 13},
            "align": "left",
        },
        legend={
            "orientation": "h",
            "yanchor": "bottom",
            "y": 1.01,
            "x": 0,
            "font": {"color": INK, "size": 12},
        },
    )
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    figure.update_layout(**layout)
    return figure


def name_rows(figure: go.Figure, *, from_top: bool = True) -> None:
    """A vertical axis of names, in full ink and a little away from what they label; the first on top."""
    figure.update_yaxes(
        type="category",
        autorange="reversed" if from_top else True,
        showgrid=False,
        tickfont={"color": INK, "size": 13},
        ticksuffix="  ",
    )
