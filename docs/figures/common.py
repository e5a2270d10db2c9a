"""What the figures of the method pages share: artificial rows, colours, shapes, and how a figure is saved.

Each page ``docs/methods/NAME.md`` has a module ``docs/figures/NAME.py`` with one function, ``draw(path)``,
which fits the method to small artificial rows and draws what it does. ``python docs/build_figures.py`` draws
all of them; the same code gives the same file.
"""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.figure import Figure

COLOURS = ("#2563eb", "#ea580c", "#15803d", "#9333ea", "#a16207", "#0e7490")
MARKERS = ("o", "s", "^", "D", "v", "P")
GREY = "#6b7280"
STYLE = {
    "svg.hashsalt": "nearkin",
    "svg.fonttype": "none",  # text stays text: small files that can be searched
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.edgecolor": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
}


def panels(*titles: str, width: float = 7.2, height: float = 2.9, plane: bool = True, rows: int = 1) -> tuple:
    """A figure with a panel for each title, in so many rows; a `plane` has one scale and no numbers."""
    matplotlib.rcParams.update(STYLE)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = np.ravel(figure.subplots(rows, len(titles) // rows))
    for ax, title in zip(axes, titles):
        ax.set_title(title, loc="left")
        if plane:
            ax.set(xticks=[], yticks=[], aspect="equal")
            ax.set_adjustable("datalim")
    return figure, axes


def save(figure, path) -> None:
    """Write the figure without a date, so that the same figure is the same file."""
    figure.savefig(path, format=str(path).rpartition(".")[2], metadata={"Date": None})


def classes(ax, Z, y, size: float = 14, **style) -> None:
    """Rows in a plane, a colour and a marker for each class."""
    for number, label in enumerate(np.unique(y)):
        rows = Z[np.asarray(y) == label]
        ax.scatter(
            rows[:, 0],
            rows[:, 1],
            s=size,
            color=COLOURS[number],
            marker=MARKERS[number],
            linewidths=0,
            **{"alpha": 0.75, **style},
        )


def stripes(n: int = 40, n_classes: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Classes side by side that are long in a direction which says nothing, n rows each."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_classes), n)
    X = np.c_[rng.normal(0, 2.2, len(y)), 1.1 * y + rng.normal(0, 0.25, len(y))]
    turn = np.deg2rad(25)
    return X @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]), y


def circle(metric: np.ndarray, centre=(0.0, 0.0), radius: float = 1.0) -> np.ndarray:
    """Points of the plane at one distance from a centre under a metric, as a closed line."""
    values, vectors = np.linalg.eigh(metric)
    angles = np.linspace(0, 2 * np.pi, 73)
    longest = 25 * radius  # a direction without weight would be a line without end
    axes = np.minimum(radius / np.sqrt(np.maximum(values, 1e-12)), longest)
    return np.asarray(centre) + np.c_[axes[0] * np.cos(angles), axes[1] * np.sin(angles)] @ vectors.T


def unit_area(metric: np.ndarray) -> np.ndarray:
    """The metric scaled to determinant one: its circles have the area of Euclid's."""
    return metric / np.sqrt(np.linalg.det(metric))


def squared_distances(Z: np.ndarray) -> np.ndarray:
    """All pairs of a few rows."""
    return ((Z[:, None] - Z) ** 2).sum(axis=2)
