"""NCA: the neighbours that one row draws, before and after."""

import numpy as np
from common import GREY, classes, panels, save, squared_distances, stripes

from nearkin import NCA


def draw(path) -> None:
    X, y = stripes()
    planes = (X, NCA(init="identity").fit(X, y).transform(X))
    chances = [_chances(Z) for Z in planes]
    own = [np.sum(P * (y[:, None] == y), axis=1) for P in chances]
    middle = np.linalg.norm(X - X.mean(axis=0), axis=1) < 2
    row = int(np.argmax(np.where(middle, own[1] - own[0], 0)))
    figure, axes = panels("Euclid: whom one row draws as its neighbour", "NCA: the same row")
    for ax, Z, P, right in zip(axes, planes, chances, own):
        for other in np.flatnonzero(P[row] > 0.003):
            width = min(18 * P[row, other] ** 0.8, 5)
            ax.plot(*Z[[row, other]].T, color=GREY, linewidth=width, alpha=0.6, solid_capstyle="round")
        classes(ax, Z, y)
        ax.plot(*Z[row], "k*", markersize=11)
        ax.set_xlabel(f"of its own class: {right[row]:.0%}; mean of all rows: {right.mean():.0%}")
    save(figure, path)


def _chances(Z) -> np.ndarray:
    D = squared_distances(Z)
    np.fill_diagonal(D, np.inf)
    P = np.exp(-D)
    return P / P.sum(axis=1, keepdims=True)
