"""RCA: what varies inside groups of like rows is whitened."""

import numpy as np
from common import circle, classes, panels, save, stripes

from nearkin import RCA


def draw(path) -> None:
    X, y = stripes(24, 4)
    learned = RCA().fit(X, chunklets=y)
    figure, axes = panels("groups of like rows, and how they spread", "RCA: the spread is round")
    for ax, Z in zip(axes, (X, learned.transform(X))):
        classes(ax, Z, y)
        inside = np.concatenate([Z[y == c] - Z[y == c].mean(axis=0) for c in np.unique(y)])
        for label in np.unique(y):
            spread = circle(np.linalg.inv(np.cov(inside.T)), Z[y == label].mean(axis=0), 2.0)
            ax.plot(*spread.T, color="black", linewidth=0.8)
    save(figure, path)
