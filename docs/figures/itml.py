"""ITML: distances of similar and dissimilar pairs against their bounds, before and after."""

import numpy as np
from common import COLOURS, GREY, panels, save, stripes

from nearkin import ITML


def draw(path) -> None:
    X, y = stripes(60, 2)
    rng = np.random.default_rng(0)
    pairs = rng.integers(len(X), size=(800, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    similar = y[pairs[:, 0]] == y[pairs[:, 1]]
    euclid = np.linalg.norm(X[pairs[:, 0]] - X[pairs[:, 1]], axis=1)
    bounds = tuple(np.percentile(euclid, (20, 60)))
    learned = ITML(gamma=10.0, bounds=bounds).fit(X, pairs=pairs, similar=similar)
    figure, axes = panels("before: the prior", "ITML: nearest metric that keeps the bounds", plane=False)
    for ax, distances in zip(axes, (euclid, learned.pair_distances(X, pairs))):
        for kind, colour, name in ((True, COLOURS[0], "similar"), (False, COLOURS[1], "dissimilar")):
            ax.hist(distances[similar == kind], np.linspace(0, 9, 37), color=colour, alpha=0.55, label=name)
        for bound, name in zip(bounds, ("u", "l")):
            ax.axvline(bound, color=GREY, linestyle="--", linewidth=1)
            ax.text(bound + 0.1, 0.97 * ax.get_ylim()[1], name, va="top", color=GREY)
        ax.set(yticks=[], xlabel="distance of a pair")
    axes[0].legend(frameon=False)
    save(figure, path)
