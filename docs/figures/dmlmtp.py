"""DMLMTP: weights of features for two targets at once."""

import numpy as np
from common import COLOURS, panels, save

from nearkin import DMLMTP, KNNRegressor


def draw(path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 8))
    Y = np.c_[np.sin(X[:, 0]) + X[:, 1], np.cos(X[:, 1]) * X[:, 2]] + rng.normal(0, 0.05, (240, 2))
    figure, axes = panels("what each feature weighs", "error of the neighbours' mean", plane=False)
    learned = DMLMTP(euclid_share=0.0).fit(X[:160], Y[:160])
    weights = np.diag(learned.components_.T @ learned.components_)
    colours = [COLOURS[0] if feature < 3 else "#d1d5db" for feature in range(8)]
    axes[0].bar(np.arange(1, 9), weights / weights.sum(), color=colours)
    axes[0].set(xlabel="feature; the targets depend on the coloured ones", ylabel="share of the weight")
    errors = []
    for learner in (None, DMLMTP(euclid_share=0.0)):
        model = KNNRegressor(learner, n_neighbors=4).fit(X[:160], Y[:160])
        missed = model.predict(X[160:]) - Y[160:]
        errors.append(np.sqrt(np.mean(missed**2, axis=0) / Y[160:].var(axis=0)))
    for number, (error, name) in enumerate(zip(errors, ("Euclid", "DMLMTP"))):
        axes[1].bar(
            np.arange(2) + 0.38 * number, error, 0.36, label=name, color=("#9ca3af", COLOURS[0])[number]
        )
    axes[1].set_xticks(np.arange(2) + 0.19, ["first target", "second target"])
    axes[1].set_ylabel("relative root mean squared error")
    axes[1].legend(frameon=False)
    save(figure, path)
