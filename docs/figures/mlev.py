"""MLEV: the eigenvalues of the difference of scatters, and the plane of the two largest."""

import numpy as np
from common import COLOURS, GREY, classes, panels, save
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from nearkin import MLEV


def draw(path) -> None:
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    learned = MLEV().fit(X, y)
    values = MLEV(n_components=None).fit(X, y).eigenvalues_
    figure, axes = panels("what a direction is worth", "the two worth most", plane=False)
    kept = len(learned.components_)
    colours = [COLOURS[0] if number < kept else "#d1d5db" for number in range(len(values))]
    axes[0].bar(np.arange(1, len(values) + 1), values, color=colours)
    axes[0].axhline(0, color=GREY, linewidth=0.8)
    axes[0].set(
        xlabel=f"direction; the {kept} coloured ones are kept", ylabel="dissimilar less similar spread"
    )
    classes(axes[1], X @ learned.components_[:2].T, y)
    axes[1].set(xticks=[], yticks=[])
    save(figure, path)
