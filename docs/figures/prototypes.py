"""LMDL: a few prototypes, each with its metric, and the regions they make."""

import numpy as np
from common import COLOURS, circle, classes, panels, save, unit_area
from matplotlib.colors import ListedColormap
from sklearn.datasets import make_moons

from nearkin import LMDL


def draw(path) -> None:
    X, y = make_moons(240, noise=0.16, random_state=0)
    figure, axes = panels("LMDL, one prototype per class", "LMDL, three per class")
    low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
    across, up = np.meshgrid(np.linspace(low[0], high[0], 160), np.linspace(low[1], high[1], 120))
    for ax, count in zip(axes, (1, 3)):
        model = LMDL(n_prototypes=count, init="kmeans", random_state=0).fit(X, y)
        answers = model.predict(np.c_[across.ravel(), up.ravel()]).reshape(across.shape)
        ax.pcolormesh(across, up, answers, cmap=ListedColormap(COLOURS[:2]), alpha=0.15, rasterized=True)
        classes(ax, X, y, alpha=0.5)
        for place, factor, label in zip(model.prototypes_, model.metrics_, model.prototype_labels_):
            metric = unit_area(factor.T @ factor + 1e-3 * np.trace(factor.T @ factor) * np.eye(2))
            ax.plot(*circle(metric, place, 0.22).T, color="black", linewidth=1.2)
            ax.plot(*place, "*", color=COLOURS[int(label)], markeredgecolor="black", markersize=11)
        ax.set_xlabel(f"{model.score(X, y):.0%} of the rows right")
    save(figure, path)
