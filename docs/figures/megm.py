"""MEGM and MLKR: rows of like targets come to lie together."""

import numpy as np
from common import panels, save

from nearkin import MLKR


def draw(path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(220, 2)) * [2.0, 1.0]
    target = np.sin(1.5 * (X[:, 1] + 0.25 * X[:, 0]))
    learned = MLKR(init="identity").fit(X, target)
    figure, axes = panels("rows, coloured by their target", "MLKR: what does not bear on the target shrinks")
    for ax, Z in zip(axes, (X, learned.transform(X))):
        shown = ax.scatter(*Z.T, c=target, s=14, cmap="viridis", linewidths=0)
    figure.colorbar(shown, ax=axes, shrink=0.8)
    save(figure, path)
