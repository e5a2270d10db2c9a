"""GLML: the metric at queries in different places."""

import numpy as np
from common import circle, classes, panels, save, unit_area

from nearkin import GLML


def draw(path) -> None:
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(90, 2)) * [0.7, 2.0], rng.normal(size=(90, 2)) * [2.0, 0.7] + [3.0, 0.0]]
    y = np.repeat([0, 1], 90)
    learned = GLML().fit(X, y)
    figure, axes = panels(
        "GLML: every query has a metric of its own (circles of one distance)", width=5.4, height=3.4
    )
    classes(axes[0], X, y, alpha=0.35)
    queries = np.array([[across, up] for across in (-0.8, 0.8, 2.2, 4.0) for up in (-1.8, 0.0, 1.8)])
    for query, factor in zip(queries, learned.distance_.factors(queries)):
        axes[0].plot(*circle(unit_area(factor.T @ factor), query, 0.45).T, color="black", linewidth=1.2)
    save(figure, path)
