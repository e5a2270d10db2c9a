"""Move-labeled: stored rows move, queries stay, and hubs go."""

import numpy as np
from common import COLOURS, GREY, classes, panels, save, stripes

from nearkin import KNNClassifier, MoveLabeled


def draw(path) -> None:
    X, y = stripes(25)
    learned = MoveLabeled(n_targets=12, alpha=1.0, share=1.0).fit(X, y)
    moved = learned.distance_.embed_references(X)
    figure, axes = panels("each stored row moves towards its like", "500 rows of 60 dimensions", plane=False)
    classes(axes[0], X, y, alpha=0.3)
    classes(axes[0], moved, y, size=8)
    for before, after in zip(X, moved):
        axes[0].plot(*np.c_[before, after], color=GREY, linewidth=0.6, alpha=0.7)
    axes[0].set(xticks=[], yticks=[])
    axes[0].set_aspect("equal", adjustable="datalim")
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(10), 50)
    rows = rng.normal(size=(10, 60))[labels] + 1.5 * rng.normal(size=(500, 60))
    models = {"Euclid": KNNClassifier(), "Move-labeled": KNNClassifier(MoveLabeled())}
    for (name, model), colour in zip(models.items(), (GREY, COLOURS[0])):
        near = model.fit(rows[::2], labels[::2]).kneighbors(rows[1::2], 10, return_distance=False)
        counts = np.bincount(near.ravel(), minlength=250)
        axes[1].hist(counts, np.arange(0, 61, 3), histtype="step", linewidth=1.5, color=colour, label=name)
    axes[1].set(xlabel="how often a row is among the ten nearest", ylabel="rows")
    axes[1].legend(frameon=False)
    save(figure, path)
