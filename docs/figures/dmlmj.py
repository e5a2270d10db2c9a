"""DMLMJ: directions in which near similar and near dissimilar pairs spread most differently."""

import numpy as np
from common import COLOURS, GREY, panels, save
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from nearkin import DMLMJ


def draw(path) -> None:
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    learned = DMLMJ(n_components=None).fit(X, y)
    Z = learned.transform(X)
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    same = y[:, None] == y
    similar = np.argsort(np.where(same, D, np.inf), axis=1)[:, 0]
    others = np.argsort(np.where(same, np.inf, D), axis=1)[:, 0]
    figure, axes = panels(
        "along the first direction", "along the last", "spread of dissimilar to similar", plane=False
    )
    for ax, direction in zip(axes, (0, -1)):
        for partners, colour, name in ((similar, COLOURS[0], "similar"), (others, COLOURS[1], "dissimilar")):
            lengths = Z[:, direction] - Z[partners, direction]
            ax.hist(lengths, np.linspace(-6, 6, 31), color=colour, alpha=0.55, label=name)
        ax.set(yticks=[], xlabel="difference of a near pair")
    axes[0].legend(frameon=False, fontsize=8)
    axes[2].bar(np.arange(1, len(learned.eigenvalues_) + 1), learned.eigenvalues_, color=COLOURS[2])
    axes[2].axhline(1, color=GREY, linewidth=0.8)
    axes[2].set(xlabel="direction", ylabel="λ")
    save(figure, path)
