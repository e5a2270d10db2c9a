"""DML-eig and MMC: distances of near dissimilar pairs where near similar ones are alike in the mean."""

import numpy as np
from common import COLOURS, GREY, panels, save
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from nearkin import MMC, DMLEig


def draw(path) -> None:
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    same = y[:, None] == y
    near = [np.argsort(np.where(kind, D, np.inf), axis=1)[:, :3].ravel() for kind in (same, ~same)]
    pairs = np.c_[np.tile(np.repeat(np.arange(len(X)), 3), 2), np.concatenate(near)]
    similar = np.arange(len(pairs)) < len(near[0])
    learned = {"Euclid": np.linalg.norm(X[pairs[:, 0]] - X[pairs[:, 1]], axis=1)}
    for name, learner in (("MMC", MMC()), ("DML-eig", DMLEig(mu=0.01))):
        learned[name] = learner.fit(X, pairs=pairs, similar=similar).pair_distances(X, pairs)
    figure, axes = panels("near dissimilar pairs, sorted", "the nearest tenth of them", plane=False)
    for ax, share in zip(axes, (1.0, 0.1)):
        for (name, distances), colour in zip(learned.items(), (GREY, COLOURS[1], COLOURS[0])):
            unit = np.sqrt(np.mean(distances[similar] ** 2))
            line = np.sort(distances[~similar] / unit)[: int(share * np.sum(~similar))]
            ax.plot(np.linspace(0, 100 * share, len(line)), line, color=colour, label=name)
        ax.set(xlabel="% of the pairs", ylim=0)
    axes[0].set_ylabel("distance, similar pairs 1 in the mean")
    axes[0].legend(frameon=False)
    save(figure, path)
