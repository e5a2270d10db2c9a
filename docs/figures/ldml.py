"""LDML: one threshold on the distance of pairs, before and after."""

import numpy as np
from common import COLOURS, GREY, panels, save, stripes

from nearkin import LDML


def draw(path) -> None:
    X, y = stripes(60, 2)
    rng = np.random.default_rng(0)
    pairs = rng.integers(len(X), size=(900, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    similar = y[pairs[:, 0]] == y[pairs[:, 1]]
    learned = LDML().fit(X, pairs=pairs, similar=similar)
    figure, axes = panels("Euclid", "LDML", plane=False)
    lengths = (np.linalg.norm(X[pairs[:, 0]] - X[pairs[:, 1]], axis=1), learned.pair_distances(X, pairs))
    for ax, distances in zip(axes, lengths):
        distances = distances / np.median(distances)
        bins = np.linspace(0, 3, 37)
        for kind, colour, name in ((True, COLOURS[0], "similar"), (False, COLOURS[1], "dissimilar")):
            ax.hist(distances[similar == kind], bins, color=colour, alpha=0.55, label=name)
        cuts = np.quantile(distances, np.linspace(0.02, 0.98, 97))
        right = [np.mean((distances < cut) == similar) for cut in cuts]
        best = cuts[int(np.argmax(right))]
        ax.axvline(best, color=GREY, linestyle="--", linewidth=1)
        ax.set(yticks=[], xlabel=f"distance of a pair; the best threshold gets {max(right):.0%} right")
    axes[0].legend(frameon=False)
    save(figure, path)
