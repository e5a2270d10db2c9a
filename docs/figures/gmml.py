"""GMML: the way from the inverse scatter of similar pairs to the scatter of dissimilar ones."""

import numpy as np
from common import COLOURS, circle, panels, save, stripes, unit_area
from matplotlib import colormaps

from nearkin import GMML


def draw(path) -> None:
    X, y = stripes()
    rng = np.random.default_rng(0)
    left, right = rng.integers(len(X), size=(2, 500))
    differences, same = X[left] - X[right], y[left] == y[right]
    figure, axes = panels("differences of similar and dissimilar pairs", "circles of the metric along t")
    for kind, colour in ((False, COLOURS[1]), (True, COLOURS[0])):
        axes[0].scatter(*differences[same == kind].T, s=5, color=colour, alpha=0.5, linewidths=0)
    for t in (0.0, 0.25, 0.5, 0.75, 1.0):
        M = unit_area(GMML(t=t).fit(X, y).get_mahalanobis_matrix())
        axes[1].plot(*circle(M).T, color=colormaps["viridis"](0.9 * t), label=f"t = {t:g}")
    axes[1].legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    save(figure, path)
