"""KDA: a ring around a disc, and both along the one direction that their means differ in."""

import numpy as np
from common import COLOURS, classes, panels, save
from sklearn.datasets import make_circles

from nearkin import KDA


def draw(path) -> None:
    X, y = make_circles(200, noise=0.12, factor=0.4, random_state=0)
    figure, axes = panels("a ring around a disc", "KDA, along its one direction", plane=False)
    classes(axes[0], X, y)
    axes[0].set_aspect("equal", adjustable="datalim")
    model = KDA(random_state=0).fit(X, y)
    line = model.transform(X)[:, 0]
    bins = np.linspace(line.min(), line.max(), 31)
    for label in (0, 1):
        axes[1].hist(line[y == label], bins, color=COLOURS[label], alpha=0.6)
        axes[1].axvline(model.means_[label, 0], color=COLOURS[label], linestyle=":")
    for ax in axes:
        ax.set(xticks=[], yticks=[])
    save(figure, path)
