"""LFDA: a class on both sides of the other, on one axis each."""

import numpy as np
from common import COLOURS, classes, panels, save
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from nearkin import LFDA


def draw(path) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 0, 1], 60)
    X = np.c_[np.repeat([-4.0, 4.0, 0.0], 60), np.zeros(180)] + rng.normal(size=(180, 2)) * [0.9, 3]
    figure, axes = panels(
        "one class on both sides of the other", "linear discriminant", "LFDA, one direction", plane=False
    )
    classes(axes[0], X, y)
    axes[0].set_aspect("equal", adjustable="datalim")
    lines = (
        LinearDiscriminantAnalysis().fit_transform(X, y)[:, 0],
        LFDA(n_components=1).fit(X, y).transform(X)[:, 0],
    )
    for ax, line in zip(axes[1:], lines):
        bins = np.linspace(line.min(), line.max(), 31)
        for label in (0, 1):
            ax.hist(line[y == label], bins, color=COLOURS[label], alpha=0.6)
    for ax in axes:
        ax.set(xticks=[], yticks=[])
    save(figure, path)
