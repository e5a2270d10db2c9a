"""LEGO: how well distances tell pairs apart while the pairs come in."""

import numpy as np
from common import COLOURS, GREY, panels, save, stripes
from sklearn.metrics import roc_auc_score

from nearkin import LEGO


def draw(path) -> None:
    X, y = stripes(60, 2)
    rng = np.random.default_rng(0)
    judged = rng.integers(len(X), size=(3000, 2))
    apart = y[judged[:, 0]] != y[judged[:, 1]]
    euclid = roc_auc_score(apart, np.linalg.norm(X[judged[:, 0]] - X[judged[:, 1]], axis=1))
    stream = rng.integers(len(X), size=(60, 5, 2))
    figure, axes = panels("how well distances tell pairs apart", plane=False, height=2.6)
    for eta, colour in ((0.01, COLOURS[2]), (0.1, COLOURS[0]), (1.0, COLOURS[1])):
        learner, areas = LEGO(eta=eta), [euclid]
        for pairs in stream:
            learner.partial_fit(X, pairs=pairs, similar=y[pairs[:, 0]] == y[pairs[:, 1]])
            areas.append(roc_auc_score(apart, learner.pair_distances(X, judged)))
        axes[0].plot(5 * np.arange(61), areas, color=colour, label=f"LEGO, eta = {eta:g}")
    axes[0].axhline(euclid, color=GREY, linestyle="--", linewidth=1, label="Euclid")
    axes[0].set(xlabel="pairs seen", ylabel="area under the ROC curve")
    axes[0].legend(frameon=False, loc="lower right")
    save(figure, path)
