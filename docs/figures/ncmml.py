"""NCMML: the regions of the nearest class mean, before and after."""

import numpy as np
from common import COLOURS, classes, panels, save, stripes
from matplotlib.colors import ListedColormap

from nearkin import NCMML


def draw(path) -> None:
    X, y = stripes()
    learned = NCMML().fit(X, y)
    figure, axes = panels("nearest class mean, Euclid", "nearest class mean, NCMML")
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    across, up = np.meshgrid(np.linspace(low[0], high[0], 160), np.linspace(low[1], high[1], 120))
    grid = np.c_[across.ravel(), up.ravel()]
    for ax, L in zip(axes, (np.eye(2), learned.components_)):
        means = np.array([(X[y == label] @ L.T).mean(axis=0) for label in np.unique(y)])
        nearest = (((grid @ L.T)[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
        ax.pcolormesh(
            across,
            up,
            nearest.reshape(across.shape),
            cmap=ListedColormap(COLOURS[:3]),
            alpha=0.15,
            rasterized=True,
        )
        classes(ax, X, y)
        centres = np.array([X[y == label].mean(axis=0) for label in np.unique(y)])
        ax.plot(*centres.T, "k*", markersize=9, linestyle="none")
        right = np.mean((((X @ L.T)[:, None] - means) ** 2).sum(axis=2).argmin(axis=1) == y)
        ax.set_xlabel(f"{right:.0%} of the rows nearest to their own mean")
    save(figure, path)
