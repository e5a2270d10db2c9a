"""PLML: metrics of anchors, and their mixtures between them."""

import numpy as np
from common import GREY, circle, classes, panels, save, unit_area

from nearkin import PLML


def draw(path) -> None:
    rng = np.random.default_rng(0)
    angle = rng.uniform(0.1 * np.pi, 0.9 * np.pi, 210)
    y = np.repeat([0, 1, 2], 70)
    radius = 4 + 0.9 * y + rng.normal(0, 0.18, 210)
    X = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    learned = PLML(n_anchors=8, random_state=0).fit(X, y)
    figure, axes = panels("PLML: metrics of the anchors, and mixtures between them", width=6.0, height=3.2)
    classes(axes[0], X, y, alpha=0.35)
    around = np.eye(2) * 0.05 * np.trace(learned.metrics_.sum(axis=0)) / len(learned.metrics_)
    for row in range(0, 210, 9):
        metric = np.tensordot(learned.weights_[row], learned.metrics_, axes=1) + around
        axes[0].plot(*circle(unit_area(metric), X[row], 0.25).T, color=GREY, linewidth=0.8)
    for anchor, metric in zip(learned.anchors_, learned.metrics_):
        axes[0].plot(*circle(unit_area(metric + around), anchor, 0.45).T, color="black", linewidth=1.6)
    save(figure, path)
